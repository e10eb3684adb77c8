package crashtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/metrics/record"
	"github.com/nestorhq/nestor/internal/domain/metrics/rollup"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

// A process records points and rolls them up, over the end of an hour and of a day. One
// that begins again writes each batch under its id again, as the recorder does with what
// it does not know to be written.

var measureMatrix = matrix{
	name: "measure", program: measure, kinds: []kind{afterCommit},
	whole: func(t *trial, l *life) {
		// In one window there are the even and the odd ones.
		if first := fmt.Sprintf("count:%d ", 3*measureBatches); len(l.end) < 20 || !slices.ContainsFunc(l.end[:2], func(l string) bool {
			return containsAll(l, "n:0", first)
		}) || l.end[len(l.end)-1] != "0 blocks" {
			t.Errorf("uninterrupted it left %q", l.end)
		}
	},
}

// Points that were written are neither lost nor counted twice, wherever their process was
// killed while it wrote them and rolled them up.
func TestPointsWhoseProcessIsKilledWhileTheyAreRolledUpCountOnce(t *testing.T) { measureMatrix.test(t) }

const measureBatches = 6

func measure(ctx context.Context, l *life) ([]string, error) {
	s, _, err := l.openModules(ctx, module.List{module.Of[struct{}]{Name: "metrics", Collections: record.Collections}})
	if err != nil {
		return nil, err
	}
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

func containsAll(text string, parts ...string) bool {
	return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(text, p) })
}
