package analyst_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/domain/priority/analyst"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/domain/priority/vector"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/tool"
)

func TestBadInputOfAToolIsAClearError(t *testing.T) {
	w := newWorld(t, engines.SQLite(t), analyst.Options{})
	w.prepares("ann", threeTasks...)
	many := func(n int) string {
		ids := make([]string, n)
		for i := range ids {
			ids[i] = fmt.Sprintf("%q", fmt.Sprint("x", i))
		}
		return strings.Join(ids, ",")
	}
	for _, test := range []struct{ tool, arguments, says string }{
		{"semantic-search", `{}`, "query"},
		{"semantic-search", `{"query": ""}`, "query"},
		{"semantic-search", `{"query": "` + strings.Repeat("x", 501) + `"}`, "query"},
		{"semantic-search", `{"query": "x", "limit": 101}`, "limit"},
		{"semantic-search", `{"query": "x", "limit": 0}`, "limit"},
		{"semantic-search", `{"query": "x", "threshold": 1.1}`, "threshold"},
		{"semantic-search", `{"query": "x", "colour": "red"}`, "colour"},
		{"get-document-context", `{"task_ids": []}`, "task_ids"},
		{"get-document-context", `{"task_ids": [` + many(51) + `]}`, "task_ids"},
		{"get-document-context", `{"task_ids": ["ann-t1"], "chunk": 0}`, "chunk"},
		{"get-document-context", `{"task_ids": ["ghost"]}`, "none of these tasks exists"},
		{"detect-dependencies", `{"task_ids": ["ann-t1"]}`, "task_ids"},
		{"detect-dependencies", `{"task_ids": [` + many(51) + `]}`, "task_ids"},
		{"detect-dependencies", `{"task_ids": ["ann-t1", "ann-t1", "ghost"]}`, "at least 2 are needed; unknown: ghost"},
		{"query-task-graph", `{}`, "give task_id or task_ids"},
		{"query-task-graph", `{"task_id": "ann-t1", "type": "hates"}`, "type"},
		{"query-task-graph", `{"task_id": "ghost"}`, "ghost"},
		{"cluster-by-similarity", `{"task_ids": [` + many(101) + `]}`, "task_ids"},
		{"cluster-by-similarity", `{"task_ids": ["ann-t1", "ann-t2"], "threshold": -1}`, "threshold"},
	} {
		if r := w.call("ann", test.tool, test.arguments); r.Status != nestor.ToolCallFailed || !strings.Contains(r.Error, test.says) || r.Code == nestor.CodeInternal {
			t.Errorf("%s %.60s: %s %s %s", test.tool, test.arguments, r.Status, r.Code, r.Error)
		}
	}
}

// at finds one task, at one similarity.
type at float64

func (a at) Search(_ context.Context, userID, _ string, _ int, threshold float64) ([]vector.Hit, error) {
	if float64(a) < threshold {
		return nil, nil
	}
	return []vector.Hit{{ID: userID + "-t1", Similarity: float64(a)}, {ID: "deleted", Similarity: float64(a)}}, nil
}

func (a at) Vectors(context.Context, string, []string) (map[string][]float32, error) {
	return map[string][]float32{"ann-t1": {1, 0}, "ann-t2": {0.8, 0.6}}, nil
}

func TestSearchFallsBackToLowerThresholds(t *testing.T) {
	w := newWorld(t, engines.SQLite(t), analyst.Options{})
	w.prepares("ann", threeTasks...)
	for _, test := range []struct {
		similarity      float64
		arguments, want string
	}{
		{0.8, `{"query": "x"}`, `"threshold_used":0.7,"total_found":1`},
		{0.6, `{"query": "x"}`, `"threshold_used":0.5,"total_found":1`},
		{0.45, `{"query": "x"}`, `"threshold_used":0.4,"total_found":1`},
		{0.1, `{"query": "x"}`, `"tasks":[],"threshold_used":0.4,"total_found":0`},
		{0.45, `{"query": "x", "threshold": 0.45}`, `"threshold_used":0.45,"total_found":1`},
		{0.1, `{"query": "x", "threshold": 0.2}`, `"tasks":[],"threshold_used":0.2,"total_found":0`},
	} {
		w.library = at(test.similarity)
		if r := w.call("ann", "semantic-search", test.arguments); !strings.Contains(r.Output, test.want) {
			t.Errorf("at %g, %s: %s", test.similarity, test.arguments, r.Output)
		}
	}
	r := w.call("ann", "cluster-by-similarity", `{"task_ids": ["ann-t1", "ann-t2", "ann-t3", "ghost"]}`)
	for _, want := range []string{`"size":2,"average_similarity":0.8`, `"without_vector":["ann-t3"]`, `"unknown_task_ids":["ghost"]`, `"threshold_used":0.75`} {
		if !strings.Contains(r.Output, want) {
			t.Errorf("no %s in %s", want, r.Output)
		}
	}
	r = w.call("ann", "cluster-by-similarity", `{"task_ids": ["ann-t1", "ann-t2"], "threshold": 0.9}`)
	if !strings.Contains(r.Output, `"clusters":[],"ungrouped":[{"task_id":"ann-t1"`) {
		t.Errorf("said was %s", r.Output)
	}
}

func TestLongDocumentsComeInChunksThatOverlap(t *testing.T) {
	w := newWorld(t, engines.SQLite(t), analyst.Options{})
	w.prepares("ann", threeTasks...)
	text := []rune(strings.Repeat("äöü0123456", 12_000)) // of 120,000 characters
	w.update(func(tx store.Tx) error {
		_, err := tx.Patch(record.Of("ann").Child("processed-documents", "d1"), map[string]any{"content": string(text)}, store.AnyVersion)
		return err
	})
	for chunk, want := range map[int][2]int{1: {0, 50_000}, 2: {49_800, 99_800}, 3: {99_600, 120_000}, 4: {}} {
		r := w.call("ann", "get-document-context", fmt.Sprintf(`{"task_ids": ["ann-t1", "ann-t2"], "chunk": %d}`, chunk))
		var said struct {
			Documents []struct {
				Text   string
				Chunks int
				Note   string
				Tasks  []struct{ Text string }
			}
		}
		if err := json.Unmarshal([]byte(r.Output), &said); err != nil || r.Truncated {
			t.Fatalf("%v: %s", err, r.Error)
		}
		d := said.Documents[0]
		if len(said.Documents) != 1 || d.Chunks != 3 || d.Text != string(text[want[0]:want[1]]) || len(d.Tasks) != 3 || (d.Note == "") != (chunk < 4) {
			t.Errorf("chunk %d has %d characters of %d chunks: %s", chunk, len([]rune(d.Text)), d.Chunks, d.Note)
		}
	}
}

func TestDetectionKeepsWhatPeopleSaid(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open, analyst.Options{})
		w.prepares("ann", threeTasks...)
		w.relate("ann", "ann-t1", "ann-t2", record.OriginManual)
		w.relate("ann", "ann-t2", "ann-t3", record.OriginDetected)
		w.says("ann", `
-- reply --
call report_dependencies {"dependencies": [
| {"source_task_id": "ann-t2", "target_task_id": "ann-t1", "relationship_type": "blocks", "confidence": 1, "reasoning": "No."},
| {"source_task_id": "ann-t3", "target_task_id": "ann-t2", "relationship_type": "blocks", "confidence": 0.8, "reasoning": "The other way round."},
| {"source_task_id": "ann-t2", "target_task_id": "ann-t3", "relationship_type": "prerequisite", "confidence": 0.3, "reasoning": "Or not."},
| {"source_task_id": "ann-t3", "target_task_id": "ann-t3", "relationship_type": "blocks", "confidence": 0.8, "reasoning": "Itself."},
| {"source_task_id": "ann-t1", "target_task_id": "ann-t3", "relationship_type": "blocks", "confidence": 8, "reasoning": "Sure."}]}
`)
		r := w.call("ann", "detect-dependencies", `{"task_ids": ["ann-t1", "ann-t2", "ann-t3"], "use_document_context": false}`)
		for _, want := range []string{`"kept_manual":1`, "the opposite is surer", "depend on itself", "not between 0 and 1"} {
			if !strings.Contains(r.Output, want) {
				t.Errorf("no %s in %s %s", want, r.Output, r.Error)
			}
		}
		if got := w.relationships("ann"); !slices.Equal(got, []string{"ann-t1>ann-t2 prerequisite manual", "ann-t3>ann-t2 blocks detected"}) {
			t.Errorf("stored is %q", got)
		}
	})
}

// Tools work on the documents of the one person who asked, and of nobody else.
func TestTwoUsersNeverSeeEachOthersTasks(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open, analyst.Options{})
		for _, user := range []string{"ann", "bob"} {
			w.prepares(user, "Design the shop of "+user, "Build the shop of "+user)
			w.has(user, demo.New(demo.Options{Instant: true}))
		}
		for _, call := range [][2]string{
			{"semantic-search", `{"query": "Build the shop of ann", "threshold": 0}`},
			{"get-document-context", `{"task_ids": ["bob-t1", "ann-t1"]}`},
			{"detect-dependencies", `{"task_ids": ["bob-t1", "bob-t2", "ann-t1"]}`},
			{"query-task-graph", `{"task_ids": ["bob-t1", "ann-t1"]}`},
			{"cluster-by-similarity", `{"task_ids": ["bob-t1", "bob-t2", "ann-t1"], "threshold": 0}`},
		} {
			r := w.call("bob", call[0], call[1])
			output := strings.ReplaceAll(r.Output, `"unknown_task_ids":["ann-t1"]`, "")
			if r.Status != nestor.ToolCallSuccess || strings.Contains(output, "ann") {
				t.Errorf("%s: %s %s", call[0], output, r.Error)
			}
		}
		sessions := map[string]string{}
		for _, user := range []string{"ann", "bob"} {
			id, err := w.start(user)
			if err != nil {
				t.Fatal(err)
			}
			sessions[user] = id
		}
		for user, id := range sessions {
			s, _ := w.end(user, id)
			if s.Status != record.SessionCompleted || !slices.Equal(s.PrioritizedPlan.OrderedTaskIDs, []string{user + "-t1", user + "-t2"}) {
				t.Errorf("%s has %+v", user, s)
			}
		}
	})
}

// What a tool tells of a person's tasks nobody else may read, or have asked for.
func TestToolsTellNobodyElse(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open, analyst.Options{})
		w.prepares("ann", threeTasks...)
		w.has("ann", demo.New(demo.Options{Instant: true}))
		chat := func(id string) nestor.Path { return record.Of("ann").Child("orch-chats", id) }
		w.update(func(tx store.Tx) error {
			if err := account.NewChat(tx, chat("own"), "Hers"); err != nil {
				return err
			}
			team, err := account.Create(tx, "ann", "Team")
			if err != nil {
				return err
			}
			_, err = tx.Create(chat("shared"), nestor.Chat{AccountID: team.Path.ID()})
			return err
		})
		for name, test := range map[string]struct {
			scope tool.Scope
			tells bool
		}{
			"in a chat of her own": {tool.Scope{UserID: "ann", ChatID: "own", AskedBy: nestor.Askers{"ann"}}, true},
			"in a shared chat":     {tool.Scope{UserID: "ann", ChatID: "shared", AskedBy: nestor.Askers{"ann"}}, false},
			"asked by two":         {tool.Scope{UserID: "ann", ChatID: "own", AskedBy: nestor.Askers{"ann", "bob"}}, false},
			"asked by another":     {tool.Scope{UserID: "ann", ChatID: "own", AskedBy: nestor.Askers{"bob"}}, false},
			"of nobody":            {tool.Scope{}, false},
		} {
			for _, one := range w.analyst.Tools() {
				arguments := `{"task_ids": ["ann-t1", "ann-t2"]}`
				if one.Name == "semantic-search" {
					arguments = `{"query": "shop"}`
				}
				r := tool.Execute(t.Context(), one, tool.Call{
					Scope: test.scope, ID: "c", IdempotencyKey: "k", Name: one.Name, Arguments: arguments,
				}, tool.Options{Logger: quiet})
				if told := r.Status == nestor.ToolCallSuccess; told != test.tells {
					t.Errorf("%s %s: %s %s %s", one.Name, name, r.Status, r.Output, r.Error)
				}
			}
		}
	})
}

func TestOfTwoRequestsAtOnceOneIsRefusedWithTheIDOfTheOther(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open, analyst.Options{})
		w.prepares("ann", threeTasks...)
		model := gate{make(chan struct{}, 10)}
		w.has("ann", model)
		var wg sync.WaitGroup
		var mu sync.Mutex
		var began []string
		var refused []error
		for range 8 {
			wg.Go(func() {
				id, err := w.start("ann")
				if err != nil {
					w.view(func(r store.Reader) error { err = analyst.Refused(r, "ann", err); return nil })
				}
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					began = append(began, id)
				} else {
					refused = append(refused, err)
				}
			})
		}
		wg.Wait()
		if len(began) != 1 {
			t.Fatalf("began have %q", began)
		}
		for _, err := range refused {
			if nestor.CodeOf(err) != nestor.CodeConflict || detail(err, "session_id") != began[0] {
				t.Errorf("refused was one with %v", err)
			}
		}
		w.update(func(tx store.Tx) error { return analyst.Cancel(tx, record.Of("ann").Child("agent-sessions", began[0])) })
		w.idle("ann")
	})
}

func TestWithoutOutcomeOrTasksNoAnalysisBegins(t *testing.T) {
	w := newWorld(t, engines.SQLite(t), analyst.Options{})
	if _, err := w.start("ann"); nestor.CodeOf(err) != nestor.CodeForbidden || detail(err, "reason") != analyst.ReasonNoOutcome {
		t.Errorf("without an outcome: %v", err)
	}
	w.prepares("ann")
	if _, err := w.start("ann"); nestor.CodeOf(err) != nestor.CodeInvalid || !strings.Contains(err.Error(), "no tasks found in your documents") {
		t.Errorf("without tasks: %v", err)
	}
}

func TestModelCallsArePaidByTheUserAndEndWithTheirBudget(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open, analyst.Options{UserBudget: nestor.Budget{Tokens: 100_000}})
		w.prepares("ann", threeTasks...)
		w.says("ann", wholeAnalysis)
		if s, _ := w.analyses("ann"); s.Status != record.SessionCompleted {
			t.Fatalf("the session is %+v", s)
		}
		w.view(func(r store.Reader) error {
			days, err := budget.Days(r, "ann", "2000-01-01", "2999-01-01")
			if err == nil && (len(days) != 1 || days[0].Calls != 7 || days[0].InputTokens != 150 || days[0].OutputTokens != 30) {
				t.Errorf("used was %+v", days)
			}
			left, err2 := budget.Stand(r, budget.Scope{Path: record.Of("ann"), Limit: nestor.Budget{Tokens: 100_000}}, time.Now())
			if err2 == nil && (left.Used.Tokens != 180 || left.Reserved.Tokens != 0) {
				t.Errorf("the budget stands at %+v", left)
			}
			return err
		})
		poor := newWorld(t, engines.SQLite(t), analyst.Options{UserBudget: nestor.Budget{Tokens: 100}})
		poor.prepares("ann", threeTasks...)
		script := poor.says("ann", wholeAnalysis)
		if s, _ := poor.analyses("ann"); s.Status != record.SessionFailed || !strings.Contains(s.Error, "budget") || len(script.Requests()) > 0 {
			t.Errorf("the session is %+v", s)
		}
	})
}
