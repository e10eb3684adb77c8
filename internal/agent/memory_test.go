package agent

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// counted counts how often somebody reads documents.
type counted struct {
	store.Store
	views int
}

func (c *counted) View(ctx context.Context, fn func(store.Reader) error) error {
	c.views++
	return c.Store.View(ctx, fn)
}

const (
	someChat  nestor.Path = "users/ann/orch-chats/c"
	someAgent             = someChat + "/sub-agents/a"
)

func TestAnAgentIsReadAgainOnlyIfSomebodyElseWrote(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := &counted{Store: open(t, store.Options{})}
		elsewhere := open(t, store.Options{})
		a := New(Options{Store: s})
		s.Observe(a.Committed)
		write := func(s store.Documents, p nestor.Path, body any) {
			t.Helper()
			if err := s.Update(t.Context(), func(tx store.Tx) error { return save(tx, p, body) }); err != nil {
				t.Fatal(err)
			}
		}
		agent := nestor.SubAgent{TaskID: "t", Role: "general", Status: nestor.SubAgentActive}
		write(s, someChat, nestor.Chat{})
		write(s, someChat.Child("tasks", "t"), nestor.Task{Type: nestor.TaskAgent, Name: "agent:general", Status: nestor.TaskRunning})
		write(s, someAgent, agent)
		say := func(s store.Documents, id string) {
			t.Helper()
			write(s, someAgent.Child("messages", id), nestor.SubAgentMessage{Role: nestor.RoleUser, Content: id})
		}
		say(s, "m1")

		for _, tt := range []struct {
			name  string
			first func()
			views int // in all
			said  string
		}{
			{"at first", func() {}, 1, "m1"},
			{"without a change", func() {}, 1, "m1"},
			{"after a message", func() { say(s, "m2") }, 1, "m1 m2"},
			{"after a step", func() { agent.IterationCount = 5; write(s, someAgent, agent) }, 1, "m1 m2"},
			{"after somebody else's message", func() { say(elsewhere, "m3") }, 2, "m1 m2 m3"},
			{"after a message that changed", func() { say(s, "m3") }, 3, "m1 m2 m3"},
			{"after a budget", func() { write(s, someChat, nestor.Chat{Budget: &nestor.Budget{Tokens: 9}}) }, 4, "m1 m2 m3"},
		} {
			tt.first()
			k, err := a.know(t.Context(), someAgent)
			if err != nil || k == nil {
				t.Fatalf("%s nothing is known: %v", tt.name, err)
			}
			var said []string
			for _, m := range k.said {
				said = append(said, m.Content)
			}
			slices.Sort(said)
			got, err := nestor.As[nestor.SubAgent](k.agent)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Join(said, " ") != tt.said || s.views != tt.views || got.IterationCount != agent.IterationCount {
				t.Errorf("%s: said %v, %d steps, read %d times", tt.name, said, got.IterationCount, s.views)
			}
			if budgets := len(k.scopes); budgets != 0 != (tt.views == 4) {
				t.Errorf("%s: %d budgets", tt.name, budgets)
			}
		}

		agent.Status = nestor.SubAgentCompleted
		write(elsewhere, someAgent, agent)
		if k, err := a.know(t.Context(), someAgent); err != nil || k != nil {
			t.Errorf("of one that ended is known %+v, %v", k, err)
		}
	})
}

func TestMemoryForgetsWhatNobodyAsksFor(t *testing.T) {
	var m memory
	long := conversation{{Content: strings.Repeat("x", maxRemembered/3)}}
	for _, id := range strings.Split("abcdefgh", "") {
		m.keep(someChat.Child("sub-agents", id), &known{said: long})
		if m.recall(someAgent) == nil {
			t.Errorf("after %s the one in use is forgotten", id)
		}
	}
	if m.recall(someChat.Child("sub-agents", "b")) != nil {
		t.Error("one that nobody asked for is still there")
	}
	if n := len(m.young) + len(m.old); n > 7 {
		t.Errorf("%d are remembered", n)
	}
	m.forget(someAgent)
	if m.recall(someAgent) != nil {
		t.Error("it is not forgotten")
	}
}
