package server_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/server"
)

type plant struct {
	nestor.Meta
	UserID string `json:"userId"`
	Kind   string `json:"kind"`
	State  string `json:"state"`
}

// garden is a domain: plants have a table of their own, with a constraint, and
// the API, sync, triggers and access rules know them.
var garden = server.Module{
	Name: "garden",
	Collections: []*server.Collection{
		server.NewCollection[plant]("plants", nil, "users/{userId}/plants/{id}", server.Column("state", "dry", "watered")),
	},
	Triggers: []nestor.Trigger{{
		ID: "on-dry-plant", Collection: "users/*/plants", Condition: "event.document.data.state == 'dry'", Action: "POST /webhook/water",
	}},
	Handlers: map[string]server.Handler{
		"water": func(_ context.Context, job *server.Job) (server.Effect, error) {
			return func(tx server.Tx) error {
				_, err := tx.Patch(job.Change.Path, map[string]any{"state": "watered"}, server.AnyVersion)
				return err
			}, nil
		},
	},
}

func Example_module() {
	ctx := context.Background()
	s, err := server.Start(ctx, server.Config{Modules: []server.Module{garden}, Env: noKeys, Logger: quiet})
	check(err)
	defer s.Close()

	c := s.Client()
	fern := client.Operation{Op: client.Create, Path: "users/local/plants/fern", Body: map[string]any{"kind": "fern", "state": "dry"}}
	_, err = c.Batch(ctx, "", fern)
	check(err)
	check(s.Wait(ctx))
	p, err := client.Read[plant](ctx, c, fern.Path)
	check(err)
	fmt.Println(p.Kind, "is", p.State)

	ivy := client.Operation{Op: client.Create, Path: "users/local/plants/ivy", Body: map[string]any{"kind": "ivy", "state": "thirsty"}}
	_, err = c.Batch(ctx, "", ivy) // no state of a plant
	fmt.Println(errors.Is(err, nestor.ErrInvalid))
	// Output:
	// fern is watered
	// true
}
