package rules_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestAListShowsExactlyWhatSingleReadsWould(t *testing.T) {
	builtIn, _ := newEngine(t, "")
	for name, engine := range map[string]func(*rapid.T) *rules.Engine{
		"by the built-in rules": func(*rapid.T) *rules.Engine { return builtIn },
		"by any other rules": func(r *rapid.T) *rules.Engine {
			e, _ := newEngine(t, rulesFile(r))
			return e
		},
	} {
		t.Run(name, func(t *testing.T) {
			engines.Each(t, func(t *testing.T, open engines.Database) {
				s, worlds := open(t, store.Options{}), 15
				if strings.HasSuffix(t.Name(), "postgres") {
					worlds = 5 // each takes hundreds of round trips
				}
				rapid.Check(t, func(r *rapid.T) {
					if worlds--; worlds < 0 {
						return // others come up in the next run of the test
					}
					docs := world(r)
					save(t, s, docs)
					defer clean(t, s, docs)
					e := engine(r)
					for range 3 {
						c := visitor(r)
						compareLists(t, r, s, e, c)
						checkGlobs(t, r, s, e, c, docs)
					}
				})
			})
		})
	}
}

// compareLists asks for the same by list and by single reads.
func compareLists(t *testing.T, r *rapid.T, s store.Store, e *rules.Engine, c access.Caller) {
	queries := []store.Query{
		{Collection: "users"},
		{Collection: "accounts"},
		{Collection: "accounts/acme/projects"},
		{Collection: "things"},
		{Collection: "users/ada/notes"},
		{Collection: "users/bob/keys"},
		{Collection: "users/ada/orch-chats"},
		{Collection: "users/ada/orch-chats/c0/messages"},
		{Collection: "users/bob/orch-chats/c1/sub-agents/a/messages"},
	}
	for _, k := range store.DefaultCatalogue.All() {
		queries = append(queries, store.Query{Flat: k.Name})
	}
	for range 4 {
		q := rapid.SampledFrom(queries).Draw(r, "of")
		switch rapid.IntRange(0, 2).Draw(r, "query") {
		case 1:
			q.Where = store.Where("title", store.Eq, "a")
		case 2:
			q.OrderBy = []store.Order{{Field: "title", Desc: true}}
		}
		q.Limit = rapid.SampledFrom([]int{4, 50}).Draw(r, "limit")
		err := s.View(t.Context(), func(raw store.Reader) error {
			if _, err := e.Reader(raw, c).Query(q); c.Kind == access.AsWebhook && nestor.CodeOf(err) == nestor.CodeForbidden {
				return nil // a grant is for collections below its path, whatever single reads show
			}
			judge, want := e.On(raw, c), []nestor.Path{}
			for _, d := range pages(r, raw, q) {
				if judge.May(rules.Read, d.Path, d, nil) == nil {
					want = append(want, d.Path)
				}
			}
			got := []nestor.Path{}
			for _, d := range pages(r, e.Reader(raw, c), q) {
				got = append(got, d.Path)
			}
			if !slices.Equal(got, want) {
				r.Errorf("%+v: %+v\nlists %v\nreads %v", c, q, got, want)
			}
			if n, err := store.Count(e.Reader(raw, c), q); n != len(want) || err != nil && nestor.CodeOf(err) != nestor.CodeForbidden {
				r.Errorf("%+v: %+v\ncounts %d, %v\nreads %v", c, q, n, err, want)
			}
			return nil
		})
		if err != nil {
			r.Fatal(err)
		}
	}
}

// pages reads all of a query. One that is forbidden has nothing.
func pages(r *rapid.T, from store.Reader, q store.Query) (docs []*nestor.Document) {
	for {
		page, err := from.Query(q)
		if nestor.CodeOf(err) == nestor.CodeForbidden {
			return nil
		}
		if err != nil {
			r.Fatal(err)
		}
		if len(page.Items) > q.Limit {
			r.Fatalf("%d documents on a page of %d", len(page.Items), q.Limit)
		}
		docs = append(docs, page.Items...)
		if q.Cursor = page.Next; q.Cursor == "" {
			return docs
		}
	}
}

// checkGlobs looks for a document that can be read and that a stream would miss.
func checkGlobs(t *testing.T, r *rapid.T, s store.Store, e *rules.Engine, c access.Caller, docs map[nestor.Path]string) {
	err := s.View(t.Context(), func(raw store.Reader) error {
		judge, globs := e.On(raw, c), map[string][]nestor.Glob{}
		for _, flat := range []string{"", "chats", "messages", "tasks", "sub_agents", "sub_agent_messages"} {
			var err error
			if globs[flat], err = judge.Readable(flat); err != nil {
				return err
			}
		}
		for p, body := range docs {
			if judge.May(rules.Read, p, &nestor.Document{Path: p, Data: json.RawMessage(body)}, nil) != nil {
				continue
			}
			flats := []string{""}
			if kind := store.DefaultCatalogue.Of(p); kind != store.UserDocuments {
				flats = append(flats, kind.Name)
			}
			for _, flat := range flats {
				if !slices.ContainsFunc(globs[flat], func(g nestor.Glob) bool { return g.Match(string(p)) }) {
					r.Errorf("%+v may read %s, which is not in %q: %v", c, p, flat, globs[flat])
				}
			}
		}
		return nil
	})
	if err != nil {
		r.Fatal(err)
	}
}

// counted counts the documents that a database hands out, and its own counts.
type counted struct {
	store.Reader
	documents, counts int
}

func (c *counted) Query(q store.Query) (store.Page, error) {
	page, err := c.Reader.Query(q)
	c.documents += len(page.Items)
	return page, err
}

func TestAListDoesNotLookAtEverybodysDocuments(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		docs := maps.Clone(household)
		for i := range 60 {
			chat := nestor.Path(fmt.Sprintf("users/u%d/orch-chats/c", i))
			docs[chat] = `{}`
			docs[chat.Child("messages", "m")] = `{"role":"user","content":"a"}`
			docs[nestor.Path(fmt.Sprintf("accounts/a%d", i))] = `{}`
			docs[nestor.Path(fmt.Sprintf("users/u%d", i))] = `{}`
		}
		save(t, s, docs)
		e, _ := newEngine(t, "")
		for _, c := range []struct {
			caller access.Caller
			query  store.Query
			found  int
		}{
			{session("ada"), store.Query{Flat: "messages"}, 2},
			{session("vic"), store.Query{Flat: "messages"}, 1},
			{session("vic"), store.Query{Flat: "sub_agent_messages"}, 1},
			{session("zoe"), store.Query{Flat: "messages"}, 0},
			{session("vic"), store.Query{Flat: "chats"}, 1},
			{session("vic"), store.Query{Collection: "accounts"}, 1},
			{session("ada"), store.Query{Collection: "users"}, 1},
			{key("ada", "read"), store.Query{Flat: "tasks"}, 1},
		} {
			err := s.View(t.Context(), func(r store.Reader) error {
				from := &counted{Reader: r}
				page, err := e.Reader(from, c.caller).Query(c.query)
				if len(page.Items) != c.found || from.documents > 10 {
					t.Errorf("%s, %+v: %d found among %d", c.caller.UserID, c.query, len(page.Items), from.documents)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
}

// Count implements [store.Counter].
func (c *counted) Count(q store.Query) (int, error) {
	c.counts++
	return store.Count(c.Reader, q)
}

// The store counts what a caller is certain to see; of the rest each is looked at.
func TestACountLooksAtDocumentsOnlyIfRulesDo(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		docs := maps.Clone(household)
		for i := range 450 {
			docs[nestor.Path(fmt.Sprintf("users/ada/papers/n%d", i))] = fmt.Sprintf(`{"public":%t}`, i%3 == 0)
		}
		save(t, s, docs)
		builtIn, _ := newEngine(t, "")
		looking, _ := newEngine(t, `{"rules":[{"id":"public","path":"users/{userId}/papers/{id}","operations":["read"],"condition":"resource.before.public == true"}]}`)
		expired := session("ada")
		expired.Ends = time.Unix(1, 0)
		for name, c := range map[string]struct {
			by     *rules.Engine
			caller access.Caller
			where  *store.Filter
			want   int
			walks  bool
		}{
			"her own":                    {by: builtIn, caller: session("ada"), want: 450},
			"her own, narrowed":          {by: builtIn, caller: session("ada"), where: store.Where("public", store.Eq, true), want: 150},
			"with a key":                 {by: builtIn, caller: key("ada", "read"), want: 450},
			"with a key for some":        {by: builtIn, caller: key("ada", "read", "users/ada/papers/n7"), want: 1, walks: true},
			"by a rule about what it is": {by: looking, caller: session("zoe"), want: 150, walks: true},
			"hers, by such a rule":       {by: looking, caller: session("ada"), want: 150, walks: true},
		} {
			err := s.View(t.Context(), func(r store.Reader) error {
				from := &counted{Reader: r}
				n, err := store.Count(c.by.Reader(from, c.caller), store.Query{Collection: "users/ada/papers", Where: c.where})
				if n != c.want || (from.documents > 0) != c.walks || (from.counts > 0) == c.walks {
					t.Errorf("%s: %d, after looking at %d and %d counts", name, n, from.documents, from.counts)
				}
				return err
			})
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for name, c := range map[string]access.Caller{"somebody else": session("zoe"), "an expired session": expired} {
			err := s.View(t.Context(), func(r store.Reader) error {
				n, err := store.Count(builtIn.Reader(r, c), store.Query{Collection: "users/ada/papers"})
				if n != 0 {
					t.Errorf("%s counts %d", name, n)
				}
				return err
			})
			if err != nil && nestor.CodeOf(err) != nestor.CodeForbidden {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestWithManySharedChatsAListIsStillComplete(t *testing.T) {
	for name, owners := range map[string]int{"of few people": 2, "of many people": 110} {
		t.Run(name, func(t *testing.T) {
			engines.Each(t, func(t *testing.T, open engines.Database) {
				s := open(t, store.Options{})
				docs := maps.Clone(household)
				for i := range 120 {
					chat := nestor.Path(fmt.Sprintf("users/u%d/orch-chats/c%d", i%owners, i))
					docs[chat] = `{"accountId":"acme"}`
					docs[chat.Child("messages", "m")] = `{"role":"user","content":"a"}`
				}
				save(t, s, docs)
				e, _ := newEngine(t, "")
				err := s.View(t.Context(), func(r store.Reader) error {
					page, err := e.Reader(r, session("vic")).Query(store.Query{Flat: "messages", Limit: 1000})
					if len(page.Items) != 121 || page.Next != "" {
						t.Errorf("%d found, next %q", len(page.Items), page.Next)
					}
					globs, failed := e.On(r, session("vic")).Readable("messages")
					if !slices.ContainsFunc(globs, func(g nestor.Glob) bool { return g.Match("users/u1/orch-chats/c1/messages/m") }) {
						t.Errorf("a stream does not follow them: %v", globs)
					}
					return errors.Join(err, failed)
				})
				if err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestAGrantListsWhatLiesBelowItsPath(t *testing.T) {
	e, _ := newEngine(t, "")
	s := engines.SQLite(t)(t, store.Options{})
	list := func(c access.Caller, q store.Query) error {
		return s.View(t.Context(), func(r store.Reader) error {
			_, err := e.Reader(r, c).Query(q)
			return err
		})
	}
	hook := webhook("u", "users/u/notes/n")
	if err := list(hook, store.Query{Collection: "users/u/notes/n/answers"}); err != nil {
		t.Error(err)
	}
	for _, q := range []store.Query{
		{Collection: "users/u/notes"}, {Collection: "users/u/notes/n2/answers"}, {Flat: "chats"}, {}, {Collection: "secrets"}, {Collection: "secrets/u/x"},
	} {
		if err := list(hook, q); nestor.CodeOf(err) != nestor.CodeForbidden {
			t.Errorf("%+v: %v", q, err)
		}
	}
	for _, q := range []store.Query{{Collection: "users/local/secrets"}, {Flat: "chats"}, {Collection: "anything"}} {
		if err := list(local, q); err != nil {
			t.Errorf("local: %+v: %v", q, err)
		}
	}
}
