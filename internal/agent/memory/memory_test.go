package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/conversation"
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
		a := New(s)
		if tells {
			a = New(countedTeller{s, s.Store.(seqTeller)})
		}
		s.Observe(store.MemoryTurn, a.Follow)
		write := func(s store.Documents, p nestor.Path, body any) {
			t.Helper()
			if err := s.Update(t.Context(), func(tx store.Tx) error { return chatdoc.Save(tx, p, body) }); err != nil {
				t.Fatal(err)
			}
		}
		agent := nestor.SubAgent{TaskID: "t", Role: "general", Status: nestor.SubAgentActive}
		write(s, someChat, nestor.Chat{AccountID: "acme", ProjectID: "p"})
		write(s, "accounts/acme", map[string]any{"name": "Acme"})
		write(s, someChat.Child("tasks", "t"), nestor.Task{
			Type: nestor.TaskAgent, Name: "agent:general", Status: nestor.TaskRunning, ParentAgentID: "above",
		})
		above := nestor.SubAgent{TaskID: "above", Role: "general", Status: nestor.SubAgentActive}
		write(s, someChat.Child("sub-agents", "above"), above)
		write(s, someAgent, agent)
		say := func(s store.Documents, id string) {
			t.Helper()
			write(s, someAgent.Child("messages", id), nestor.SubAgentMessage{Role: nestor.RoleUser, Content: id})
		}
		say(s, "m1")

		know := func() (*Known, error) {
			if k := a.Remember(t.Context(), someAgent); k != nil {
				return k, nil
			}
			return a.Read(t.Context(), someAgent)
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
			{"after a step of the agent above it", func() {
				above.IterationCount++
				write(elsewhere, someChat.Child("sub-agents", "above"), above)
			}, 1, "m1 m2"},
			{"after somebody else's message", func() {
				say(elsewhere, "m3")
				write(elsewhere, someAgent, agent) // as whoever speaks to an agent does
			}, 2, "m1 m2 m3"},
			{"after a message that changed", func() { say(s, "m3") }, 3, "m1 m2 m3"},
			{"after somebody else's message and then one of this process", func() {
				say(elsewhere, "m4")
				write(elsewhere, someAgent, agent)
				say(s, "m5")
				write(s, someAgent, agent)
			}, 4, "m1 m2 m3 m4 m5"},
			{"after several steps of this process", func() {
				for range 3 {
					agent.IterationCount++
					write(s, someAgent, agent)
				}
			}, 4, "m1 m2 m3 m4 m5"},
			{"after a budget of the account", func() {
				write(elsewhere, "accounts/acme", map[string]any{"budget": nestor.Budget{Tokens: 9}})
			}, 5, "m1 m2 m3 m4 m5"},
			{"after a project with a budget was made", func() {
				write(elsewhere, "accounts/acme/projects/p", map[string]any{"budget": nestor.Budget{Tokens: 9}})
			}, 6, "m1 m2 m3 m4 m5"},
			{"after a budget", func() {
				write(s, someChat, nestor.Chat{AccountID: "acme", ProjectID: "p", Budget: &nestor.Budget{Tokens: 9}})
			}, 7, "m1 m2 m3 m4 m5"},
		} {
			tt.first()
			k, err := know()
			if err != nil || k == nil {
				t.Fatalf("%s nothing is known: %v", tt.name, err)
			}
			var said []string
			for _, m := range k.Said {
				said = append(said, m.Content)
			}
			slices.Sort(said)
			if strings.Join(said, " ") != tt.said || s.readings != tt.readings || k.Agent.IterationCount != agent.IterationCount {
				t.Errorf("%s: said %v, %d steps, read %d times", tt.name, said, k.Agent.IterationCount, s.readings)
			}
			if k.Agent.Seq != k.Read.Seq || k.Agent.ID != "a" {
				t.Errorf("%s: the agent %+v is not what %s holds", tt.name, k.Agent, k.Read.Path)
			}
			if budgets := len(k.Scopes); budgets != max(0, tt.readings-4) {
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

// sole is a store to whose database hardly anybody else writes. It fails the test when it
// is asked for what it need not be.
type sole struct {
	*counted
	store.SoleWriter
	quiet bool
	t     *testing.T
}

func (s *sole) Seqs(ctx context.Context, paths ...nestor.Path) ([]int64, error) {
	if s.quiet {
		s.t.Error("it was asked what nobody else can have changed")
	}
	return s.Store.(seqTeller).Seqs(ctx, paths...)
}

func TestWhereNobodyElseWritesNothingIsAsked(t *testing.T) {
	open := engines.SQLite(t)
	own, elsewhere := open(t, store.Options{}), open(t, store.Options{})
	s := &sole{&counted{Store: own}, own.(store.SoleWriter), true, t}
	m := New(s)
	own.Observe(store.MemoryTurn, m.Follow)
	write := func(s store.Documents, p nestor.Path, body any) {
		t.Helper()
		if err := s.Update(t.Context(), func(tx store.Tx) error { return chatdoc.Save(tx, p, body) }); err != nil {
			t.Fatal(err)
		}
	}
	agent := nestor.SubAgent{TaskID: "t", Role: "general", Status: nestor.SubAgentActive}
	write(own, someChat, nestor.Chat{AccountID: "acme", ProjectID: "p"})
	write(own, someChat.Child("tasks", "t"), nestor.Task{Type: nestor.TaskAgent, Name: "agent:general", Status: nestor.TaskRunning})
	write(own, someAgent, agent)
	if k, err := m.Read(t.Context(), someAgent); err != nil || k == nil {
		t.Fatalf("got %v, %v", k, err)
	}
	agent.IterationCount = 3
	write(own, someAgent, agent)
	write(own, "accounts/acme/ledgers/day", map[string]any{"spentTokens": 1})
	if k := m.Remember(t.Context(), someAgent); k == nil || k.Agent.IterationCount != 3 {
		t.Errorf("after a step is known %+v", k)
	}
	for _, place := range []nestor.Path{"accounts/acme", "accounts/acme/projects/p"} {
		write(own, place, map[string]any{"budget": nestor.Budget{Tokens: 9}})
		if m.Remember(t.Context(), someAgent) != nil {
			t.Errorf("after a budget of %s all is as it was", place)
		}
		if k, err := m.Read(t.Context(), someAgent); err != nil || k == nil {
			t.Fatalf("got %v, %v", k, err)
		}
	}
	s.quiet = false
	agent.IterationCount = 4
	write(elsewhere, someAgent, agent)
	write(own, "users/ann/notes/n", map[string]any{"text": "whoever writes finds out"})
	if k := m.Remember(t.Context(), someAgent); k != nil {
		t.Errorf("somebody else's step is not missed: %+v", k.Agent)
	}
}

func TestMemoryForgetsWhatNobodyAsksFor(t *testing.T) {
	var m Memory
	long := conversation.Messages{conversation.NewUtterance(nestor.SubAgentMessage{Content: strings.Repeat("x", maxRemembered/3)})}
	for _, id := range strings.Split("abcdefgh", "") {
		p := someChat.Child("sub-agents", id)
		m.keep(p, m.expect(p), &Known{Read: &nestor.Document{Path: p}, Said: long})
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
	if m.LastOf(someAgent, someChat.Child("tasks", "t")); m.recall(someAgent) != nil {
		t.Error("one that ends is not forgotten")
	}
}

func TestAnAgentIsKnownFromTheTransactionThatBeginsIt(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s, elsewhere := &counted{Store: open(t, store.Options{})}, open(t, store.Options{})
		m := New(countedTeller{s, s.Store.(seqTeller)})
		s.Observe(store.MemoryTurn, m.Follow)
		write := func(s store.Documents, p nestor.Path, body any) {
			t.Helper()
			if err := s.Update(t.Context(), func(tx store.Tx) error { return chatdoc.Save(tx, p, body) }); err != nil {
				t.Fatal(err)
			}
		}
		write(s, someChat, nestor.Chat{})
		task := nestor.Task{Type: nestor.TaskAgent, Name: "agent:general", Status: nestor.TaskPending}
		begin := func(id string, fails error, meanwhile ...*nestor.Change) {
			t.Helper()
			write(s, someChat.Child("tasks", id), task)
			agent := someChat.Child("sub-agents", id)
			err := s.Update(t.Context(), func(tx store.Tx) error {
				if err := chatdoc.Save(tx, agent, nestor.SubAgent{TaskID: id, Role: id, Status: nestor.SubAgentActive}); err != nil {
					return err
				}
				if err := chatdoc.Save(tx, someChat.Child("tasks", id), task); err != nil {
					return err
				}
				task, err := chatdoc.Get[nestor.Task](tx, someChat.Child("tasks", id))
				if err != nil {
					return err
				}
				if err := m.Begin(tx, agent, &nestor.Chat{}, &task); err != nil {
					return err
				}
				for _, c := range meanwhile {
					m.note(c)
				}
				return errors.Join(fails, chatdoc.Save(tx, agent.Child("messages", "m"), nestor.SubAgentMessage{Role: nestor.RoleUser, Content: "hello " + id}))
			})
			if !errors.Is(err, fails) {
				t.Fatal(err)
			}
		}
		know := func(id string) *Known { return m.Remember(t.Context(), someChat.Child("sub-agents", id)) }

		begin("t", nil)
		k := know("t")
		if k == nil || s.readings != 0 || len(k.Said) != 1 || k.Said[0].Content != "hello t" || k.Agent.Role != "t" || k.Agent.Seq != k.Read.Seq || k.Read.Seq == 0 {
			t.Fatalf("of a new agent is known %+v, after %d readings", k, s.readings)
		}
		begin("failed", errors.New("not this time"))
		if k := know("failed"); k != nil {
			t.Errorf("of an agent that was never made is known %+v", k)
		}
		begin("failed", nil)
		if k := know("failed"); k == nil || k.Agent.Role != "failed" {
			t.Errorf("of an agent that was made at the second attempt is known %+v", k)
		}
		of := func(p nestor.Path, seq int64) *nestor.Change {
			return &nestor.Change{Type: nestor.Create, Path: p, Seq: seq, After: &nestor.Document{Path: p, Seq: seq}}
		}
		// The transaction that creates a task may be told of after its agent has begun.
		begin("told-late", nil, of(someChat.Child("tasks", "told-late"), 1), of(someChat.Child("tasks", "another"), 1<<40))
		if k := know("told-late"); k == nil {
			t.Error("what was there before, and tasks of others, make the agent unknown")
		}
		// So may the one of somebody who spoke to the agent, who has written it, too.
		spoken := someChat.Child("sub-agents", "spoken-to")
		again := of(spoken, 1<<40)
		again.Type = nestor.Update
		begin("spoken-to", nil, of(spoken.Child("messages", "m0"), 1<<40), again)
		if k := know("spoken-to"); k != nil {
			t.Errorf("what was said to the agent is missing: %+v", k)
		}
		if know("t") == nil {
			t.Error("other tasks of the chat make the agent unknown")
		}
		begin("bounded", nil, of(someChat, 1<<40))
		if k := know("bounded"); k != nil {
			t.Errorf("what became of the chat meanwhile is not seen: %+v", k)
		}
		begin("last", nil)
		write(elsewhere, someChat, nestor.Chat{Budget: &nestor.Budget{Tokens: 9}})
		write(s, "users/ann/notes/n", map[string]any{"text": "whoever writes finds out"})
		if k := know("last"); k != nil {
			t.Errorf("a budget that somebody else set is not seen: %+v", k)
		}
	})
}

func TestWhoeverEndsKnowsTheTaskAndAChatThatIsTheirsAlone(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		m := New(s)
		s.Observe(store.MemoryTurn, m.Follow)
		task, other := someChat.Child("tasks", "t"), someChat.Child("sub-agents", "b")
		put := func(p nestor.Path, body any) (d *nestor.Document) {
			t.Helper()
			if err := s.Update(t.Context(), func(tx store.Tx) (err error) {
				d, err = tx.Put(p, body, store.AnyVersion)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			return d
		}
		read := func(agents ...nestor.Path) {
			t.Helper()
			for _, p := range agents {
				if k, err := m.Read(t.Context(), p); err != nil || k == nil {
					t.Fatal(k, err)
				}
			}
		}
		put(someChat, nestor.Chat{})
		put(task, nestor.Task{Type: nestor.TaskAgent, Name: "agent:general", Status: nestor.TaskRunning})
		put(someAgent, nestor.SubAgent{TaskID: "t", Role: "general", Status: nestor.SubAgentActive})
		put(other, nestor.SubAgent{TaskID: "u", Role: "general", Status: nestor.SubAgentActive})

		read(someAgent)
		chatNow := put(someChat, nestor.Chat{Title: "after it was read"})
		taskNow := put(task, nestor.Task{Type: nestor.TaskAgent, Name: "agent:general", Status: nestor.TaskRunning, Steps: 1})
		if taskDoc, chat := m.LastOf(someAgent, task); taskDoc == nil || taskDoc.Seq != taskNow.Seq || chat == nil || chat.Seq != chatNow.Seq {
			t.Errorf("it knows %v and %v, want %v and %v", taskDoc, chat, taskNow, chatNow)
		}
		if taskDoc, chat := m.LastOf(someAgent, task); taskDoc != nil || chat != nil {
			t.Errorf("it knows %v and %v after it was forgotten", taskDoc, chat)
		}
		read(someAgent, other)
		if taskDoc, chat := m.LastOf(someAgent, task); taskDoc == nil || chat != nil {
			t.Errorf("beside another agent of the chat it knows %v and %v", taskDoc, chat)
		}
	})
}

func TestWhatIsWrittenWhileAnAgentIsReadIsNotLost(t *testing.T) {
	at := func(p nestor.Path, seq int64, data string) *nestor.Document {
		return &nestor.Document{Path: p, Seq: seq, CreatedSeq: seq, Version: 1, Data: []byte(data)}
	}
	said := func(id string, seq int64) *nestor.Change {
		d := at(someAgent.Child("messages", id), seq, `{"role":"user","content":"`+id+`"}`)
		return &nestor.Change{Type: nestor.Create, Path: d.Path, Seq: seq, After: d}
	}
	step := func(after, seq int64) *nestor.Change {
		d := at(someAgent, seq, `{"iterationCount":`+fmt.Sprint(seq)+`}`)
		return &nestor.Change{Type: nestor.Update, Path: someAgent, Seq: seq, Before: at(someAgent, after, `{}`), After: d}
	}
	spent := func(budget string) *nestor.Change {
		d := at(someChat, 9, `{`+budget+`}`)
		return &nestor.Change{Type: nestor.Update, Path: someChat, Seq: 9, Before: at(someChat, 2, `{}`), After: d}
	}
	read := basis{[]nestor.Path{someAgent, someChat}, []*nestor.Document{at(someAgent, 4, `{}`), at(someChat, 2, `{}`)}}
	for _, tt := range []struct {
		name      string
		meanwhile []*nestor.Change
		want      string // "" if it is not remembered
	}{
		{"nothing", nil, "step 4: m3"},
		{"what was read", []*nestor.Change{said("m3", 3), step(1, 4)}, "step 4: m3"},
		{"more", []*nestor.Change{said("m5", 5), step(4, 6)}, "step 6: m3 m5"},
		{"a step after another node's", []*nestor.Change{said("m7", 7), step(6, 8)}, ""},
		{"something in another order", []*nestor.Change{said("m7", 7), said("m5", 5)}, ""},
		{"a message that changes", []*nestor.Change{{Type: nestor.Update, Path: someAgent.Child("messages", "m3")}}, ""},
		{"what its chat spent", []*nestor.Change{spent("")}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var m Memory
			r := m.expect(someAgent)
			if m.recall(someAgent) != nil {
				t.Error("it is remembered before it is read")
			}
			for _, c := range tt.meanwhile {
				m.note(c)
			}
			m.keep(someAgent, r, &Known{
				Read: at(someAgent, 4, `{}`), Agent: nestor.SubAgent{Meta: nestor.Meta{Seq: 4}, IterationCount: 4}, basis: read,
				Said: conversation.Messages{conversation.NewUtterance(nestor.SubAgentMessage{Meta: nestor.Meta{ID: "m3", Seq: 3, CreatedSeq: 3}, Content: "m3"})},
			})
			got := ""
			if k := m.recall(someAgent); k != nil {
				got = fmt.Sprintf("step %d:", k.Agent.IterationCount)
				for _, u := range k.Said {
					got += " " + u.Content
				}
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	for budget, kept := range map[string]bool{"": true, `"budget":{"tokens":1}`: false} {
		var m Memory
		m.keep(someAgent, m.expect(someAgent), &Known{Read: at(someAgent, 4, `{}`), basis: read})
		m.note(spent(budget))
		if got := m.recall(someAgent) != nil; got != kept {
			t.Errorf("after a change of its chat to {%s} it is remembered: %v", budget, got)
		}
	}
}
