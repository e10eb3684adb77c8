package storetest

import (
	"fmt"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// A call stores its result in the message that answers it. Nothing of that is to be
// seen.
var borrowTests = []test{
	{name: "a result that is stored in the answer is read as it was written, everywhere", run: func(e *env) {
		agent := e.agent("u1", "c1", "a1")
		call := agent.Child("tool-calls", "t1")
		want := e.answered(agent, "t1", "m1", oddText)
		e.same(want, e.get(call))
		page := e.query(store.Query{Collection: string(agent) + "/tool-calls", Limit: 10})
		e.same(want, page.Items[0])
		for _, c := range e.changes(0) {
			if c.Path == call {
				e.same(want, c.After)
			}
		}
		scope, err := store.DefaultCatalogue.Scope(string(agent) + "/tool-calls")
		e.must(err)
		delta, err := e.s.Since(e.ctx(), scope, store.Position{}, 10)
		e.must(err)
		e.same(want, delta.Items[0].Document)
		var inside, below *nestor.Document
		e.update(func(tx store.Tx) (err error) {
			if inside, err = tx.Get(call); err != nil {
				return err
			}
			docs, err := tx.Below(agent)
			for _, d := range docs {
				if d.Path == call {
					below = d
				}
			}
			return err
		})
		e.same(want, inside)
		e.same(want, below)
	}},
	{name: "a result outlives the message that it is stored in", run: func(e *env) {
		agent := e.agent("u1", "c1", "a1")
		for i, change := range []func(p nestor.Path){
			func(p nestor.Path) { e.delete(p) },
			func(p nestor.Path) { e.put(p, raw(`{"role":"tool","content":"another","toolCallId":"t1"}`)) },
			func(p nestor.Path) { e.put(p, raw(`{"role":"tool","content":"another","toolCallId":"nobody's"}`)) },
			func(p nestor.Path) {
				e.update(func(tx store.Tx) error {
					_, err := tx.Patch(p, raw(`{"name":"renamed"}`), store.AnyVersion)
					return err
				})
			},
		} {
			id := fmt.Sprintf("t%d", i)
			want := e.answered(agent, id, "m"+id, oddText+id)
			change(agent.Child("messages", "m"+id))
			e.same(want, e.get(agent.Child("tool-calls", id)))
		}
	}},
	{name: "an answer that says something else in the same transaction lends nothing", run: func(e *env) {
		agent := e.agent("u1", "c1", "a1")
		var want *nestor.Document
		e.update(func(tx store.Tx) (err error) {
			want, err = e.answer(tx, agent, "t1", "m1", oddText)
			if err != nil {
				return err
			}
			_, err = tx.Put(agent.Child("messages", "m1"), nestor.SubAgentMessage{Role: nestor.RoleTool, Content: "another", ToolCallID: "t1"}, store.AnyVersion)
			return err
		})
		e.same(want, e.get(agent.Child("tool-calls", "t1")))
		var after *nestor.Document
		e.update(func(tx store.Tx) error {
			m := agent.Child("messages", "m2")
			if _, err := tx.Create(m, nestor.SubAgentMessage{Role: nestor.RoleTool, Content: oddText, ToolCallID: "t2"}); err != nil {
				return err
			}
			_, err := tx.Put(m, nestor.SubAgentMessage{Role: nestor.RoleTool, Content: oddText, ToolCallID: "t3"}, store.AnyVersion)
			if err == nil {
				after, err = tx.Create(agent.Child("tool-calls", "t2"), nestor.ToolCall{ToolName: "x", Status: nestor.ToolCallSuccess, Result: oddText})
			}
			return err
		})
		e.same(after, e.get(agent.Child("tool-calls", "t2")))
	}},
	{name: "a call that ends is updated with a result that is stored in the answer", run: func(e *env) {
		agent := e.agent("u1", "c1", "a1")
		call := agent.Child("tool-calls", "t1")
		e.create(call, nestor.ToolCall{ToolName: "x", Status: nestor.ToolCallPending})
		var want *nestor.Document
		e.update(func(tx store.Tx) (err error) {
			want, err = tx.Put(call, nestor.ToolCall{ToolName: "x", Status: nestor.ToolCallSuccess, Result: oddText}, store.AnyVersion)
			if err == nil {
				_, err = tx.Create(agent.Child("messages", "m1"), nestor.SubAgentMessage{Role: nestor.RoleTool, Content: oddText, ToolCallID: "t1"})
			}
			return err
		})
		e.same(want, e.get(call))
		e.delete(agent) // and both go together
		if e.get(call) != nil {
			e.Error("the call is still there")
		}
		changes := e.changes(0)
		for _, c := range changes {
			if c.Path == call && c.Type == nestor.Delete {
				e.same(want, c.Before)
			}
		}
	}},
	{name: "queries see results that are stored in answers", run: func(e *env) {
		agent := e.agent("u1", "c1", "a1")
		for i, text := range []string{"b", "a", "c"} {
			e.answered(agent, fmt.Sprintf("t%d", i), fmt.Sprintf("m%d", i), strings.Repeat(text, 100))
		}
		e.create(agent.Child("tool-calls", "t3"), nestor.ToolCall{ToolName: "x", Status: nestor.ToolCallPending})
		q := store.Query{Collection: string(agent) + "/tool-calls", Limit: 2, OrderBy: []store.Order{{Field: "result"}}}
		page := e.query(q)
		q.Cursor = page.Next
		if got := fmt.Sprint(ids(page), ids(e.query(q))); got != "[t3 t1] [t0 t2]" {
			e.Errorf("sorted by result: %s", got)
		}
		for _, c := range []struct {
			where *store.Filter
			want  string
		}{
			{store.Where("result", store.Eq, strings.Repeat("a", 100)), "[t1]"},
			{store.Where("result", store.Gt, strings.Repeat("a", 100)), "[t0 t2]"},
			{store.Where("result", store.Eq, nil), "[t3]"},
		} {
			q := store.Query{Collection: string(agent) + "/tool-calls", Limit: 9, Where: c.where}
			if got := fmt.Sprint(ids(e.query(q))); got != c.want {
				e.Errorf("%v: %s, want %s", c.where, got, c.want)
			}
			if n := e.count(q); n != len(strings.Fields(c.want)) {
				e.Errorf("%v: %d are counted", c.where, n)
			}
		}
	}},
	{name: "a body that looks as if it borrowed does not", run: func(e *env) {
		agent := e.agent("u1", "c1", "a1")
		for i, args := range []string{`{"resultIn":"answer"}`, `{"resultIn": "answer"}`, `{"a":"\"resultIn\": \"answer\""}`, `{"result":"` + strings.Repeat("x", 100) + `"}`} {
			id := fmt.Sprintf("t%d", i)
			var want *nestor.Document
			e.update(func(tx store.Tx) (err error) {
				want, err = tx.Create(agent.Child("tool-calls", id), nestor.ToolCall{
					ToolName: "x", Status: nestor.ToolCallSuccess, Args: raw(args), Result: strings.Repeat("x", 100),
				})
				if err == nil {
					_, err = tx.Create(agent.Child("messages", id), nestor.SubAgentMessage{Role: nestor.RoleTool, Content: strings.Repeat("x", 100), ToolCallID: id})
				}
				return err
			})
			e.same(want, e.get(agent.Child("tool-calls", id)))
			e.delete(agent.Child("messages", id))
			e.same(want, e.get(agent.Child("tool-calls", id)))
		}
	}},
}

// oddText is long and has whatever JSON writes in a special way.
var oddText = strings.Repeat("1234567890", 10) + "\"\\/\b\f\n\r\t\x7f <&> \u2028 é 🌧 ' %s $1 ? \"resultIn\": \"answer\""

func (e *env) agent(user, chat, id string) nestor.Path {
	e.Helper()
	p := e.chat(user, chat).Child("sub-agents", id)
	e.create(p, nestor.SubAgent{TaskID: "task-" + id, Role: "general", Status: nestor.SubAgentActive})
	return p
}

// answered writes a call and the message that answers it, and returns the call.
func (e *env) answered(agent nestor.Path, call, message, text string) (d *nestor.Document) {
	e.Helper()
	e.update(func(tx store.Tx) (err error) {
		d, err = e.answer(tx, agent, call, message, text)
		return err
	})
	return d
}

func (e *env) answer(tx store.Tx, agent nestor.Path, call, message, text string) (*nestor.Document, error) {
	d, err := tx.Create(agent.Child("tool-calls", call), nestor.ToolCall{
		ToolName: "x", Args: raw(`{"zone":"é"}`), Status: nestor.ToolCallSuccess, Result: text, StartedAt: 1,
	})
	if err == nil {
		_, err = tx.Create(agent.Child("messages", message), nestor.SubAgentMessage{Role: nestor.RoleTool, Content: text, ToolCallID: call})
	}
	return d, err
}

// same compares documents byte by byte.
func (e *env) same(want, got *nestor.Document) {
	e.Helper()
	if got == nil || string(got.Data) != string(want.Data) || got.Version != want.Version || got.Seq != want.Seq {
		e.Errorf("got  %+v\nwant %+v", got, want)
	}
}
