package storetest

import (
	"slices"
	"strconv"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

func (e *env) scan(s store.Scan) (found store.Scanned) {
	e.Helper()
	e.must(e.s.View(e.ctx(), func(r store.Reader) (err error) {
		found, err = r.(store.Scanner).Scan(s)
		return err
	}))
	return found
}

func (e *env) words(text string) []string {
	e.Helper()
	words, err := store.Words(text)
	e.must(err)
	return words
}

var scanTests = []test{
	{name: "a scan finds words in any case of any script", run: func(e *env) {
		for _, d := range [][2]string{
			{"plain", "The quick brown Fox"},
			{"german", "Über MÜLLER und die Straße"},
			{"russian", "пРИВЕТ, мир"},
			{"greek", "ΟΔΟΣ"},
			{"chinese", "我们明天见面"},
			{"signs", `100% of a_b [x] *y* c:\d "said" ^up (1|2) é-é`},
			{"kelvin", "300 \u212a"},
			{"final", "οδος οδός"},
		} {
			e.create(nestor.Path("users/u1/notes/"+d[0]), map[string]any{"text": d[1], "other": "elsewhere", "number": 5})
		}
		for looked, want := range map[string][]string{
			"fox": {"plain"}, "FOX brown": {"plain"}, "fox mir": nil, "qui": {"plain"},
			"müller": {"german"}, "MÜLLER über": {"german"}, "mÜll": {"german"}, "muller": nil, "STRAẞE": {"german"},
			"Привет": {"russian"}, "МИР привет": {"russian"}, "明天": {"chinese"}, "οδοσ": {"final", "greek"},
			"100%": {"signs"}, "a_b": {"signs"}, "axb": nil, "[x]": {"signs"}, "*y*": {"signs"}, `c:\d`: {"signs"}, `"said"`: {"signs"}, "^up": {"signs"}, "(1|2)": {"signs"},
			"é-É": {"signs"}, "é^": nil, "[é]": nil, "é*": nil, "_é": nil,
			"k": {"plain"}, "\u212a": {"kelvin"}, "elsewhere": nil, "text": nil, "5": nil,
		} {
			var got []string
			for _, d := range e.scan(store.Scan{Collection: "users/u1/notes", Words: e.words(looked), Fields: []string{"text", "number"}, Rows: 100, Limit: 10}).Items {
				got = append(got, d.Path.ID())
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				e.Errorf("%q finds %v, not %v", looked, got, want)
			}
		}
	}},
	{name: "a scan goes back newest first, so many rows at a time", run: func(e *env) {
		for i := range 10 {
			text := "even"
			if i%2 == 1 {
				text = "odd"
			}
			e.create(nestor.Path("users/u1/notes/n"+strconv.Itoa(i)), map[string]any{"text": text})
		}
		e.create("users/u2/notes/n", map[string]any{"text": "odd"})
		walk := func(rows, limit int) (all []string, asked int) {
			s := store.Scan{Collection: "users/u1/notes", Words: []string{"odd"}, Fields: []string{"text"}, Rows: rows, Limit: limit}
			for {
				found := e.scan(s)
				for _, d := range found.Items {
					all = append(all, d.Path.ID())
				}
				if asked++; found.Reached == nil || asked > 20 {
					return all, asked
				}
				s.Before = found.Reached
			}
		}
		for _, c := range []struct{ rows, limit, asked int }{{100, 10, 1}, {3, 10, 4}, {1, 10, 11}, {100, 2, 3}, {10, 10, 2}} {
			all, asked := walk(c.rows, c.limit)
			if !slices.Equal(all, []string{"n9", "n7", "n5", "n3", "n1"}) || asked != c.asked {
				e.Errorf("%d rows, %d at most: %v, asked %d times", c.rows, c.limit, all, asked)
			}
		}
	}},
	{name: "a scan of a kind is narrowed", run: func(e *env) {
		for _, user := range []string{"u1", "u2"} {
			chat := nestor.Path("users/" + user + "/orch-chats/c1")
			e.create(chat, map[string]any{"title": "word"})
			e.create(chat.Child("tasks", "t1"), map[string]any{"type": "agent", "name": "agent:x", "instruction": "first word", "status": "pending"})
			e.create(chat.Child("tasks", "t2"), map[string]any{"type": "agent", "name": "agent:x", "instruction": "second", "result": "WORD first", "status": "success"})
		}
		found := e.scan(store.Scan{
			Flat: "tasks", Where: store.Where("userId", store.Eq, "u2"), Words: e.words("first word"), Fields: []string{"instruction", "result"}, Rows: 10, Limit: 10,
		})
		also := e.scan(store.Scan{
			Flat: "tasks", Also: store.Where("status", store.Ne, "success"), Words: e.words("first"), Fields: []string{"instruction", "result"}, Rows: 3, Limit: 10,
		})
		if len(also.Items) != 1 || also.Items[0].Path != "users/u2/orch-chats/c1/tasks/t1" || also.Reached == nil {
			e.Errorf("of three rows, whatever they say: %v, %v", also.Items, also.Reached)
		}
		var paths []string
		for _, d := range found.Items {
			paths = append(paths, string(d.Path))
		}
		if want := []string{"users/u2/orch-chats/c1/tasks/t2", "users/u2/orch-chats/c1/tasks/t1"}; !slices.Equal(paths, want) || found.Reached != nil {
			e.Errorf("found %v down to %v, not %v", paths, found.Reached, want)
		}
	}},
	{name: "what cannot be looked for is refused", run: func(e *env) {
		for name, s := range map[string]store.Scan{
			"nothing":        {Flat: "tasks", Fields: []string{"instruction"}, Rows: 1},
			"nowhere":        {Flat: "tasks", Words: []string{"x"}, Rows: 1},
			"no rows":        {Flat: "tasks", Words: []string{"x"}, Fields: []string{"instruction"}},
			"no such kind":   {Flat: "tigers", Words: []string{"x"}, Fields: []string{"instruction"}, Rows: 1},
			"no such filter": {Flat: "tasks", Where: &store.Filter{}, Words: []string{"x"}, Fields: []string{"instruction"}, Rows: 1},
			"no such also":   {Flat: "tasks", Also: &store.Filter{}, Words: []string{"x"}, Fields: []string{"instruction"}, Rows: 1},
			"a bad field":    {Flat: "tasks", Words: []string{"x"}, Fields: []string{"a b"}, Rows: 1},
		} {
			err := e.s.View(e.ctx(), func(r store.Reader) error {
				_, err := r.(store.Scanner).Scan(s)
				return err
			})
			if nestor.CodeOf(err) != nestor.CodeInvalid {
				e.Errorf("%s: %v", name, err)
			}
		}
	}},
}
