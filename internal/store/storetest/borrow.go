package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// A call stores its result in the message that answers it, and its arguments in the one
// that asked for it. Nothing of that is to be seen.
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
	{name: "arguments that are stored in the message are read as they were written, everywhere, also after the call has ended", run: func(e *env) {
		agent := e.agent("u1", "c1", "a1")
		for i, args := range oddArguments {
			ask := agent.Child("messages", fmt.Sprint("m", i))
			for k, want := range e.asked(agent, ask.ID(), args, args) {
				e.same(want, e.get(want.Path))
				e.update(func(tx store.Tx) (err error) {
					d, err := tx.Get(want.Path)
					if err != nil {
						return err
					}
					e.same(want, d)
					want, err = tx.Patch(want.Path, raw(`{"status":"running"}`), store.AnyVersion)
					return err
				})
				e.same(want, e.get(want.Path))
				e.update(func(tx store.Tx) (err error) {
					if want, err = tx.Patch(want.Path, map[string]any{"status": "success", "result": oddText}, store.AnyVersion); err == nil {
						_, err = tx.Create(agent.Child("messages", fmt.Sprintf("answer-%d-%d", i, k)), nestor.SubAgentMessage{
							Role: nestor.RoleTool, Content: oddText, ToolCallID: want.Path.ID(),
						})
					}
					return err
				})
				e.same(want, e.get(want.Path))
				e.same(want, e.query(store.Query{Collection: string(agent) + "/tool-calls", Where: store.Where("id", store.Eq, want.Path.ID()), Limit: 1}).Items[0])
			}
		}
		for _, c := range e.changes(0) {
			if store.SubAgentToolCalls.Has(c.Path) && argsOf(c.After) != argsOf(e.get(c.Path)) {
				e.Errorf("the log has %s", c.After.Data)
			}
		}
	}},
	{name: "arguments outlive the message that they are stored in", run: func(e *env) {
		agent := e.agent("u1", "c1", "a1")
		for i, change := range []func(p nestor.Path){
			func(p nestor.Path) { e.delete(p) },
			func(p nestor.Path) { e.put(p, raw(`{"role":"assistant","content":"another"}`)) },
			func(p nestor.Path) {
				e.put(p, nestor.SubAgentMessage{Role: nestor.RoleAssistant, ToolCalls: calls("x")})
			},
			func(p nestor.Path) {
				e.put(p, nestor.SubAgentMessage{Role: nestor.RoleAssistant, ToolCalls: calls(p.ID(), oddArguments[0])})
			},
			func(p nestor.Path) {
				e.put(p, nestor.SubAgentMessage{Role: nestor.RoleAssistant, ToolCalls: calls(p.ID(), `{}`, oddArguments[1])})
			},
			func(p nestor.Path) { // a call is written before the message, and another after it
				e.update(func(tx store.Tx) error {
					for _, of := range []nestor.Path{agent.Child("tool-calls", p.ID()+"-0"), p, agent.Child("tool-calls", p.ID()+"-1")} {
						if _, err := tx.Patch(of, raw(`{"toolCalls":null}`), store.AnyVersion); err != nil {
							return err
						}
					}
					return nil
				})
			},
		} {
			ask := agent.Child("messages", fmt.Sprint("m", i))
			want := e.asked(agent, ask.ID(), oddArguments[0], oddArguments[1])
			change(ask)
			for _, w := range want {
				if got := e.get(w.Path); argsOf(got) != argsOf(w) {
					e.Errorf("got  %s\nwant %s", got.Data, w.Data)
				}
			}
		}
	}},
	{name: "a call whose arguments change has those that were written", run: func(e *env) {
		agent := e.agent("u1", "c1", "a1")
		inner := `{"text":"` + strings.Repeat("inner ", 20) + `"}`
		call := e.asked(agent, "m1", `{"args": `+inner+`}`)[0].Path
		for _, args := range []string{inner, `{"args":` + inner + `}`, `{}`} {
			var want *nestor.Document
			e.update(func(tx store.Tx) (err error) {
				want, err = tx.Put(call, nestor.ToolCall{ToolName: "x", Args: raw(args), Status: nestor.ToolCallPending, MessageID: "m1"}, store.AnyVersion)
				return err
			})
			e.same(want, e.get(call))
		}
	}},
	{name: "a call whose arguments hold what the message has does not borrow them", run: func(e *env) {
		agent := e.agent("u1", "c1", "a1")
		inner := `{"text":"` + strings.Repeat("inner ", 20) + `"}`
		call := agent.Child("tool-calls", "m1-0")
		var want *nestor.Document
		e.update(func(tx store.Tx) (err error) {
			if _, err = tx.Create(agent.Child("messages", "m1"), nestor.SubAgentMessage{Role: nestor.RoleAssistant, ToolCalls: calls("m1", inner)}); err == nil {
				want, err = tx.Create(call, nestor.ToolCall{ToolName: "x", Args: raw(`{"args":` + inner + `}`), Status: nestor.ToolCallPending, MessageID: "m1"})
			}
			return err
		})
		e.same(want, e.get(call))
		e.update(func(tx store.Tx) (err error) {
			want, err = tx.Patch(call, raw(`{"status":"running"}`), store.AnyVersion)
			return err
		})
		e.same(want, e.get(call))
		e.delete(agent.Child("messages", "m1"))
		e.same(want, e.get(call))
	}},
	{name: "a call has its arguments whichever message it names", run: func(e *env) {
		agent := e.agent("u1", "c1", "a1")
		call := agent.Child("tool-calls", "t-0")
		text := func(of string) string { return `{"text":"` + strings.Repeat(of, 80) + `"}` }
		message := func(of ...string) nestor.SubAgentMessage {
			var list []nestor.ToolRequest
			for _, each := range of {
				list = append(list, calls("t", text(each))...)
			}
			return nestor.SubAgentMessage{Role: nestor.RoleAssistant, ToolCalls: list}
		}
		for _, names := range []string{"", "nobody", "m1", "m2", "m3"} {
			want := raw(text("a"))
			e.update(func(tx store.Tx) error {
				for _, w := range []struct {
					path nestor.Path
					body any
				}{
					{agent.Child("messages", "m1"), message("a")},
					{call, nestor.ToolCall{ToolName: "x", Args: want, Status: nestor.ToolCallPending, MessageID: names}},
					{agent.Child("messages", "m2"), message("b")},
					{agent.Child("messages", "m3"), message("a", "b", "a")}, // of one id
				} {
					if _, err := tx.Create(w.path, w.body); err != nil {
						return err
					}
				}
				return nil
			})
			has := func() {
				e.Helper()
				if got := argsOf(e.get(call)); got != string(want) {
					e.Errorf("a call that names %q has the arguments %.30s, want %.30s", names, got, want)
				}
			}
			has()
			e.delete(agent.Child("messages", "m2")) // whose call has the same id
			has()
			e.update(func(tx store.Tx) error {
				_, err := tx.Patch(call, raw(`{"messageId":"another"}`), store.AnyVersion)
				return err
			})
			has()
			e.delete(agent.Child("messages", "m1"))
			has()
			e.delete(agent.Child("messages", "m3"))
			has()
			e.delete(call)
		}
	}},
	{name: "queries see arguments that are stored in messages", run: func(e *env) {
		agent := e.agent("u1", "c1", "a1")
		long := strings.Repeat("é", 100)
		e.asked(agent, "m", `{"zone": "b", "n": 2, "deep": {"x": true}, "body": "a letter", "long": "`+long+`"}`, `{"zone": "a", "n": 10, "deep": {"x": false}, "long": "`+long+`"}`, `{"zone":"c"}`,
			`{"twice": "first", "twice": "second", "n": 1, "long": "`+long+`"}`)
		for _, c := range []struct {
			where *store.Filter
			want  string
		}{
			{store.Where("args.zone", store.Eq, "a"), "[m-1]"},
			{store.Where("args.zone", store.Gt, "a"), "[m-0 m-2]"},
			{store.Where("args.n", store.Gt, 2), "[m-1]"},
			{store.Where("args.deep.x", store.Eq, true), "[m-0]"},
			{store.Where("args.long", store.Eq, nil), "[m-2]"},
			{store.Where("args.twice", store.Eq, "second"), "[m-3]"},
			{store.Where("args.body", store.Eq, "a letter"), "[m-0]"}, // which is the name of a column, too
		} {
			q := store.Query{Collection: string(agent) + "/tool-calls", Limit: 9, Where: c.where}
			if got := fmt.Sprint(ids(e.query(q))); got != c.want {
				e.Errorf("%v: %s, want %s", c.where, got, c.want)
			}
		}
		sorted := store.Query{Collection: string(agent) + "/tool-calls", Limit: 9, OrderBy: []store.Order{{Field: "args.n", Desc: true}}}
		if got := fmt.Sprint(ids(e.query(sorted))); got != "[m-1 m-0 m-3 m-2]" {
			e.Errorf("sorted by a number: %s", got)
		}
	}},
	{name: "calls and messages are what was written last, whatever was written before", run: func(e *env) {
		run := 0
		rapid.Check(e.T, func(r *rapid.T) {
			run++
			agent := e.agent("u1", fmt.Sprint("c", run), "a1")
			docs := map[nestor.Path]*nestor.Document{}
			for range rapid.IntRange(1, 6).Draw(r, "transactions") {
				var writes []func(store.Tx) error
				for range rapid.IntRange(1, 4).Draw(r, "writes") {
					writes = append(writes, e.someWrite(r, agent, docs))
				}
				e.update(func(tx store.Tx) error {
					for _, write := range writes {
						if err := write(tx); err != nil {
							return err
						}
					}
					return nil
				})
				for p, want := range docs {
					switch got := e.get(p); {
					case want == nil && got != nil:
						r.Fatalf("%s is there: %s", p, got.Data)
					case want != nil && got == nil:
						r.Fatalf("%s is gone", p)
					case want != nil && string(got.Data) != string(want.Data):
						r.Fatalf("%s is %s, %s was written", p, got.Data, want.Data)
					}
				}
			}
		})
	}},
	{name: "a body that looks as if it borrowed does not", run: func(e *env) {
		agent := e.agent("u1", "c1", "a1")
		for i, args := range []string{
			`{"resultIn":"answer"}`, `{"resultIn": "answer"}`, `{"a":"\"resultIn\": \"answer\""}`, `{"result":"` + strings.Repeat("x", 100) + `"}`,
			`{"argsIn":"message"}`, `{"argsIn": "message"}`,
		} {
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

// oddArguments are what models write: with spaces, fields in any order, texts escaped in
// several ways, numbers in several forms, a field twice, and no JSON at all.
var oddArguments = []string{
	`{"path": "/a", "content": "` + strings.Repeat("line\n", 20) + `"}`,
	`{"content":"` + strings.Repeat("line\n", 20) + `","path":"/a"}`,
	"{\n\t\"z\": [ 1, {\"b\": null, \"a\": true} ],\n\t\"text\": \"" + strings.Repeat("é🌧 <&> ", 20) + "\"\n}",
	`{"text": "` + strings.Repeat(`\u00e9\/`, 20) + `"}`,
	`{"n": 1.0, "e": 1e3, "text": "` + strings.Repeat("x", 80) + `"}`,
	`{"a": "first", "a": "` + strings.Repeat("second", 20) + `"}`,
	`{"argsIn": "message", "resultIn": "answer", "text": "` + strings.Repeat("x", 80) + `"}`,
	strings.Repeat("not JSON ", 20),
}

// asked writes a message that calls a tool with some arguments, and the calls, which it
// returns.
func (e *env) asked(agent nestor.Path, message string, arguments ...string) (docs []*nestor.Document) {
	e.Helper()
	e.update(func(tx store.Tx) error {
		docs = nil
		for i, c := range calls(message, arguments...) {
			args := raw(c.Function.Arguments)
			if store.CheckField(args) != nil {
				args = raw(fmt.Sprintf("%q", c.Function.Arguments))
			}
			d, err := tx.Create(agent.Child("tool-calls", c.ID), nestor.ToolCall{ToolName: "x", Args: args, Status: nestor.ToolCallPending, MessageID: message})
			if err != nil {
				return err
			}
			if docs = append(docs, d); i == 0 { // between the calls
				_, err = tx.Create(agent.Child("messages", message), nestor.SubAgentMessage{Role: nestor.RoleAssistant, ToolCalls: calls(message, arguments...)})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return docs
}

// someWrite puts or deletes a message that asks for calls, one that answers a call, or a
// call, and notes what is there then.
func (e *env) someWrite(r *rapid.T, agent nestor.Path, docs map[nestor.Path]*nestor.Document) func(store.Tx) error {
	short, long := `{"text":"`+strings.Repeat("x", 80)+`"}`, `{"b": "`+strings.Repeat("y", 80)+`", "a": 1}`
	arguments := rapid.SampledFrom([]string{short, long, `{"args":` + short + `}`, `{}`})
	results := rapid.SampledFrom([]string{oddText, strings.Repeat("z", 80), "short", ""})
	call := rapid.SampledFrom([]string{"t0", "t1"}).Draw(r, "call")
	message := rapid.SampledFrom([]string{"m0", "m1"}).Draw(r, "message")
	var p nestor.Path
	var body any
	switch rapid.IntRange(0, 2).Draw(r, "kind") {
	case 0:
		m := nestor.SubAgentMessage{Role: nestor.RoleAssistant}
		for range rapid.IntRange(0, 2).Draw(r, "calls") {
			id := rapid.SampledFrom([]string{"t0", "t1"}).Draw(r, "asked")
			m.ToolCalls = append(m.ToolCalls, nestor.ToolRequest{ID: id, Type: "function", Function: nestor.FunctionCall{Name: "x", Arguments: arguments.Draw(r, "arguments")}})
		}
		p, body = agent.Child("messages", message), m
	case 1:
		p, body = agent.Child("messages", "answer-"+call), nestor.SubAgentMessage{Role: nestor.RoleTool, Content: results.Draw(r, "content"), ToolCallID: call}
	default:
		p, body = agent.Child("tool-calls", call), nestor.ToolCall{
			ToolName: "x", Args: raw(arguments.Draw(r, "args")), Result: results.Draw(r, "result"), MessageID: message,
			Status: rapid.SampledFrom([]nestor.ToolCallStatus{nestor.ToolCallPending, nestor.ToolCallSuccess}).Draw(r, "status"),
		}
	}
	deletes := rapid.IntRange(0, 4).Draw(r, "deletes") == 0
	return func(tx store.Tx) (err error) {
		if !deletes {
			docs[p], err = tx.Put(p, body, store.AnyVersion)
			return err
		}
		if err = tx.Delete(p, store.AnyVersion); errors.Is(err, nestor.ErrNotFound) {
			return nil
		}
		docs[p] = nil
		return err
	}
}

// argsOf is the field as it stands in the body.
func argsOf(d *nestor.Document) string {
	var body struct{ Args json.RawMessage }
	if err := json.Unmarshal(d.Data, &body); err != nil {
		return err.Error()
	}
	return string(body.Args)
}

// calls are those of a message.
func calls(message string, arguments ...string) (list []nestor.ToolRequest) {
	for i, text := range arguments {
		list = append(list, nestor.ToolRequest{
			ID: fmt.Sprint(message, "-", i), Type: "function", Function: nestor.FunctionCall{Name: "x", Arguments: text},
		})
	}
	return list
}

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
