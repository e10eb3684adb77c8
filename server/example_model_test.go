package server_test

import (
	"context"
	"fmt"
	"iter"

	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/model"
	"github.com/nestorhq/nestor/server"
)

// echo is a model that says what it was told.
type echo struct{}

func (echo) Name() string { return "echo-1" }

func (echo) Generate(_ context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		said := ""
		for _, part := range req.Messages[len(req.Messages)-1].Parts {
			if text, ok := part.(model.Text); ok {
				said += text.Text
			}
		}
		_ = yield(model.Text{Text: "You said: " + said}, nil) && yield(model.Finish{Reason: model.Stop}, nil)
	}
}

// A model of the program is a connection that chats choose by its id.
func Example_model() {
	ctx := context.Background()
	s, err := server.Start(ctx, server.Config{Models: map[string]model.Model{"parrot": echo{}}, Env: noKeys, Logger: quiet})
	check(err)
	defer s.Close()

	c := s.Client()
	chat, err := c.CreateChat(ctx, client.NewChat{Title: "A parrot", ModelConnectionID: "parrot"})
	check(err)
	_, err = c.StartTask(ctx, chat.ID, "general", "Hello!")
	check(err)
	check(s.Wait(ctx))
	for task, err := range c.Tasks(ctx, chat.ID) {
		check(err)
		fmt.Println(task.Status, task.Result)
	}
	// Output: success You said: Hello!
}
