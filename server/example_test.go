package server_test

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/server"
	"github.com/nestorhq/nestor/tool"
)

// quiet keeps the log out of the examples.
var quiet = slog.New(slog.DiscardHandler)

func Example() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, err := server.New(ctx, server.Config{Logger: quiet})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	done := make(chan error)
	go func() { done <- s.Run(ctx) }()

	c := s.Client()
	if _, err := c.CreateChat(ctx, client.NewChat{ID: "hello"}); err != nil {
		panic(err)
	}
	if _, err := c.Say(ctx, "hello", "Compute 6*7"); err != nil {
		panic(err)
	}
	if err := s.Wait(ctx); err != nil {
		panic(err)
	}
	for m, err := range c.Messages(ctx, "hello") {
		fmt.Println(m.Role, m.Content, err)
	}
	cancel()
	<-done
	// Output:
}

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
