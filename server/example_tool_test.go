package server_test

import (
	"context"
	"fmt"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/server"
	"github.com/nestorhq/nestor/tool"
)

type city struct {
	Name string `json:"name" jsonschema:"a city, in English"`
}

var population = tool.New("population", tool.Options{Description: "How many people live in a city.", Effect: tool.Pure},
	func(_ context.Context, in city) (int, error) {
		if in.Name != "Oslo" {
			return 0, nestor.Errorf(nestor.CodeNotFound, "nobody has counted %s", in.Name)
		}
		return 717_710, nil
	})

// A Go function becomes a tool: the model is told the schema of its argument, and
// what it returns or why it failed.
func Example_tool() {
	ctx := context.Background()
	s, err := server.Start(ctx, server.Config{Tools: []*tool.Tool{population}, Logger: quiet, Model: script(`
-- reply look it up --
when tools contains population
call population {"name": "Atlantis"}
call population {"town": "Oslo"}
call population {"name": "Oslo"}
-- reply answer --
when last tool contains 717710
text: 717,710 people live in Oslo.
-- reply report --
when last user contains 717,710 people
text: There are 717,710.
`)})
	check(err)
	defer s.Close()

	c := s.Client()
	chat, err := c.CreateChat(ctx, client.NewChat{Title: "Oslo"})
	check(err)
	_, err = c.StartTask(ctx, chat.ID, "general", "How many people live in Oslo?")
	check(err)
	check(s.Wait(ctx))
	for agent, err := range c.SubAgents(ctx, chat.ID) {
		check(err)
		for call, err := range c.ToolCalls(ctx, chat.ID, agent.ID) {
			check(err)
			fmt.Printf("%s %s: %s %s%s\n", call.ToolName, call.Args, call.Status, call.Result, call.Error)
		}
	}
	// Output:
	// population {"name":"Atlantis"}: failed nobody has counted Atlantis
	// population {"town":"Oslo"}: failed invalid arguments: there is no parameter "town"; the required parameter "name" is missing. The parameters are: name (string, required).
	// population {"name":"Oslo"}: success 717710
}
