package crashtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor/internal/store/engines"
)

// crash is a way for the flow to be interrupted: a process for each point, all
// killed, before the one that finishes.
type crash struct {
	name   string
	points []killPoint
}

func TestAFlowThatIsKilledAnywhereEndsAsIfNothingHadHappened(t *testing.T) {
	var ends [][]string
	for _, engine := range engines.Names {
		t.Run(engine, func(t *testing.T) {
			whole := uninterrupted(t, engine)
			ends = append(ends, whole.State)
			var planned int
			var killed atomic.Int64
			t.Run("killed", func(t *testing.T) {
				for _, c := range crashes(whole.Passed) {
					planned += len(c.points)
					t.Run(c.name, func(t *testing.T) {
						t.Parallel()
						killed.Add(int64(c.check(t, engine, whole.State)))
					})
				}
				t.Run("after any later commit", func(t *testing.T) {
					t.Parallel()
					for n := whole.Passed.Commit + 1; ; n++ {
						c := crash{points: []killPoint{{Commit: n}}}
						if c.check(t, engine, whole.State) == 0 {
							break // there is none
						}
					}
				})
			})
			// Equal runs differ a little in how many commits they need, so the
			// last points are not always reached. Most must be.
			t.Logf("%d of %d processes were killed at their point, the last being %+v", killed.Load(), planned, whole.Passed)
			if int(killed.Load()) < planned*3/4 {
				t.Error("too few: this tested little")
			}
		})
	}
	if len(ends) == 2 && !slices.Equal(ends[0], ends[1]) {
		t.Errorf("the engines differ:%s", differences(ends[0], ends[1]))
	}
}

// uninterrupted runs the flow a few times without a crash and returns the end
// state with the most failpoints that a run passed.
func uninterrupted(t *testing.T, engine string) report {
	t.Helper()
	var whole report
	for range 3 {
		r, _ := finish(t, task{Program: "flow", Database: engines.New(t, engine)})
		if whole.State != nil && !slices.Equal(r.State, whole.State) {
			t.Fatalf("two uninterrupted runs differ:%s", differences(whole.State, r.State))
		}
		whole.State = r.State
		whole.Passed.Commit = max(whole.Passed.Commit, r.Passed.Commit)
		whole.Passed.Handler = max(whole.Passed.Handler, r.Passed.Handler)
		whole.Passed.Effect = max(whole.Passed.Effect, r.Passed.Effect)
	}
	for _, want := range []string{
		`document orders/o1: version 4, {"notified":true,"status":"done"}`,
		`document orders/o1/totals/all: version 4, {"count":3,"sum":6}`,
		`document orders/o1/summaries/all: version 1, {"squares":[1,4,9]}`,
		`log orders/o1/totals/all: create 1, update 2, update 3, update 4`,
		`log orders/o1/drafts/d1: create 1, delete 2`,
		`log orders/o1/drafts/d1/notes/n2: create 1, delete 2`,
		`jobs dead: 1`,
	} {
		if !slices.Contains(whole.State, want) {
			t.Errorf("the flow did not leave %q", want)
		}
	}
	return whole
}

// crashes are all single ones and a sample of double ones.
func crashes(passed killPoint) []crash {
	var list []crash
	add := func(name string, points ...killPoint) { list = append(list, crash{name, points}) }
	for n := 1; n <= passed.Commit; n++ {
		add(fmt.Sprintf("after commit %d", n), killPoint{Commit: n})
		if n%3 == 0 {
			again := 1 + n%2
			add(fmt.Sprintf("after commit %d and after commit %d of the restart", n, again), killPoint{Commit: n}, killPoint{Commit: again})
		}
	}
	for n := 1; n <= passed.Handler; n++ {
		add(fmt.Sprintf("in handler run %d", n), killPoint{Handler: n})
		if n%4 == 0 {
			add(fmt.Sprintf("in handler run %d and in the next process again", n), killPoint{Handler: n}, killPoint{Handler: 1})
		}
	}
	for n := 1; n <= passed.Effect; n++ {
		add(fmt.Sprintf("inside the transaction of effect %d", n), killPoint{Effect: n})
	}
	return list
}

// check lets it happen on a new database, runs the flow to its end and
// compares. It returns how many processes were killed.
func (c crash) check(t *testing.T, engine string, want []string) (killed int) {
	job := task{Program: "flow", Database: engines.New(t, engine)}
	compare := func(r report) {
		if !slices.Equal(r.State, want) {
			t.Errorf("the end state differs:%s", differences(want, r.State))
		}
	}
	for _, job.Kill = range c.points {
		if r, done := finish(t, job); done {
			compare(r)
		} else {
			killed++
		}
	}
	job.Kill = killPoint{}
	r, _ := finish(t, job)
	compare(r)
	return killed
}

// finish runs a child and returns its report, or false if it was killed.
func finish(t *testing.T, job task) (r report, done bool) {
	t.Helper()
	out, killed := run(t, job)
	if killed {
		if job.Kill == (killPoint{}) {
			t.Fatal("the child was killed by something else")
		}
		return r, false
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("the child printed %q: %v", out, err)
	}
	return r, true
}
