package server_test

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/model/modeltest"
	"github.com/nestorhq/nestor/server"
)

// Without a key the demo model answers: rules, not an AI.
func Example() {
	ctx := context.Background()
	s, err := server.Start(ctx, server.Config{Env: noKeys, Logger: quiet})
	check(err)
	defer s.Close()

	c := s.Client()
	chat, err := c.CreateChat(ctx, client.NewChat{})
	check(err)
	_, err = c.Say(ctx, chat.ID, "Compute 6*7")
	check(err)
	check(s.Wait(ctx))
	for m, err := range c.Messages(ctx, chat.ID) {
		check(err)
		fmt.Printf("%s: %s\n", m.Role, m.Content)
	}
	// Output:
	// user: Compute 6*7
	// assistant: I am giving this to a general agent.
	// assistant: **Compute 6*7**
	//
	// - `6*7` = **42**
}

// quiet keeps the log out of the examples.
var quiet = slog.New(slog.DiscardHandler)

// noKeys is an environment without keys of models.
func noKeys(string) string { return "" }

// check ends an example that fails.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// script is a model that says what the text tells it to.
func script(text string) *modeltest.Script {
	m, err := modeltest.Parse(text)
	check(err)
	return m
}
