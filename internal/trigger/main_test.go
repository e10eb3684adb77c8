package trigger_test

import (
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/internal/trigger"
)

// builtIn is what drives agents, and a handler x.
var builtIn = trigger.Join(agent.Triggers(), trigger.BuiltIn{Stages: []trigger.Stage{{Name: "x"}}})

func TestMain(m *testing.M) { testmain.Run(m) }

func document(path nestor.Path, version int64, body string) *nestor.Document {
	return &nestor.Document{
		Path: path, Version: version, Seq: 100 + version, CreatedAt: 1_700_000_000_000, UpdatedAt: 1_700_000_000_000 + version,
		Data: json.RawMessage(body),
	}
}

// event makes a create, update or delete from the bodies that are not "".
func event(path nestor.Path, before, after string) *store.Event {
	c := nestor.Change{Seq: 107, Path: path, Version: 7, At: 1_700_000_000_500}
	if before != "" {
		c.Before = document(path, 6, before)
	}
	if after != "" {
		c.After = document(path, 7, after)
	}
	switch {
	case before == "":
		c.Type = nestor.Create
	case after == "":
		c.Type = nestor.Delete
	default:
		c.Type = nestor.Update
	}
	return store.NewEvent(c)
}

// failer is a *testing.T, *testing.B or *rapid.T.
type failer interface {
	Helper()
	Fatal(args ...any)
}

func newSet(t failer, triggers ...nestor.Trigger) *trigger.Set {
	t.Helper()
	set, err := trigger.New(triggers, trigger.Options{BuiltIn: builtIn, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func fired(jobs []nestor.Job) []string {
	ids := []string{}
	for _, j := range jobs {
		ids = append(ids, j.Trigger)
	}
	return ids
}
