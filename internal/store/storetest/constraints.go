package storetest

import (
	"fmt"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

var constraintTests = []test{
	{name: "a document below a chat needs the chat", run: func(e *env) {
		err := e.s.Update(e.ctx(), func(tx store.Tx) error {
			_, err := tx.Create("users/u1/orch-chats/none/messages/m1", nestor.Message{Role: "user", Content: "x"})
			return err
		})
		e.code(nestor.CodeNotFound, err)
	}},
	{name: "chat and message can be created in one transaction", run: func(e *env) {
		e.update(func(tx store.Tx) error {
			if _, err := tx.Create("users/u1/orch-chats/c1", nestor.Chat{}); err != nil {
				return err
			}
			_, err := tx.Create("users/u1/orch-chats/c1/messages/m1", nestor.Message{Role: "user", Content: "x"})
			return err
		})
	}},
	{name: "a task never gets a second sub-agent", run: func(e *env) {
		chat := e.chat("u1", "c1")
		e.create(chat.Child("sub-agents", "a1"), nestor.SubAgent{TaskID: "t1", Role: "general", Status: "active"})
		err := e.s.Update(e.ctx(), func(tx store.Tx) error {
			_, err := tx.Create(chat.Child("sub-agents", "a2"), nestor.SubAgent{TaskID: "t1", Role: "general", Status: "active"})
			return err
		})
		e.code(nestor.CodeExists, err)
		if text, ok := nestor.PublicText(err); !ok || text != "another document has that value, which must be unique" {
			e.Errorf("people are told %q of %v", text, err)
		}
		other := e.chat("u2", "c1") // the same ids of another user do not collide
		e.create(other.Child("sub-agents", "a1"), nestor.SubAgent{TaskID: "t1", Role: "general", Status: "active"})
	}},
	{name: "a tool call is answered once", run: func(e *env) {
		chat := e.chat("u1", "c1")
		agent := chat.Child("sub-agents", "a1")
		e.create(agent, nestor.SubAgent{TaskID: "t1", Role: "general", Status: "active"})
		answer := nestor.SubAgentMessage{Role: "tool", ToolCallID: "k1", Content: "4"}
		e.create(agent.Child("messages", "m1"), answer)
		err := e.s.Update(e.ctx(), func(tx store.Tx) error {
			_, err := tx.Create(agent.Child("messages", "m2"), answer)
			return err
		})
		e.code(nestor.CodeExists, err)
	}},
	{name: "the schema refuses wrong values, missing and unknown fields", run: func(e *env) {
		chat := e.chat("u1", "c1")
		for name, body := range map[string]string{
			"a status that is none":    `{"type":"agent","name":"agent:general","instruction":"","status":"sleeping"}`,
			"an empty status":          `{"type":"agent","name":"agent:general","instruction":"","status":""}`,
			"a missing type":           `{"name":"agent:general","instruction":"","status":"pending"}`,
			"an unknown field":         `{"type":"agent","name":"x","instruction":"","status":"pending","colour":"red"}`,
			"a number instead of text": `{"type":"agent","name":5,"instruction":"","status":"pending"}`,
		} {
			err := e.s.Update(e.ctx(), func(tx store.Tx) error {
				_, err := tx.Create(chat.Child("tasks", "t1"), raw(body))
				return err
			})
			if nestor.CodeOf(err) != nestor.CodeInvalid {
				e.Errorf("%s: %v", name, err)
			}
		}
		if e.get(chat.Child("tasks", "t1")) != nil {
			e.Error("one of them was written")
		}
	}},
	{name: "a task that is created without a status is pending, and keeps having one", run: func(e *env) {
		chat := e.chat("u1", "c1")
		const body = `{"type":"agent","name":"agent:general","instruction":""}`
		for id, write := range map[string]func(tx store.Tx, p nestor.Path) (*nestor.Document, error){
			"created": func(tx store.Tx, p nestor.Path) (*nestor.Document, error) { return tx.Create(p, raw(body)) },
			"put": func(tx store.Tx, p nestor.Path) (*nestor.Document, error) {
				return tx.Put(p, raw(body), store.AnyVersion)
			},
		} {
			p := chat.Child("tasks", id)
			err := e.s.Update(e.ctx(), func(tx store.Tx) error {
				_, err := write(tx, p)
				return err
			})
			if err != nil {
				e.Fatalf("%s: %v", id, err)
			}
			pending := func() bool {
				task, err := nestor.As[nestor.Task](e.get(p))
				return err == nil && task.Status == nestor.TaskPending
			}
			if !pending() {
				e.Errorf("%s: %s", id, e.get(p).Data)
			}
			for name, change := range map[string]func(tx store.Tx) error{
				"replaced": func(tx store.Tx) error {
					_, err := tx.Put(p, raw(body), store.AnyVersion)
					return err
				},
				"patched": func(tx store.Tx) error {
					_, err := tx.Patch(p, raw(`{"status":null}`), store.AnyVersion)
					return err
				},
			} {
				if err := e.s.Update(e.ctx(), change); nestor.CodeOf(err) != nestor.CodeInvalid {
					e.Errorf("%s and then %s without one: %v", id, name, err)
				}
			}
			if !pending() || e.get(p).Version != 1 {
				e.Errorf("%s: %s", id, e.get(p).Data)
			}
		}
	}},
	{name: "a failing write leaves the transactions beside it alone", run: func(e *env) {
		e.create("users/u1/notes/taken", raw(`{}`))
		results := make(chan error, 40)
		for i := range 40 {
			go func() {
				results <- e.s.Update(e.ctx(), func(tx store.Tx) error {
					if _, err := tx.Create(nestor.Path(fmt.Sprintf("users/u1/notes/n%d", i)), raw(`{}`)); err != nil {
						return err
					}
					if i%2 == 0 {
						_, err := tx.Create("users/u1/notes/taken", raw(`{}`))
						return err
					}
					return nil
				})
			}()
		}
		failed := 0
		for range 40 {
			if err := <-results; err != nil {
				e.code(nestor.CodeExists, err)
				failed++
			}
		}
		if n := len(e.query(store.Query{Collection: "users/u1/notes"}).Items); failed != 20 || n != 21 {
			e.Errorf("%d failed, %d documents: want 20 and 21", failed, n)
		}
	}},
}
