package client_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/server"
)

// Creates a chat, says something, streams the answer, and watches the agent
// that does the work.
func Example() {
	url, stop := serve() // in your program: the address of a running server
	defer stop()
	ctx := context.Background()
	c := client.New(url, "a-secret-token")

	chat, err := c.CreateChat(ctx, client.NewChat{Title: "Sums"})
	if err != nil {
		log.Fatal(err)
	}
	said, err := c.Say(ctx, chat.ID, "Compute 6*7")
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range c.Events(ctx, chat.ID, client.After(said.Seq)) {
		if err != nil {
			log.Fatal(err)
		}
		if event.Delta != nil {
			continue // a piece of a message that is being written: show it at once
		}
		switch event.Change.Collection {
		case "sub_agent_tool_calls":
			var call nestor.ToolCall
			if err := event.Change.Decode(&call); err != nil {
				log.Fatal(err)
			}
			if call.ToolName == "calculator" && call.Status == nestor.ToolCallSuccess {
				fmt.Printf("The agent calls %s%s: %s\n", call.ToolName, call.Args, call.Result)
			}
		case "messages":
			var m nestor.Message
			if err := event.Change.Decode(&m); err != nil {
				log.Fatal(err)
			}
			if m.Role == nestor.RoleAssistant {
				fmt.Println(m.Content)
			}
			if m.TaskID != "" { // the report on the agent's task is the last word
				return
			}
		}
	}
	// Output:
	// I am giving this to a general agent.
	// The agent calls calculator{"expression":"6*7"}: 42
	// **Compute 6*7**
	//
	// - `6*7` = **42**
}

// serve runs a server with the demo model, which answers without any AI.
func serve() (url string, stop func()) {
	s, err := server.Start(context.Background(), server.Config{
		Addr: "127.0.0.1:0", Token: "a-secret-token", Env: func(string) string { return "" }, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		log.Fatal(err)
	}
	return s.URL(), func() {
		if err := s.Close(); err != nil {
			log.Print(err)
		}
	}
}
