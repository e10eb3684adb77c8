package server_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/server"
)

type note struct {
	nestor.Meta
	Text  string `json:"text"`
	Words int    `json:"words,omitempty"`
}

// countWords is called for every note that is written, once or, if the process
// dies, again. What it writes is committed with the end of its job.
func countWords(_ context.Context, job *server.Job) (server.Effect, error) {
	return func(tx server.Tx) error {
		d, err := tx.Get(job.Change.Path)
		if err != nil {
			return err
		}
		n, err := nestor.As[note](d)
		if err != nil {
			return err
		}
		_, err = tx.Patch(d.Path, map[string]any{"words": len(strings.Fields(n.Text))}, d.Version)
		return err
	}, nil
}

// A trigger says which changes lead to which work, and a handler does it.
func Example_handler() {
	ctx := context.Background()
	s, err := server.Start(ctx, server.Config{
		Triggers: []nestor.Trigger{{
			ID: "on-note", Collection: "users/*/notes", Events: []nestor.ChangeType{nestor.Create}, Action: "POST /webhook/count-words",
		}},
		Handlers: map[string]server.Handler{"count-words": countWords},
		Env:      noKeys, Logger: quiet,
	})
	check(err)
	defer s.Close()

	c := s.Client()
	const path = nestor.Path("users/local/notes/n1")
	_, err = c.Batch(ctx, "", client.Operation{Op: client.Create, Path: path, Body: note{Text: "buy milk and bread"}})
	check(err)
	check(s.Wait(ctx))
	n, err := client.Read[note](ctx, c, path)
	check(err)
	fmt.Printf("%q has %d words\n", n.Text, n.Words)
	// Output: "buy milk and bread" has 4 words
}
