package crashtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// An errand is a task that is one call of a tool, without a model: the letter to
// the restaurant, which must be written once. The person decides if a crash leaves
// open whether it was. The report on it is the last document to be written.

// runErrand does the errand to its end.
func runErrand(ctx context.Context, c *child) error {
	m, err := join(ctx, c.Database, c.World, &failpoints{killPoint: c.Kill}, memberOptions{})
	if err != nil {
		return err
	}
	return errors.Join(m.errand(ctx), m.close())
}

func (m *member) errand(ctx context.Context) error {
	return m.run(ctx, func(ctx context.Context) error { return workUntil(ctx, m.worker, m.ended, m.send) })
}

// send does what the person does when no job is left, and reports whether the
// errand is done.
func (m *member) send(ctx context.Context) (over bool, err error) {
	for {
		left, err := m.store.Jobs(ctx, store.JobFilter{Limit: 1})
		if err != nil || len(left) > 0 {
			return false, err
		}
		now, err := m.look(ctx)
		if err != nil {
			return false, err
		}
		switch {
		case !now.opened:
			err = m.write(ctx, chatPath, nestor.Chat{Title: "Errands"})
		case now.letter.Status == nestor.ToolCallUnknown:
			err = m.agents.Decide(ctx, now.letterPath, nestor.Decision{Action: nestor.MarkDone, By: person, Reason: letterAnswer})
		case now.said[letterAnswer]:
			return true, nil
		case now.letter.Status != "":
			err = errors.New("nothing is left to do, and the errand is not done")
		default:
			err = m.write(ctx, chatPath.Child("tasks", "t1"), map[string]any{
				"type": nestor.TaskTool, "name": "tool:" + writeLetter, "instruction": "A table for Friday, please.",
			})
		}
		if err != nil {
			return false, err
		}
	}
}

func TestAToolTaskThatIsKilledAnywhereEndsAsIfNothingHadHappened(t *testing.T) {
	var ends [][]string
	for _, engine := range engineNames {
		t.Run(engine, func(t *testing.T) {
			w, passed := newWorld(t), &failpoints{}
			end, _ := finishErrand(t, newDatabase(t, engine), w.address("only"), passed)
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
						db, w := newDatabase(t, engine), newWorld(t)
						if dieIn(t, "errand", db, w.address("victim"), point) {
							killed.Add(1)
						}
						end, interrupted := finishErrand(t, db, w.address("survivor"), &failpoints{})
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

// finishErrand does the errand to its end in this process. It tells how it ended,
// and whether the letter had been under way before.
func finishErrand(t *testing.T, db database, world string, fail *failpoints) (end *ending, interrupted bool) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), childLimit, nestor.Errorf(nestor.CodeTimeout, "the errand does not end"))
	defer cancel()
	m, err := join(ctx, db, world, fail, memberOptions{})
	if err != nil {
		t.Fatal(err)
	}
	now, err := m.look(ctx)
	if err == nil {
		err = m.errand(ctx)
	}
	if err == nil {
		end, err = readEnding(ctx, m.store, letterAnswer)
	}
	if err := errors.Join(err, m.close()); err != nil {
		t.Fatal(err)
	}
	return end, now.letter.Status == nestor.ToolCallRunning
}
