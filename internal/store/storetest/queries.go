package storetest

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

var queryTests = []test{
	{name: "filters compare by type and value", run: func(e *env) {
		for id, body := range map[string]string{
			"int": `{"v":5}`, "float": `{"v":5.5}`, "text": `{"v":"5"}`, "upper": `{"v":"B"}`, "lower": `{"v":"a"}`,
			"true": `{"v":true}`, "null": `{"v":null}`, "absent": `{}`, "list": `{"v":[5]}`, "object": `{"v":{"x":5}}`,
			"big": `{"v":9007199254740993}`, "accent": `{"v":"é"}`,
		} {
			e.create(nestor.Path("users/u1/things/"+id), raw(body))
		}
		for _, c := range []struct {
			where string
			want  []string
		}{
			{`{"field":"v","op":"=","value":5}`, []string{"int"}},
			{`{"field":"v","op":"=","value":5.0}`, []string{"int"}},
			{`{"field":"v","op":"=","value":"5"}`, []string{"text"}},
			{`{"field":"v","op":"=","value":true}`, []string{"true"}},
			{`{"field":"v","op":"=","value":false}`, nil},
			{`{"field":"v","op":"=","value":null}`, []string{"absent", "null"}},
			{`{"field":"v","op":"!=","value":null}`, []string{"accent", "big", "float", "int", "list", "lower", "object", "text", "true", "upper"}},
			{`{"field":"v","op":"!=","value":5}`, []string{"absent", "accent", "big", "float", "list", "lower", "null", "object", "text", "true", "upper"}},
			{`{"field":"v","op":">","value":5}`, []string{"big", "float"}},
			{`{"field":"v","op":">=","value":5}`, []string{"big", "float", "int"}},
			{`{"field":"v","op":"<","value":5.5}`, []string{"int"}},
			{`{"field":"v","op":"<=","value":5.5}`, []string{"float", "int"}},
			{`{"field":"v","op":"=","value":9007199254740993}`, []string{"big"}},
			{`{"field":"v","op":"=","value":9007199254740992}`, nil},
			{`{"field":"v","op":"<","value":"a"}`, []string{"text", "upper"}},
			{`{"field":"v","op":">","value":"a"}`, []string{"accent"}},
			{`{"field":"v","op":"in","value":[5,"B",null]}`, []string{"absent", "int", "null", "upper"}},
			{`{"field":"v","op":"in","value":[]}`, nil},
			{`{"field":"v.x","op":"=","value":5}`, []string{"object"}},
			{`{"field":"v.0","op":"=","value":5}`, nil},
			{`{"or":[{"field":"v","op":"=","value":5},{"field":"v","op":"=","value":"5"}]}`, []string{"int", "text"}},
			{`{"and":[{"field":"v","op":">","value":1},{"field":"v","op":"<","value":5.2}]}`, []string{"int"}},
			{`{"and":[]}`, []string{"absent", "accent", "big", "float", "int", "list", "lower", "null", "object", "text", "true", "upper"}},
			{`{"or":[]}`, nil},
			{`{"field":"id","op":">","value":"text"}`, []string{"true", "upper"}},
			{`{"field":"version","op":"=","value":1}`, []string{"absent", "accent", "big", "float", "int", "list", "lower", "null", "object", "text", "true", "upper"}},
			{`{"field":"id","op":"=","value":5}`, nil},
		} {
			var f store.Filter
			dec := json.NewDecoder(strings.NewReader(c.where))
			dec.UseNumber()
			e.must(dec.Decode(&f))
			got := ids(e.query(store.Query{Collection: "users/u1/things", Where: &f}))
			slices.Sort(got)
			if len(got)+len(c.want) > 0 && !reflect.DeepEqual(got, c.want) {
				e.Errorf("%s\n got %v\nwant %v", c.where, got, c.want)
			}
			if n := e.count(store.Query{Collection: "users/u1/things", Where: &f, Limit: 1}); n != len(c.want) {
				e.Errorf("%s: counts %d, want %d", c.where, n, len(c.want))
			}
		}
	}},
	{name: "sorting puts types in order and pages without gaps or repeats", run: func(e *env) {
		bodies := []string{
			`{}`, `{"v":null}`, `{"v":false}`, `{"v":true}`, `{"v":-1}`, `{"v":1}`, `{"v":1.5}`, `{"v":2}`, `{"v":2}`,
			`{"v":"10"}`, `{"v":"9"}`, `{"v":"Z"}`, `{"v":"a"}`, `{"v":"a"}`, `{"v":"é"}`, `{"v":[1]}`,
		}
		for n, b := range slices.Backward(bodies) { // so that creation order does not help
			e.create(nestor.Path(fmt.Sprintf("users/u1/things/t%02d", n)), raw(b))
		}
		for _, desc := range []bool{false, true} {
			for _, size := range []int{1, 3, 100} {
				q := store.Query{Collection: "users/u1/things", OrderBy: []store.Order{{Field: "v", Desc: desc}}, Limit: size}
				var values []string
				for {
					page := e.query(q)
					for _, d := range page.Items {
						values = append(values, string(d.Data))
					}
					if q.Cursor = page.Next; q.Cursor == "" {
						break
					}
				}
				want := slices.Clone(bodies)
				if desc {
					slices.Reverse(want)
				}
				// Both stand for no value and tie; which comes first says only
				// when they were written.
				for _, list := range [][]string{values, want} {
					for i, v := range list {
						if v == `{"v":null}` {
							list[i] = `{}`
						}
					}
				}
				if !slices.Equal(values, want) {
					e.Errorf("desc %v, pages of %d:\n got %v\nwant %v", desc, size, values, want)
				}
			}
		}
	}},
	{name: "the default order is that of creation, even within one millisecond", run: func(e *env) {
		chat := e.chat("u1", "c1")
		var want []string
		e.update(func(tx store.Tx) error {
			for i := range 50 {
				id := fmt.Sprintf("m%02d", (i*37)%50)
				want = append(want, id)
				if _, err := tx.Create(chat.Child("messages", id), nestor.Message{Role: "user", Content: "x"}); err != nil {
					return err
				}
			}
			return nil
		})
		want = want[len(want)-50:] // the function may have run twice
		var got []string
		q := store.Query{Collection: string(chat) + "/messages", Limit: 7}
		for {
			page := e.query(q)
			got = append(got, ids(page)...)
			if q.Cursor = page.Next; q.Cursor == "" {
				break
			}
		}
		if !reflect.DeepEqual(got, want) {
			e.Errorf("got %v\nwant %v", got, want)
		}
	}},
	{name: "a flat query spans chats and users, a collection path does not", run: func(e *env) {
		for _, c := range []struct{ user, chat string }{{"u1", "c1"}, {"u1", "c2"}, {"u2", "c1"}} {
			chat := e.chat(c.user, c.chat)
			e.create(chat.Child("tasks", "t-"+c.user+c.chat), nestor.Task{Type: "agent", Name: "x", Status: "running"})
		}
		count := func(q store.Query) int { return len(e.query(q).Items) }
		if n := count(store.Query{Flat: "tasks"}); n != 3 {
			e.Errorf("all: %d", n)
		}
		if n := count(store.Query{Flat: "tasks", Where: store.Where("userId", store.Eq, "u1")}); n != 2 {
			e.Errorf("of one user: %d", n)
		}
		if n := count(store.Query{Flat: "tasks", Where: store.Where("status", store.In, []string{"running"})}); n != 3 {
			e.Errorf("by status: %d", n)
		}
		if n := count(store.Query{Collection: "users/u1/orch-chats/c1/tasks"}); n != 1 {
			e.Errorf("of one chat: %d", n)
		}
	}},
	{name: "a query that makes no sense is refused", run: func(e *env) {
		for name, q := range map[string]store.Query{
			"no collection":        {},
			"two collections":      {Flat: "tasks", Collection: "users/u/notes"},
			"an unknown flat name": {Flat: "nothing"},
			"a document path":      {Collection: "users/u1"},
			"a limit too large":    {Flat: "tasks", Limit: 1001},
			"a negative limit":     {Flat: "tasks", Limit: -1},
			"an unknown operator":  {Flat: "tasks", Where: store.Where("a", "~", 1)},
			"a list to compare":    {Flat: "tasks", Where: store.Where("a", store.Eq, []int{1})},
			"less than true":       {Flat: "tasks", Where: store.Where("a", store.Lt, true)},
			"SQL as a field":       {Flat: "tasks", Where: store.Where(`a' OR 1=1 --`, store.Eq, 1)},
			"SQL as an order":      {Flat: "tasks", OrderBy: []store.Order{{Field: `id"; DROP TABLE tasks`}}},
			"in with no list":      {Flat: "tasks", Where: store.Where("a", store.In, 5)},
			"field and list":       {Flat: "tasks", Where: &store.Filter{Field: "a", Op: "=", Value: 1, And: []store.Filter{}}},
			"an empty filter":      {Flat: "tasks", Where: &store.Filter{}},
			"too many values":      {Flat: "tasks", Where: &store.Filter{Or: []store.Filter{*store.Where("a", store.In, make([]int, 199)), *store.Where("b", store.In, make([]int, 199))}}},
			"not a number":         {Flat: "tasks", Where: store.Where("a", store.Gt, math.NaN())},
			"infinity":             {Flat: "tasks", Where: store.Where("a", store.Lt, math.Inf(1))},
			"broken UTF-8":         {Flat: "tasks", Where: store.Where("a", store.Eq, "\xff")},
			"a cursor of nobody":   {Flat: "tasks", Cursor: "xyz"},
			"another's cursor":     {Flat: "tasks", Cursor: "eyJ2IjpbMSwyLDNdfQ"},
		} {
			err := e.s.View(e.ctx(), func(r store.Reader) error {
				_, err := r.Query(q)
				return err
			})
			if nestor.CodeOf(err) != nestor.CodeInvalid {
				e.Errorf("%s: %v", name, err)
			}
			err = e.s.View(e.ctx(), func(r store.Reader) error {
				_, err := store.Count(r, q)
				return err
			})
			if nestor.CodeOf(err) != nestor.CodeInvalid {
				e.Errorf("%s, counted: %v", name, err)
			}
		}
	}},
	{name: "the different texts of a field are told", run: func(e *env) {
		chat := e.chat("u1", "c1")
		for i, content := range []string{"a", "b", "a", ""} {
			e.create(chat.Child("messages", fmt.Sprint("m", i)), nestor.Message{Role: "user", Content: content})
		}
		e.create(chat.Child("messages", "m9"), nestor.Message{Role: "assistant", Content: "c"})
		for i, body := range []string{`{"n":{"x":"deep"}}`, `{"n":{"x":1}}`, `{"n":"flat"}`, `{}`, `{"n":{"x":"deep"}}`, `{"n":{"x":null}}`} {
			e.create(nestor.Path(fmt.Sprint("users/u1/notes/n", i)), raw(body))
		}
		messages := string(chat) + "/messages"
		for _, c := range []struct {
			q     store.Query
			field string
			want  []string
		}{
			{store.Query{Collection: messages}, "content", []string{"", "a", "b", "c"}},
			{store.Query{Collection: messages, Where: store.Where("role", store.Eq, "user")}, "content", []string{"", "a", "b"}},
			{store.Query{Flat: "messages"}, "role", []string{"assistant", "user"}},
			{store.Query{Flat: "messages"}, "chatId", []string{"c1"}},
			{store.Query{Collection: messages, Limit: 1}, "id", []string{"m0", "m1", "m2", "m3", "m9"}},
			{store.Query{Collection: messages, Where: store.Where("content", store.Eq, "x")}, "content", nil},
			{store.Query{Collection: messages}, "nothing", nil},
			{store.Query{Collection: "users/u1/notes"}, "n.x", []string{"deep"}},
			{store.Query{Collection: "users/u1/notes"}, "n", []string{"flat"}},
		} {
			e.must(e.s.View(e.ctx(), func(r store.Reader) error {
				for _, r := range []store.Reader{r, struct{ store.Reader }{r}} { // which tells, and which is looked at
					got, err := store.Texts(r, c.q, c.field)
					if slices.Sort(got); err != nil || !slices.Equal(got, c.want) {
						e.Errorf("%s of %+v: %q, %v; want %q", c.field, c.q, got, err, c.want)
					}
				}
				return nil
			}))
		}
		for field, q := range map[string]store.Query{"a' --": {Flat: "messages"}, "content": {Flat: "nothing"}} {
			e.code(nestor.CodeInvalid, e.s.View(e.ctx(), func(r store.Reader) error {
				_, err := store.Texts(r, q, field)
				return err
			}))
		}
	}},
}
