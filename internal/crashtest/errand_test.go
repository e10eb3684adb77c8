package crashtest

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// An errand is a task that is one call of a tool, without a model: the letter to
// the restaurant, which must be written once. The report on it is the last document
// to be written.
var errand = play{last: letterAnswer, act: func(ctx context.Context, m *member, now situation) error {
	switch {
	case !now.opened:
		return m.write(ctx, chatPath, nestor.Chat{Title: "Errands"})
	case now.letter.Status == "":
		return m.write(ctx, chatPath.Child("tasks", "t1"), map[string]any{
			"type": nestor.TaskTool, "name": "tool:" + writeLetter, "instruction": "A table for Friday, please.",
		})
	}
	return errStuck
}}

func TestAToolTaskThatIsKilledAnywhereEndsAsIfNothingHadHappened(t *testing.T) {
	var ends [][]string
	for _, engine := range engines.Names {
		t.Run(engine, func(t *testing.T) {
			w, passed := newWorld(t), &failpoints{}
			end, _ := errand.finish(t, engines.New(t, engine), w.address("only"), passed)
			want := end.lines()
			ends = append(ends, want)
			if n := w.ran(writeLetter); n != 1 || len(end.documents) != 5 { // chat, task, agent, call, report
				t.Errorf("%d letters, and at the end there is %q", n, want)
			}
			if n := passed.requests.Load(); n != 0 {
				t.Errorf("a model was asked %d times", n)
			}
			var killed, decided atomic.Int64
			points := errandPoints(passed.passed())
			t.Run("killed", func(t *testing.T) {
				for _, point := range points {
					t.Run(fmt.Sprintf("%+v", point), func(t *testing.T) {
						t.Parallel()
						db, w := engines.New(t, engine), newWorld(t)
						if dieIn(t, "errand", db, w.address("victim"), point) {
							killed.Add(1)
						}
						end, interrupted := errand.finish(t, db, w.address("survivor"), &failpoints{})
						asked, err := end.undecide()
						if err != nil || asked != interrupted {
							t.Errorf("whether a letter was interrupted: %t; whether the person was asked: %t, %v", interrupted, asked, err)
						}
						if asked {
							decided.Add(1)
						}
						if n := w.ran(writeLetter); n > 1 || n == 0 && !asked {
							t.Errorf("the letter was written %d times", n)
						}
						if got := end.lines(); !slices.Equal(got, want) {
							t.Errorf("the end differs:%s", differences(want, got))
						}
					})
				}
			})
			t.Logf("%d of %d processes were killed at their point, %d while it was open whether a letter was sent",
				killed.Load(), len(points), decided.Load())
			if int(killed.Load()) < len(points)*9/10 || decided.Load() < 3 {
				t.Error("too few: this tested little")
			}
		})
	}
	if len(ends) == 2 && !slices.Equal(ends[0], ends[1]) {
		t.Errorf("the engines differ:%s", differences(ends[0], ends[1]))
	}
}

// errandPoints are all that an errand passes.
func errandPoints(passed killPoint) []killPoint {
	points := []killPoint{{Tool: writeLetter + " begins"}, {Tool: writeLetter + " done"}}
	for n := 1; n <= passed.Commit; n++ {
		points = append(points, killPoint{Commit: n})
	}
	for n := 1; n <= passed.Handler; n++ {
		points = append(points, killPoint{Handler: n})
	}
	for n := 1; n <= passed.Effect; n++ {
		points = append(points, killPoint{Effect: n})
	}
	return points
}
