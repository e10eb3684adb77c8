package agent

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// counted counts how often somebody reads a conversation. It tells no seqs.
type counted struct {
	store.Store
	readings int
}

func (c *counted) View(ctx context.Context, fn func(store.Reader) error) error {
	return c.Store.View(ctx, func(r store.Reader) error { return fn(countedReader{r, c}) })
}

type countedReader struct {
	store.Reader
	store *counted
}

func (r countedReader) Query(q store.Query) (store.Page, error) {
	r.store.readings++
	return r.Reader.Query(q)
}

// countedTeller does tell seqs.
type countedTeller struct {
	*counted
	seqTeller
}

const (
	someChat  nestor.Path = "users/ann/orch-chats/c"
	someAgent             = someChat + "/sub-agents/a"
)

func TestAnAgentIsReadAgainOnlyIfSomebodyElseWrote(t *testing.T) {
	t.Run("on a store that tells seqs", func(t *testing.T) { readAgain(t, true) })
	t.Run("on one that does not", func(t *testing.T) { readAgain(t, false) })
}

func readAgain(t *testing.T, tells bool) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := &counted{Store: open(t, store.Options{})}
		elsewhere := open(t, store.Options{})
		a := newMemory(s)
		if tells {
			a = newMemory(countedTeller{s, s.Store.(seqTeller)})
		}
		s.Observe(store.MemoryTurn, a.follow)
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

		know := func() (*known, error) {
			if k := a.remember(t.Context(), someAgent); k != nil {
				return k, nil
			}
			return a.readAgent(t.Context(), someAgent)
		}
		for _, tt := range []struct {
			name     string
			first    func()
			readings int // in all
			said     string
		}{
			{"at first", func() {}, 1, "m1"},
			{"without a change", func() {}, 1, "m1"},
			{"after a message", func() { say(s, "m2") }, 1, "m1 m2"},
			{"after a step", func() { agent.IterationCount = 5; write(s, someAgent, agent) }, 1, "m1 m2"},
			{"after somebody else's message", func() {
				say(elsewhere, "m3")
				write(elsewhere, someAgent, agent) // as whoever speaks to an agent does
			}, 2, "m1 m2 m3"},
			{"after a message that changed", func() { say(s, "m3") }, 3, "m1 m2 m3"},
			{"after a budget", func() { write(s, someChat, nestor.Chat{Budget: &nestor.Budget{Tokens: 9}}) }, 4, "m1 m2 m3"},
		} {
			tt.first()
			k, err := know()
			if err != nil || k == nil {
				t.Fatalf("%s nothing is known: %v", tt.name, err)
			}
			var said []string
			for _, m := range k.said {
				said = append(said, m.Content)
			}
			slices.Sort(said)
			if strings.Join(said, " ") != tt.said || s.readings != tt.readings || k.agent.IterationCount != agent.IterationCount {
				t.Errorf("%s: said %v, %d steps, read %d times", tt.name, said, k.agent.IterationCount, s.readings)
			}
			if k.agent.Seq != k.read.Seq || k.agent.ID != "a" {
				t.Errorf("%s: the agent %+v is not what %s holds", tt.name, k.agent, k.read.Path)
			}
			if budgets := len(k.scopes); budgets != 0 != (tt.readings == 4) {
				t.Errorf("%s: %d budgets", tt.name, budgets)
			}
		}

		agent.Status = nestor.SubAgentCompleted
		write(elsewhere, someAgent, agent)
		if k, err := know(); err != nil || k != nil {
			t.Errorf("of one that ended is known %+v, %v", k, err)
		}
	})
}

func TestAResultFromAnotherNodeIsNotOverlooked(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s, elsewhere := open(t, store.Options{}), open(t, store.Options{})
		a := &Loop{Store: s, Roles: DefaultRoles(), Billing: &Billing{}, Memory: newMemory(s)}
		s.Observe(store.MemoryTurn, a.Memory.follow)
		write := func(s store.Documents, docs map[nestor.Path]any) {
			t.Helper()
			if err := s.Update(t.Context(), func(tx store.Tx) error {
				for _, p := range slices.Sorted(maps.Keys(docs)) {
					if err := save(tx, p, docs[p]); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		steps := func() bool {
			t.Helper()
			next, err := a.nextStep(t.Context(), &nestor.Job{ID: "j"}, someAgent)
			if err != nil {
				t.Fatal(err)
			}
			return next != nil
		}
		write(s, map[nestor.Path]any{
			someChat: nestor.Chat{}, someAgent: nestor.SubAgent{TaskID: "t", Role: "general", Status: nestor.SubAgentActive},
			someChat.Child("tasks", "t"): nestor.Task{Type: nestor.TaskAgent, Name: "agent:general", Status: nestor.TaskRunning},
		})
		write(s, map[nestor.Path]any{someAgent.Child("messages", "m1"): nestor.SubAgentMessage{Role: nestor.RoleUser, Content: "Work."}})
		if !steps() {
			t.Fatal("there is no first step")
		}
		write(s, map[nestor.Path]any{someAgent.Child("messages", "m2"): nestor.SubAgentMessage{
			Role: nestor.RoleAssistant, RepliesTo: "m1", ToolCalls: []nestor.ToolRequest{{ID: "c"}},
		}})
		if steps() {
			t.Fatal("there is a step although a call is open")
		}
		write(elsewhere, map[nestor.Path]any{someAgent.Child("messages", "m3"): nestor.SubAgentMessage{
			Role: nestor.RoleTool, ToolCallID: "c", Content: "42",
		}})
		if !steps() {
			t.Error("there is no step after the result")
		}
	})
}

func TestMemoryForgetsWhatNobodyAsksFor(t *testing.T) {
	var m memory
	long := conversation{newUtterance(nestor.SubAgentMessage{Content: strings.Repeat("x", maxRemembered/3)})}
	for _, id := range strings.Split("abcdefgh", "") {
		p := someChat.Child("sub-agents", id)
		m.keep(p, m.expect(p), &known{read: &nestor.Document{Path: p}, said: long})
		if m.recall(someAgent) == nil {
			t.Errorf("after %s the one in use is forgotten", id)
		}
	}
	if m.recall(someChat.Child("sub-agents", "b")) != nil {
		t.Error("one that nobody asked for is still there")
	}
	if n := len(m.young[someChat]) + len(m.old[someChat]); n > 7 {
		t.Errorf("%d are remembered", n)
	}
	m.forget(someAgent)
	if m.recall(someAgent) != nil {
		t.Error("it is not forgotten")
	}
}

func TestWhatIsWrittenWhileAnAgentIsReadIsNotLost(t *testing.T) {
	at := func(p nestor.Path, seq int64, data string) *nestor.Document {
		return &nestor.Document{Path: p, Seq: seq, CreatedSeq: seq, Version: 1, Data: []byte(data)}
	}
	said := func(id string, seq int64) *nestor.Change {
		d := at(someAgent.Child("messages", id), seq, `{"role":"user","content":"`+id+`"}`)
		return &nestor.Change{Type: nestor.Create, Path: d.Path, Seq: seq, After: d}
	}
	step := func(seq int64) *nestor.Change {
		d := at(someAgent, seq, `{"iterationCount":`+fmt.Sprint(seq)+`}`)
		return &nestor.Change{Type: nestor.Update, Path: someAgent, Seq: seq, Before: at(someAgent, 1, `{}`), After: d}
	}
	spent := func(budget string) *nestor.Change {
		d := at(someChat, 9, `{`+budget+`}`)
		return &nestor.Change{Type: nestor.Update, Path: someChat, Seq: 9, Before: at(someChat, 2, `{}`), After: d}
	}
	for _, tt := range []struct {
		name      string
		meanwhile []*nestor.Change
		want      string // "" if it is not remembered
	}{
		{"nothing", nil, "step 4: m3"},
		{"what was read", []*nestor.Change{said("m3", 3), step(4)}, "step 4: m3"},
		{"more", []*nestor.Change{said("m5", 5), step(6)}, "step 6: m3 m5"},
		{"something in another order", []*nestor.Change{said("m7", 7), said("m5", 5)}, ""},
		{"a message that changes", []*nestor.Change{{Type: nestor.Update, Path: someAgent.Child("messages", "m3")}}, ""},
		{"what its chat spent", []*nestor.Change{spent("")}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var m memory
			r := m.expect(someAgent)
			if m.recall(someAgent) != nil {
				t.Error("it is remembered before it is read")
			}
			for _, c := range tt.meanwhile {
				m.note(c)
			}
			m.keep(someAgent, r, &known{
				read: at(someAgent, 4, `{}`), agent: nestor.SubAgent{Meta: nestor.Meta{Seq: 4}, IterationCount: 4}, basis: basis{[]nestor.Path{someAgent, someChat}, []int64{4, 2}},
				said: conversation{newUtterance(nestor.SubAgentMessage{Meta: nestor.Meta{ID: "m3", Seq: 3, CreatedSeq: 3}, Content: "m3"})},
			})
			got := ""
			if k := m.recall(someAgent); k != nil {
				got = fmt.Sprintf("step %d:", k.agent.IterationCount)
				for _, u := range k.said {
					got += " " + u.Content
				}
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	for budget, kept := range map[string]bool{"": true, `"budget":{"tokens":1}`: false} {
		var m memory
		m.keep(someAgent, m.expect(someAgent), &known{read: at(someAgent, 4, `{}`), basis: basis{[]nestor.Path{someAgent, someChat}, []int64{4, 2}}})
		m.note(spent(budget))
		if got := m.recall(someAgent) != nil; got != kept {
			t.Errorf("after a change of its chat to {%s} it is remembered: %v", budget, got)
		}
	}
}
