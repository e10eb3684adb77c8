package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

var documentTests = []test{
	{name: "a ping writes, and no document", run: func(e *env) {
		e.create("users/u1/notes/n1", raw(`{}`))
		before := e.lastSeq()
		for range 3 {
			e.must(e.s.Ping(e.ctx()))
		}
		if after := e.lastSeq(); after != before {
			e.Errorf("the log went on from %d to %d", before, after)
		}
		e.must(e.s.Close())
		if err := e.s.Ping(e.ctx()); err == nil {
			e.Error("a database that is closed answers")
		}
	}},
	{name: "a transaction that is under way when the database is closed ends", run: func(e *env) {
		for range 20 { // which of its ends it meets is chance
			err := e.s.Update(e.ctx(), func(tx store.Tx) error {
				e.must(e.s.Close())
				_, err := tx.Query(store.Query{Collection: "users/u1/notes"})
				return err
			})
			e.code(nestor.CodeUnavailable, err)
		}
	}},
	{name: "a created document reads back as written, with what the server adds", run: func(e *env) {
		d := e.create("users/u1/notes/n1", raw(`{"text":"hi","n":1}`))
		got := e.get("users/u1/notes/n1")
		if string(got.Data) != `{"n":1,"text":"hi"}` {
			e.Errorf("the body is %s", got.Data)
		}
		if got.Version != 1 || got.Seq == 0 || got.CreatedAt == 0 || got.CreatedAt != got.UpdatedAt {
			e.Errorf("version %d, seq %d, createdAt %d, updatedAt %d", got.Version, got.Seq, got.CreatedAt, got.UpdatedAt)
		}
		if d.Seq != got.Seq || d.Version != got.Version {
			e.Errorf("the document Create returned has seq %d version %d, stored are %d and %d", d.Seq, d.Version, got.Seq, got.Version)
		}
	}},
	{name: "documents of a flat collection carry the ids on their path", run: func(e *env) {
		chat := e.chat("u1", "c1")
		e.create(chat.Child("messages", "m1"), nestor.Message{Role: nestor.RoleUser, Content: "hi"})
		m, err := nestor.As[nestor.Message](e.get(chat.Child("messages", "m1")))
		e.must(err)
		if m.ID != "m1" || m.ChatID != "c1" || m.UserID != "u1" || m.Content != "hi" || m.Role != nestor.RoleUser {
			e.Errorf("got %+v", m)
		}
	}},
	{name: "an id in the body that contradicts the path is refused", run: func(e *env) {
		chat := e.chat("u1", "c1")
		err := e.s.Update(e.ctx(), func(tx store.Tx) error {
			_, err := tx.Create(chat.Child("messages", "m1"), raw(`{"role":"user","content":"","chatId":"c2"}`))
			return err
		})
		e.code(nestor.CodeInvalid, err)
	}},
	{name: "reserved fields in a body are ignored", run: func(e *env) {
		e.create("users/u1/notes/n1", raw(`{"id":"x","version":7,"seq":9,"createdAt":1,"updatedAt":2,"deleted":true,"a":1}`))
		d := e.get("users/u1/notes/n1")
		if string(d.Data) != `{"a":1}` || d.Version != 1 || d.CreatedAt == 1 {
			e.Errorf("stored %s, version %d, createdAt %d", d.Data, d.Version, d.CreatedAt)
		}
	}},
	{name: "creating a document that exists fails and changes nothing", run: func(e *env) {
		e.create("users/u1/notes/n1", raw(`{"a":1}`))
		err := e.s.Update(e.ctx(), func(tx store.Tx) error {
			_, err := tx.Create("users/u1/notes/n1", raw(`{"a":2}`))
			return err
		})
		e.code(nestor.CodeExists, err)
		if d := e.get("users/u1/notes/n1"); string(d.Data) != `{"a":1}` || d.Version != 1 {
			e.Errorf("the document became %s at version %d", d.Data, d.Version)
		}
	}},
	{name: "put replaces, patch merges, and each raises the version by one", run: func(e *env) {
		p := nestor.Path("users/u1/notes/n1")
		first := e.create(p, raw(`{"a":1,"deep":{"x":1,"y":2}}`))
		e.update(func(tx store.Tx) error {
			_, err := tx.Patch(p, raw(`{"b":2,"deep":{"x":null,"z":3}}`), first.Version)
			return err
		})
		d := e.get(p)
		if string(d.Data) != `{"a":1,"b":2,"deep":{"y":2,"z":3}}` || d.Version != 2 || d.CreatedAt != first.CreatedAt {
			e.Errorf("after the patch: %s version %d", d.Data, d.Version)
		}
		e.put(p, raw(`{"c":3}`))
		if d := e.get(p); string(d.Data) != `{"c":3}` || d.Version != 3 || d.Seq <= first.Seq {
			e.Errorf("after the put: %s version %d seq %d", d.Data, d.Version, d.Seq)
		}
	}},
	{name: "a write with a stale version conflicts and changes nothing", run: func(e *env) {
		p := nestor.Path("users/u1/notes/n1")
		e.create(p, raw(`{"a":1}`))
		e.put(p, raw(`{"a":2}`))
		for name, write := range map[string]func(store.Tx) error{
			"put":    func(tx store.Tx) error { _, err := tx.Put(p, raw(`{}`), 1); return err },
			"patch":  func(tx store.Tx) error { _, err := tx.Patch(p, raw(`{}`), 1); return err },
			"delete": func(tx store.Tx) error { return tx.Delete(p, 1) },
		} {
			if err := e.s.Update(e.ctx(), write); nestor.CodeOf(err) != nestor.CodeConflict {
				e.Errorf("%s: %v", name, err)
			}
		}
		if d := e.get(p); string(d.Data) != `{"a":2}` || d.Version != 2 {
			e.Errorf("the document became %s at version %d", d.Data, d.Version)
		}
	}},
	{name: "a patch or delete of what is not there is not found", run: func(e *env) {
		e.code(nestor.CodeNotFound, e.s.Update(e.ctx(), func(tx store.Tx) error {
			_, err := tx.Patch("users/u1/notes/none", raw(`{}`), store.AnyVersion)
			return err
		}))
		e.code(nestor.CodeNotFound, e.s.Update(e.ctx(), func(tx store.Tx) error {
			return tx.Delete("users/u1/notes/none", store.AnyVersion)
		}))
		e.code(nestor.CodeNotFound, e.s.View(e.ctx(), func(r store.Reader) error {
			_, err := r.Get("users/u1/notes/none")
			return err
		}))
	}},
	{name: "a transaction sees its own writes and all become visible together", run: func(e *env) {
		e.update(func(tx store.Tx) error {
			if _, err := tx.Create("users/u1/notes/a", raw(`{"v":1}`)); err != nil {
				return err
			}
			d, err := tx.Get("users/u1/notes/a")
			if err != nil || string(d.Data) != `{"v":1}` {
				e.Errorf("inside the transaction: %v, %v", d, err)
			}
			page, err := tx.Query(store.Query{Collection: "users/u1/notes"})
			if err != nil {
				return err // perhaps to be run again
			}
			if len(page.Items) != 1 {
				e.Errorf("a query inside the transaction found %d documents", len(page.Items))
			}
			_, err = tx.Put("users/u1/notes/a", raw(`{"v":2}`), store.AnyVersion)
			return err
		})
		if d := e.get("users/u1/notes/a"); string(d.Data) != `{"v":2}` || d.Version != 2 {
			e.Errorf("stored %s at version %d", d.Data, d.Version)
		}
	}},
	{name: "an error undoes everything the transaction wrote, jobs and log included", run: func(e *env) {
		e.planner.jobs = jobPerChange
		boom := errors.New("boom")
		err := e.s.Update(e.ctx(), func(tx store.Tx) error {
			if _, err := tx.Create("users/u1/notes/a", raw(`{}`)); err != nil {
				return err
			}
			if _, err := tx.Query(store.Query{Collection: "users/u1/notes"}); err != nil { // forces the write out
				return err
			}
			return boom
		})
		if !errors.Is(err, boom) {
			e.Fatalf("the error is %v", err)
		}
		if e.get("users/u1/notes/a") != nil || len(e.changes(0)) != 0 || len(e.jobs()) != 0 {
			e.Error("something was left behind")
		}
	}},
	{name: "a panic in a transaction reaches its caller and undoes it", run: func(e *env) {
		func() {
			defer func() {
				if recover() != "ouch" {
					e.Error("the panic was swallowed")
				}
			}()
			e.s.Update(e.ctx(), func(tx store.Tx) error {
				tx.Create("users/u1/notes/a", raw(`{}`))
				panic("ouch")
			})
		}()
		if e.get("users/u1/notes/a") != nil {
			e.Error("the write survived the panic")
		}
		e.create("users/u1/notes/b", raw(`{}`))
	}},
	{name: "deleting a document deletes everything below it, each with a tombstone and a change", run: func(e *env) {
		chat := e.chat("u1", "c1")
		other := e.chat("u1", "c10") // shares the prefix c1
		agent := chat.Child("sub-agents", "a1")
		e.create(chat.Child("tasks", "t1"), nestor.Task{Type: "agent", Name: "agent:general", Status: "pending"})
		e.create(agent, nestor.SubAgent{TaskID: "t1", Role: "general", Status: "active"})
		e.create(agent.Child("messages", "m1"), nestor.SubAgentMessage{Role: "user", Content: "x"})
		e.create(agent.Child("tool-calls", "k1"), nestor.ToolCall{ToolName: "calculator", Status: "pending"})
		e.create(chat.Child("notes", "n1"), raw(`{"mine":true}`))
		e.create(other.Child("notes", "n1"), raw(`{}`))
		before := e.lastSeq()
		e.delete(chat)
		var gone []string
		for _, c := range e.changes(before) {
			if c.Type != nestor.Delete || c.Before == nil || c.After != nil || c.Version != 2 {
				e.Errorf("change %+v", c)
			}
			gone = append(gone, string(c.Path))
			if e.get(c.Path) != nil {
				e.Errorf("%s is still there", c.Path)
			}
		}
		if len(gone) != 6 || gone[5] != string(chat) {
			e.Errorf("deleted: %v", gone)
		}
		if e.get(other) == nil || e.get(other.Child("notes", "n1")) == nil {
			e.Error("a neighbour went too")
		}
	}},
	{name: "a document that is made again goes on counting versions", run: func(e *env) {
		p := nestor.Path("users/u1/notes/n1")
		e.create(p, raw(`{"life":1}`))
		e.delete(p)
		if d := e.create(p, raw(`{"life":2}`)); d.Version != 3 {
			e.Errorf("version %d, want 3: create, delete, create", d.Version)
		}
		e.update(func(tx store.Tx) error {
			if err := tx.Delete(p, store.AnyVersion); err != nil {
				return err
			}
			_, err := tx.Create(p, raw(`{"life":3}`))
			return err
		})
		if d := e.get(p); d == nil || d.Version != 5 || string(d.Data) != `{"life":3}` {
			e.Errorf("after delete and create in one transaction: %+v", d)
		}
	}},
	{name: "a document that another process deleted goes on counting versions, whatever its kind", run: func(e *env) {
		note, chat := nestor.Path("users/u1/notes/n1"), e.chat("u1", "c1")
		e.create(note, raw(`{}`))
		other := e.again()
		for _, p := range []nestor.Path{note, chat} {
			e.must(other.Update(e.ctx(), func(tx store.Tx) error { return tx.Delete(p, store.AnyVersion) }))
		}
		for _, p := range []nestor.Path{note, chat} {
			if d := e.create(p, raw(`{}`)); d.Version != 3 {
				e.Errorf("%s has version %d, want 3: create, delete elsewhere, create", p, d.Version)
			}
		}
	}},
	{name: "documents created together keep their order, whichever is updated", run: func(e *env) {
		names := []string{"d", "a", "c", "b"}
		e.must(e.s.Update(e.ctx(), func(tx store.Tx) error {
			for _, n := range names {
				if _, err := tx.Create(nestor.Path("users/u1/notes/"+n), raw(`{}`)); err != nil {
					return err
				}
			}
			_, err := tx.Patch("users/u1/notes/d", raw(`{"x":1}`), store.AnyVersion)
			return err
		}))
		created := e.get("users/u1/notes/a").CreatedSeq
		e.must(e.s.Update(e.ctx(), func(tx store.Tx) error {
			_, err := tx.Patch("users/u1/notes/a", raw(`{"x":1}`), store.AnyVersion)
			return err
		}))
		if d := e.get("users/u1/notes/a"); d.CreatedSeq != created || d.Seq <= created {
			e.Errorf("created at %d: after an update %d, with seq %d", created, d.CreatedSeq, d.Seq)
		}
		q := store.Query{Collection: "users/u1/notes", Limit: 1}
		var listed []string
		for {
			page := e.query(q)
			listed = append(listed, ids(page)...)
			if q.Cursor = page.Next; q.Cursor == "" {
				break
			}
		}
		if !slices.Equal(listed, names) {
			e.Errorf("listed as %v, created as %v", listed, names)
		}
	}},
	{name: "null is kept apart from absent", run: func(e *env) {
		e.create("users/u1/notes/n1", raw(`{"a":null}`))
		if d := e.get("users/u1/notes/n1"); string(d.Data) != `{"a":null}` {
			e.Errorf("stored %s", d.Data)
		}
	}},
	{name: "numbers keep their value to the last digit", run: func(e *env) {
		body := `{"big":9223372036854775807,"e":1e+300,"f":0.1,"neg":-9007199254740993}`
		e.create("users/u1/notes/n1", raw(body))
		if d := e.get("users/u1/notes/n1"); string(d.Data) != body {
			e.Errorf("stored %s", d.Data)
		}
	}},
	{name: "text of every script and awkward characters survive", run: func(e *env) {
		text := "日本語 🚀 \"quoted\" \\ \n\t <b>&amp;</b> \u2028 e\u0301"
		e.create("users/u1/notes/n1", map[string]any{"text": text, "ключ": "значение"})
		var got map[string]any
		e.must(e.get("users/u1/notes/n1").Decode(&got))
		if got["text"] != text || got["ключ"] != "значение" {
			e.Errorf("read back %q", got)
		}
	}},
	{name: "ids that differ only by case are different documents", run: func(e *env) {
		e.create("users/u1/notes/Case", raw(`{"v":1}`))
		e.create("users/u1/notes/case", raw(`{"v":2}`))
		if string(e.get("users/u1/notes/Case").Data) != `{"v":1}` || string(e.get("users/u1/notes/case").Data) != `{"v":2}` {
			e.Error("the two were mixed up")
		}
		chat := e.chat("U1", "c")
		if e.get("users/u1/orch-chats/c") != nil || e.get(chat) == nil {
			e.Error("users were mixed up")
		}
	}},
	{name: "bad input has a code and changes nothing", run: func(e *env) {
		deep := strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70)
		for name, c := range map[string]struct {
			path nestor.Path
			body any
			code nestor.Code
		}{
			"a collection path":     {"users/u1/notes", raw(`{}`), nestor.CodeInvalid},
			"an empty segment":      {"users//notes/n", raw(`{}`), nestor.CodeInvalid},
			"a path trick":          {"users/../notes/n", raw(`{}`), nestor.CodeInvalid},
			"a unicode id":          {"users/ü/notes/n", raw(`{}`), nestor.CodeInvalid},
			"a long id":             {nestor.Path("users/u/notes/" + strings.Repeat("x", 65)), raw(`{}`), nestor.CodeInvalid},
			"no JSON":               {"users/u/notes/n", raw(`{`), nestor.CodeInvalid},
			"no object":             {"users/u/notes/n", raw(`[1]`), nestor.CodeInvalid},
			"two objects":           {"users/u/notes/n", raw(`{}{}`), nestor.CodeInvalid},
			"broken UTF-8":          {"users/u/notes/n", raw("{\"a\":\"\xff\"}"), nestor.CodeInvalid},
			"a NUL character":       {"users/u/notes/n", raw(`{"a":"x\u0000y"}`), nestor.CodeInvalid},
			"a NUL in a name":       {"users/u/notes/n", raw(`{"x\u0000y":1}`), nestor.CodeInvalid},
			"an integer too large":  {"users/u/notes/n", raw(`{"a":9223372036854775808}`), nestor.CodeInvalid},
			"a number out of range": {"users/u/notes/n", raw(`{"a":1e999}`), nestor.CodeInvalid},
			"deep nesting":          {"users/u/notes/n", raw(deep), nestor.CodeInvalid},
			"a body over the limit": {"users/u/notes/n", map[string]any{"a": strings.Repeat("x", 1<<20)}, nestor.CodeTooLarge},
			"not a Go value":        {"users/u/notes/n", map[string]any{"f": func() {}}, nestor.CodeInvalid},
		} {
			for op, write := range map[string]func(tx store.Tx) error{
				"create": func(tx store.Tx) error { _, err := tx.Create(c.path, c.body); return err },
				"put":    func(tx store.Tx) error { _, err := tx.Put(c.path, c.body, store.AnyVersion); return err },
			} {
				if err := e.s.Update(e.ctx(), write); nestor.CodeOf(err) != c.code {
					e.Errorf("%s of %s: %v", op, name, err)
				}
			}
		}
		if n := len(e.changes(0)); n != 0 {
			e.Errorf("%d changes were written", n)
		}
	}},
	{name: "a snapshot does not see later writes", run: func(e *env) {
		e.create("users/u1/notes/a", raw(`{"v":1}`))
		e.must(e.s.View(e.ctx(), func(r store.Reader) error {
			if d, err := r.Get("users/u1/notes/a"); err != nil || d.Version != 1 {
				return fmt.Errorf("first read: %v %v", d, err)
			}
			e.put("users/u1/notes/a", raw(`{"v":2}`))
			e.create("users/u1/notes/b", raw(`{}`))
			d, err := r.Get("users/u1/notes/a")
			if err != nil || d.Version != 1 {
				return fmt.Errorf("second read: %v %v", d, err)
			}
			page, err := r.Query(store.Query{Collection: "users/u1/notes"})
			if err != nil || len(page.Items) != 1 {
				return fmt.Errorf("a query saw %d documents, %v", len(page.Items), err)
			}
			return nil
		}))
	}},
	{name: "what was written is there after opening again", run: func(e *env) {
		e.create("users/u1/notes/a", raw(`{"v":1}`))
		last := e.lastSeq()
		e.must(e.s.Close())
		e.s = e.again()
		e.s.Observe(store.First, e.written)
		if d := e.get("users/u1/notes/a"); d == nil || string(d.Data) != `{"v":1}` {
			e.Errorf("read %v", d)
		}
		if d := e.create("users/u1/notes/b", raw(`{}`)); d.Seq <= last {
			e.Errorf("seq went back from %d to %d", last, d.Seq)
		}
	}},
}
