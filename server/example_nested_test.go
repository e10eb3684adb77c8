package server_test

import (
	"context"
	"fmt"

	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/server"
)

// An agent of a role that has Agents creates agents of its own. It waits for them
// as for a tool, and what they find is the result of its call.
func Example_nestedAgents() {
	ctx := context.Background()
	s, err := server.Start(ctx, server.Config{
		Roles: map[string]server.Role{
			"builder": {Description: "builds houses", Instructions: "You have others work for you.", Agents: []string{"general"}},
		},
		Logger: quiet, Model: script(`
-- reply delegate --
when last user is Build a house
call create_agent {"type": "general", "instruction": "Lay bricks"}
call create_agent {"type": "general", "instruction": "Paint the door"}
-- reply bricks --
when last user is Lay bricks
text: The bricks are laid.
-- reply paint --
when last user is Paint the door
text: The door is green.
-- reply done --
when last tool contains create_agent The door is green.
text: The house stands, and its door is green.
-- reply report --
when last user contains The house stands
text: Your house stands.
`),
	})
	check(err)
	defer s.Close()

	c := s.Client()
	chat, err := c.CreateChat(ctx, client.NewChat{Title: "A house"})
	check(err)
	_, err = c.StartTask(ctx, chat.ID, "builder", "Build a house")
	check(err)
	check(s.Wait(ctx))
	for task, err := range c.Tasks(ctx, chat.ID) {
		check(err)
		fmt.Printf("%d %s: %s %s\n", task.Depth, task.Instruction, task.Status, task.Result)
	}
	// Output:
	// 0 Build a house: success The house stands, and its door is green.
	// 1 Lay bricks: success The bricks are laid.
	// 1 Paint the door: success The door is green.
}
