package doctool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/domain/records/doctool"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/domain/records/version"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/internal/tool"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// world is a store with the tools.
type world struct {
	*testing.T
	store store.Store
	tools map[string]*tool.Tool
}

func each(t *testing.T, fn func(*world)) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		catalogue, err := store.NewCatalogue(record.Collections...)
		if err != nil {
			t.Fatal(err)
		}
		w := &world{T: t, store: open(t, store.Options{
			Rules: store.Rules{Catalogue: catalogue}, Modules: []store.Schema{{Module: "records", Collections: record.Collections}},
		})}
		w.tools = byName(w.store)
		fn(w)
	})
}

func byName(s store.Documents) map[string]*tool.Tool {
	all := map[string]*tool.Tool{}
	for _, one := range doctool.Tools(s) {
		all[one.Name] = one
	}
	return all
}

// ann is who asks for most calls.
var ann = tool.Scope{UserID: "ann", AskedBy: nestor.Askers{"ann"}}

// call runs a tool. The key tells calls apart.
func (w *world) call(scope tool.Scope, name, key string, arguments any) tool.Result {
	w.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		w.Fatal(err)
	}
	return tool.Execute(w.Context(), w.tools[name], tool.Call{Scope: scope, ID: key, IdempotencyKey: key, Name: name, Arguments: string(text)}, tool.Options{})
}

type in map[string]any

type written struct {
	ID, Document, Title string
	Version             int64
}

// writes has a version written and returns it.
func (w *world) writes(scope tool.Scope, key string, arguments in) (out written) {
	w.Helper()
	r := w.call(scope, doctool.Write, key, arguments)
	if err := json.Unmarshal([]byte(r.Output), &out); err != nil || r.Status != nestor.ToolCallSuccess {
		w.Fatalf("%v: %s %s", arguments, r.Output, r.Error)
	}
	return out
}

// fails wants a call to fail with a code and texts.
func (w *world) fails(scope tool.Scope, name string, arguments in, code nestor.Code, texts ...string) {
	w.Helper()
	r := w.call(scope, name, nestor.NewID(), arguments)
	if r.Status != nestor.ToolCallFailed || r.Code != code {
		w.Errorf("%s %v: %s %s %s", name, arguments, r.Code, r.Error, r.Output)
	}
	for _, text := range texts {
		if !strings.Contains(r.Error, text) {
			w.Errorf("%s %v: no %q in %s", name, arguments, text, r.Error)
		}
	}
}

// reads wants the output of a call to have texts.
func (w *world) reads(scope tool.Scope, arguments in, texts ...string) string {
	w.Helper()
	r := w.call(scope, doctool.Read, "r", arguments)
	if r.Status != nestor.ToolCallSuccess {
		w.Errorf("%v: %s", arguments, r.Error)
	}
	for _, text := range texts {
		if !strings.Contains(r.Output, text) {
			w.Errorf("%v: no %q in %s", arguments, text, r.Output)
		}
	}
	return r.Output
}

// versions are those of all documents of a user.
func (w *world) versions(user string) (all []record.TextDocument) {
	w.Helper()
	err := w.store.View(w.Context(), func(r store.Reader) error {
		all = nil
		return store.Each(r, store.Query{Collection: "users/" + user + "/text-documents"}, func(_ nestor.Path, v *record.TextDocument) { all = append(all, *v) })
	})
	if err != nil {
		w.Fatal(err)
	}
	return all
}

func TestAgentsWriteVersionsAndReadThem(t *testing.T) {
	each(t, func(w *world) {
		agent := tool.Scope{UserID: "ann", ChatID: "c1", SubAgentID: "a1", AskedBy: nestor.Askers{"ann"}}
		err := w.store.Update(w.Context(), func(tx store.Tx) error {
			chat := record.Of("ann").Child("orch-chats", "c1")
			if err := account.NewChat(tx, chat, "Hers"); err != nil {
				return err
			}
			_, err := tx.Create(chat.Child("sub-agents", "a1"), nestor.SubAgent{TaskID: "t1", Role: "writer", Status: nestor.SubAgentActive})
			return err
		})
		if err != nil {
			w.Fatal(err)
		}
		w.reads(ann, in{}, "There are no documents yet.")
		first := w.writes(ann, "k1", in{"title": " Plan ", "content": "one\ntwo\nthree\n"})
		second := w.writes(agent, "k2", in{"content": "one\n2\nthree\n", "based_on": first.ID})
		if second.Document != first.ID || second.Version != 2 || second.Title != "Plan" {
			w.Errorf("the second version is %+v", second)
		}
		all := w.versions("ann")
		if by := all[1].WrittenBy; by == nil || *by != (record.Author{UserID: "ann", Role: "writer", ChatID: "c1", TaskID: "t1", SubAgentID: "a1", ToolCallID: "k2"}) {
			w.Errorf("written by %+v", by)
		}
		if by := all[0].WrittenBy; by == nil || *by != (record.Author{UserID: "ann"}) {
			w.Errorf("the first one was written by %+v", by)
		}

		w.reads(ann, in{"title": "plan"}, `Document "Plan", version 2, id `+second.ID+", saved by the agent writer at ", "All of its lines (3):\n\none\n2\nthree\n")
		w.reads(ann, in{"id": first.ID}, "version 1", "saved by ann", "an old version. The newest one is "+second.ID, "two")
		w.reads(ann, in{"id": second.ID, "from_line": 2, "lines": 1}, "Lines 2 to 2 of 3; the rest begins with from_line 3:\n\n2\n")
		w.fails(ann, doctool.Read, in{"id": second.ID, "from_line": 4}, nestor.CodeInvalid, "has 3 lines")
		w.fails(ann, doctool.Read, in{"id": second.ID, "from_line": -1}, nestor.CodeInvalid)
		w.fails(ann, doctool.Read, in{"id": "none"}, nestor.CodeNotFound)
		w.fails(ann, doctool.Read, in{"id": "a/b"}, nestor.CodeInvalid)
		w.fails(ann, doctool.Read, in{"title": "pla"}, nestor.CodeNotFound, "these have its words", second.ID)

		// What makes no sense writes nothing.
		before := len(w.versions("ann"))
		w.fails(ann, doctool.Write, in{"content": "x"}, nestor.CodeInvalid, "title")
		w.fails(ann, doctool.Write, in{"title": "Plan", "content": "x"}, nestor.CodeConflict, "based_on "+second.ID)
		w.fails(ann, doctool.Write, in{"title": strings.Repeat("x", 501), "content": "x"}, nestor.CodeInvalid)
		w.fails(ann, doctool.Write, in{"content": "x", "based_on": "none"}, nestor.CodeNotFound, "no version none")
		w.fails(ann, doctool.Write, in{"content": "x", "based_on": "a/b"}, nestor.CodeInvalid, "based_on")
		w.fails(ann, doctool.Write, in{"content": "x", "based_on": first.ID}, nestor.CodeConflict, "based_on "+second.ID)
		w.fails(ann, doctool.Write, in{"title": "Large", "content": strings.Repeat("x", 2<<20)}, nestor.CodeTooLarge)
		if after := w.versions("ann"); len(after) != before {
			w.Errorf("there are %d versions", len(after))
		}
	})
}

func TestLongDocumentsAreReadInParts(t *testing.T) {
	each(t, func(w *world) {
		var text strings.Builder
		for i := range 5000 {
			fmt.Fprintf(&text, "line %d of a long text\n", i+1)
		}
		long := w.writes(ann, "k1", in{"title": "Long", "content": text.String()})
		got, parts := "", 0
		for from := 1; from != 0; parts++ {
			out := w.reads(ann, in{"id": long.ID, "from_line": from})
			if len(out) > 50<<10 {
				w.Errorf("a part has %d bytes", len(out))
			}
			head, rest, _ := strings.Cut(out, "\n\n")
			got += rest
			from = 0
			if _, next, more := strings.Cut(head, "from_line "); more {
				if _, err := fmt.Sscanf(next, "%d", &from); err != nil {
					w.Fatal(err)
				}
			}
		}
		if got != text.String() || parts < 2 {
			w.Errorf("%d parts have %d of %d bytes", parts, len(got), text.Len())
		}
		wide := w.writes(ann, "k2", in{"title": "Wide", "content": strings.Repeat("ü", 60_000) + "\nend"})
		w.reads(ann, in{"id": wide.ID}, "Line 1 of 2 is too long to be shown whole: these are the first 24576 of its 60001 characters.", "ü")
		w.reads(ann, in{"id": wide.ID, "from_line": 2}, "Lines 2 to 2 of 2:\n\nend")

		for i := range 25 {
			w.writes(ann, fmt.Sprint("n", i), in{"title": fmt.Sprintf("Note %02d", i), "content": "about Bees"})
		}
		listed := w.reads(ann, in{}, "Note 24", "There are more")
		if strings.Contains(listed, "Long") || strings.Index(listed, "Note 24") > strings.Index(listed, "Note 23") {
			w.Errorf("listed are %s", listed)
		}
		w.reads(ann, in{"search": "bees 07"}, "- Note 07 (id ")
		w.reads(ann, in{"search": "wasps"}, "No document has all these words.")
		w.writes(ann, "twin", in{"title": "NOTE 07", "content": ""})
		w.reads(ann, in{"title": "NOTE 07"}, "All of its lines (1)")
		w.fails(ann, doctool.Read, in{"title": "note 07"}, nestor.CodeConflict, "Note 07 (id", "NOTE 07 (id")
	})
}

// interrupted commits and then fails, as a process does that is killed before it has
// told anybody.
type interrupted struct{ store.Store }

func (s interrupted) Update(ctx context.Context, fn func(store.Tx) error) error {
	if err := s.Store.Update(ctx, fn); err != nil {
		return err
	}
	return nestor.Errorf(nestor.CodeUnavailable, "killed")
}

func TestACallThatIsMadeAgainWritesOneVersion(t *testing.T) {
	each(t, func(w *world) {
		create := in{"title": "Plan", "content": "one"}
		whole := w.tools
		w.tools = byName(interrupted{w.store})
		w.fails(ann, doctool.Write, in{"title": "Other", "content": ""}, nestor.CodeUnavailable)
		if r := w.call(ann, doctool.Write, "k1", create); r.Code != nestor.CodeUnavailable {
			w.Fatalf("%+v", r)
		}
		w.tools = whole
		first := w.writes(ann, "k1", create)
		next := in{"content": "two", "based_on": first.ID}
		w.tools = byName(interrupted{w.store})
		w.call(ann, doctool.Write, "k2", next)
		w.tools = whole
		second := w.writes(ann, "k2", next)
		if again := w.writes(ann, "k2", next); again != second || second.Version != 2 {
			w.Errorf("%+v, then %+v", second, again)
		}

		// Runs of one call at the same time, as when a worker is taken for dead.
		third := in{"content": "three", "based_on": second.ID}
		made := make(chan written, 8)
		var wg sync.WaitGroup
		for range cap(made) {
			wg.Go(func() { made <- w.writes(ann, "k3", third) })
		}
		wg.Wait()
		close(made)
		for m := range made {
			if m.Version != 3 {
				w.Errorf("a run made %+v", m)
			}
		}
		if all := w.versions("ann"); len(all) != 4 { // Other, and three of Plan
			w.Errorf("there are %d versions", len(all))
		}
	})
}

func TestOfManyAgentsWhoWriteAtOnceOneWins(t *testing.T) {
	each(t, func(w *world) {
		first := w.writes(ann, "k", in{"title": "Plan", "content": "0"})
		results := make(chan tool.Result, 8)
		var wg sync.WaitGroup
		for i := range cap(results) {
			wg.Go(func() {
				results <- w.call(ann, doctool.Write, fmt.Sprint("k", i), in{"content": fmt.Sprint(i), "based_on": first.ID})
			})
		}
		wg.Wait()
		close(results)
		all := w.versions("ann")
		if len(all) != 2 {
			w.Fatalf("there are %d versions", len(all))
		}
		won := 0
		for r := range results {
			switch {
			case r.Status == nestor.ToolCallSuccess:
				won++
			case r.Code != nestor.CodeConflict || !strings.Contains(r.Error, "based_on "+all[1].ID):
				w.Errorf("a late one was told %s %s", r.Code, r.Error)
			}
		}
		if won != 1 {
			w.Errorf("%d won", won)
		}
	})
}

func TestDocumentsAreOfOnePerson(t *testing.T) {
	each(t, func(w *world) {
		plan := w.writes(ann, "k1", in{"title": "Plan", "content": "private"})
		bob := tool.Scope{UserID: "bob", AskedBy: nestor.Askers{"bob"}}
		w.reads(bob, in{}, "There are no documents yet.")
		w.fails(bob, doctool.Read, in{"id": plan.ID}, nestor.CodeNotFound)
		w.fails(bob, doctool.Read, in{"title": "Plan"}, nestor.CodeNotFound)
		w.fails(bob, doctool.Write, in{"content": "x", "based_on": plan.ID}, nestor.CodeNotFound)
		w.writes(bob, "k1", in{"title": "Plan", "content": "his"}) // the same key

		err := w.store.Update(w.Context(), func(tx store.Tx) error {
			team, err := account.Create(tx, "ann", "Team")
			if err != nil {
				return err
			}
			_, err = tx.Create(record.Of("ann").Child("orch-chats", "shared"), nestor.Chat{AccountID: team.Path.ID()})
			return err
		})
		if err != nil {
			w.Fatal(err)
		}
		for name, scope := range map[string]tool.Scope{
			"in a shared chat": {UserID: "ann", ChatID: "shared", AskedBy: nestor.Askers{"ann"}},
			"asked by two":     {UserID: "ann", ChatID: "own", AskedBy: nestor.Askers{"ann", "bob"}},
			"asked by another": {UserID: "ann", ChatID: "own", AskedBy: nestor.Askers{"bob"}},
		} {
			w.Run(name, func(*testing.T) {
				w.fails(scope, doctool.Read, in{"id": plan.ID}, nestor.CodeForbidden)
				w.fails(scope, doctool.Write, in{"content": "x", "based_on": plan.ID}, nestor.CodeForbidden)
			})
		}
		if all := append(w.versions("ann"), w.versions("bob")...); len(all) != 2 {
			w.Errorf("there are %d documents", len(all))
		}
	})
}

// A search that finds little looks at many documents, in parts, and goes on where it
// stopped.
func TestASearchGoesOnWhereItStopped(t *testing.T) {
	each(t, func(w *world) {
		for i := range 30 {
			w.writes(ann, fmt.Sprint(i), in{"title": fmt.Sprintf("Note %02d", i), "content": []string{"bees", "wasps"}[i%2]})
		}
		var titles []string
		for cursor, pages := "", 0; ; pages++ {
			var found []version.Summary
			var next string
			err := w.store.View(w.Context(), func(r store.Reader) (err error) {
				found, next, err = version.Search(r, "users/ann/text-documents", "BEES", 4, cursor)
				return err
			})
			if err != nil || len(found) > 4 || pages > 20 {
				w.Fatal(err, found)
			}
			for _, s := range found {
				titles = append(titles, s.Title)
			}
			if cursor = next; cursor == "" {
				break
			}
		}
		if len(titles) != 15 || titles[0] != "Note 28" || titles[14] != "Note 00" {
			w.Errorf("found %v", titles)
		}
	})
}
