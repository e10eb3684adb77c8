package server_test

import (
	"context"
	"fmt"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/server"
	"github.com/nestorhq/nestor/tool"
)

type refund struct {
	Order string `json:"order"`
	Cents int    `json:"cents"`
}

var pay = tool.New("refund", tool.Options{Description: "Pays a customer back.", Effect: tool.Once, NeedsApproval: true},
	func(ctx context.Context, in refund) (string, error) {
		// A payment service that is given tool.CallOf(ctx).IdempotencyKey pays once.
		return fmt.Sprintf("paid %d cents for %s", in.Cents, in.Order), nil
	})

// A call of a tool that needs approval waits for a person, who can also change
// its arguments or deny it.
func Example_approval() {
	ctx := context.Background()
	s, err := server.Start(ctx, server.Config{Tools: []*tool.Tool{pay}, Env: noKeys, Logger: quiet})
	check(err)
	defer s.Close()

	c := s.Client()
	chat, err := c.CreateChat(ctx, client.NewChat{Title: "Refunds"})
	check(err)
	_, err = c.StartTask(ctx, chat.ID, "general", `Use the refund tool with {"order": "A7", "cents": 1200}`)
	check(err)
	check(s.Wait(ctx)) // until nothing is left to do but to decide
	for agent, err := range c.SubAgents(ctx, chat.ID) {
		check(err)
		for call, err := range c.ToolCalls(ctx, chat.ID, agent.ID) {
			check(err)
			fmt.Println(call.Status, string(call.Args))
			check(c.Decide(ctx, chat.ID, agent.ID, call.ID, nestor.Decision{Action: nestor.Approve}))
		}
	}
	check(s.Wait(ctx))
	for task, err := range c.Tasks(ctx, chat.ID) {
		check(err)
		fmt.Println(task.Status, task.Result)
	}
	// Output:
	// awaiting_approval {"cents":1200,"order":"A7"}
	// success **Use the refund tool with {"order": "A7", "cents": 1200}**
	//
	// - **refund**: paid 1200 cents for A7
	//
	// *This is what the tools returned. The demo model cannot interpret it.*
}
