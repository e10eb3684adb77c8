package analyst_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/domain/priority/analyst"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// The demo model drives the whole flow offline, by rules, and says so.
func TestTheDemoModelMakesAPlanOffline(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open, analyst.Options{})
		w.has("ann", demo.New(demo.Options{Instant: true}))
		w.prepares("ann", "Announce the shop", "Build the shop", "Water the plants", "Test the shop", "Design the shop", "Order cards after we announce the shop")
		s, trace := w.analyses("ann")
		if s.Status != record.SessionCompleted || s.Partial {
			t.Fatalf("the session is %+v, the trace %+v", s, trace)
		}
		var used []string
		for _, step := range trace.Steps {
			used = append(used, *step.ToolName)
		}
		if want := []string{"semantic-search", "get-document-context", "detect-dependencies", "query-task-graph", "cluster-by-similarity", "submit_plan"}; !slices.Equal(used, want) {
			t.Errorf("it used %q", used)
		}
		var order []string
		for _, id := range s.PrioritizedPlan.OrderedTaskIDs {
			if id != "ann-t3" { // which has nothing to do with the outcome
				order = append(order, id)
			}
		}
		if got := strings.Join(order, " "); got != "ann-t5 ann-t2 ann-t4 ann-t1 ann-t6" {
			t.Errorf("the order is %s, the dependencies are %+v", got, s.PrioritizedPlan.Dependencies)
		}
		if !strings.Contains(s.PrioritizedPlan.SynthesisSummary, "rules and not by an AI") || len(s.Notices) > 0 {
			t.Errorf("the summary is %q, the notices are %q", s.PrioritizedPlan.SynthesisSummary, s.Notices)
		}
	})
}

// 200 tasks take far less than the 30 seconds from which a session is slow; go test -bench shows how long.
func BenchmarkAnAnalysisOf200Tasks(b *testing.B) {
	w := newWorld(b, engines.SQLite(b), analyst.Options{})
	w.has("ann", demo.New(demo.Options{Instant: true}))
	var tasks []string
	for i := range 200 {
		verb := []string{"Design", "Build", "Test", "Launch", "Announce"}[i%5]
		tasks = append(tasks, fmt.Sprintf("%s part%d of the shop", verb, i/5))
	}
	w.prepares("ann", tasks...)
	for b.Loop() {
		if s, _ := w.analyses("ann"); s.Status != record.SessionCompleted || len(s.PrioritizedPlan.OrderedTaskIDs) != len(tasks) {
			b.Fatalf("the session is %+v", s)
		}
	}
}
