package crashtest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/metrics/record"
	"github.com/nestorhq/nestor/internal/domain/metrics/rollup"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// A process records points and rolls them up, over the end of an hour and of a day. One
// that begins again writes each batch under its id again, as the recorder does with what
// it does not know to be written.

func runMeasure(ctx context.Context, c *child) error {
	fail := &failpoints{killPoint: c.Kill}
	state, err := measure(ctx, c.Database, fail)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report{fail.passed(), state})
}

const measureBatches = 6

func measure(ctx context.Context, db engines.Place, fail *failpoints) ([]string, error) {
	kinds, err := store.NewCatalogue(record.Collections...)
	if err != nil {
		return nil, err
	}
	s, err := db.Open(ctx, store.Options{
		Rules: store.Rules{Catalogue: kinds}, Modules: []store.Schema{{Module: "metrics", Collections: record.Collections}}, Committed: fail.committed,
	})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	owner, begin := record.OfUser(person), time.Date(2026, 3, 14, 22, 59, 10, 0, time.UTC)
	roller := rollup.Roller{Store: s, Keep: rollup.Keep{}.WithDefaults()}
	now := begin
	rollUp := func() (err error) {
		for did := true; did && err == nil; {
			did, err = roller.Pass(ctx, owner, now)
		}
		return err
	}
	for batch := range measureBatches {
		set := &rollup.Set{}
		for i := range 5 {
			at := now.Add(-time.Duration(i) * 25 * time.Minute) // some are late
			set.Add(rollup.Point{Name: "a", Value: float64(batch*10 + i), At: nestor.Millis(at), Dimensions: map[string]string{"n": fmt.Sprint(i % 2)}})
		}
		err := s.Update(ctx, func(tx store.Tx) error { return rollup.WriteAgain(tx, owner, fmt.Sprint("batch", batch), set) })
		if err != nil {
			return nil, err
		}
		now = now.Add(21 * time.Minute)
		if err := rollUp(); err != nil {
			return nil, err
		}
	}
	now = now.Add(25 * time.Hour)
	if err := rollUp(); err != nil {
		return nil, err
	}
	return measured(ctx, s, owner, begin, now)
}

// measured is what queries answer, and how many blocks are left.
func measured(ctx context.Context, s store.Store, owner record.Owner, begin, now time.Time) (lines []string, err error) {
	var aggregates []rollup.Aggregate
	for _, name := range []string{"count", "sum", "min", "max", "p95"} {
		a, err := rollup.ParseAggregate(name)
		if err != nil {
			return nil, err
		}
		aggregates = append(aggregates, a)
	}
	err = s.View(ctx, func(r store.Reader) error {
		lines = nil
		for _, window := range []time.Duration{0, time.Minute, time.Hour, 24 * time.Hour} {
			a, err := rollup.Ask(r, owner, rollup.Query{
				Name: "a", From: nestor.Millis(begin.Add(-24 * time.Hour)), To: nestor.Millis(now), Window: window, GroupBy: []string{"n"}, Aggregates: aggregates,
			}, rollup.Keep{}.WithDefaults(), now)
			if err != nil {
				return err
			}
			for _, row := range a.Rows {
				lines = append(lines, fmt.Sprintf("%v %+v", window, row))
			}
		}
		left, err := r.Query(store.Query{Flat: record.Blocks.Name})
		lines = append(lines, fmt.Sprintf("%d blocks", len(left.Items)))
		return err
	})
	return lines, err
}

// Points that were written are neither lost nor counted twice, wherever their process was
// killed while it wrote them and rolled them up.
func TestPointsWhoseProcessIsKilledWhileTheyAreRolledUpCountOnce(t *testing.T) {
	for _, engine := range engines.Names {
		t.Run(engine, func(t *testing.T) {
			passed := &failpoints{}
			want, err := measure(t.Context(), engines.New(t, engine), passed)
			if err != nil {
				t.Fatal(err)
			}
			// In one window there are the even and the odd ones.
			if first := fmt.Sprintf("count:%d ", 3*measureBatches); len(want) < 20 || !slices.ContainsFunc(want[:2], func(l string) bool {
				return containsAll(l, "n:0", first)
			}) || want[len(want)-1] != "0 blocks" {
				t.Fatalf("uninterrupted it left %q", want)
			}
			t.Run("killed", func(t *testing.T) {
				for commit := 1; commit <= passed.passed().Commit; commit++ {
					t.Run(fmt.Sprint(commit), func(t *testing.T) {
						t.Parallel()
						db := engines.New(t, engine)
						if !dieIn(t, "measure", db, "", killPoint{Commit: commit}) {
							t.Fatal("it was not killed")
						}
						got, err := measure(t.Context(), db, &failpoints{})
						if err != nil {
							t.Fatal(err)
						}
						if !slices.Equal(got, want) {
							t.Errorf("the end state differs:%s", differences(want, got))
						}
					})
				}
			})
		})
	}
}

func containsAll(text string, parts ...string) bool {
	return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(text, p) })
}
