package budget_test

import (
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func (e env) record(at time.Time, user string, used ...budget.Used) {
	e.Helper()
	e.must(e.s.Update(e.Context(), func(tx store.Tx) error { return budget.Record(tx, at, user, user, used...) }))
}

func (e env) days(user, from, to string) (days []budget.Day) {
	e.Helper()
	e.must(e.s.View(e.Context(), func(r store.Reader) (err error) {
		days, err = budget.Days(r, user, from, to)
		return err
	}))
	return days
}

func day(s string) time.Time {
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return at
}

func TestWhatIsUsedAddsUpPerDayAndModel(t *testing.T) {
	each(t, func(e env) {
		big := budget.Used{
			Model: "big", CostMicros: 30, Calls: 2,
			Usage: nestor.Usage{InputTokens: 100, CachedInputTokens: 60, OutputTokens: 10, ReasoningTokens: 4},
		}
		small := budget.Used{Model: "org/small.1", CostMicros: 1, Calls: 1, Usage: nestor.Usage{InputTokens: 5, OutputTokens: 1}}
		at := day("2026-03-01T12:00:00Z")
		e.record(at, "u1", big, small)
		e.record(at, "u1", big)
		e.record(at, "u2", small)
		e.record(at, "u3")
		got := e.days("u1", "2026-03-01", "2026-03-01")
		want := []budget.Day{{
			Totals: budget.Totals{
				CostMicros: 61, Calls: 5,
				Usage: nestor.Usage{InputTokens: 205, CachedInputTokens: 120, OutputTokens: 21, ReasoningTokens: 8},
			},
			Models: map[string]budget.Totals{
				"big": {
					CostMicros: 60, Calls: 4,
					Usage: nestor.Usage{InputTokens: 200, CachedInputTokens: 120, OutputTokens: 20, ReasoningTokens: 8},
				},
				"org/small.1": {CostMicros: 1, Calls: 1, Usage: nestor.Usage{InputTokens: 5, OutputTokens: 1}},
			},
		}}
		if len(got) == 1 {
			want[0].Meta = got[0].Meta
		}
		if !reflect.DeepEqual(got, want) || got[0].ID != "2026-03-01" || got[0].Version != 2 {
			e.Errorf("got %+v, want %+v, written twice", got, want)
		}
		if others := e.days("u2", "2026-03-01", "2026-03-01"); len(others) != 1 || others[0].Calls != 1 {
			e.Errorf("another user used %+v", others)
		}
		if none := e.days("u3", "2026-03-01", "2026-03-01"); len(none) != 0 {
			e.Errorf("who used nothing used %+v", none)
		}
	})
}

func TestNothingThatIsRecordedTakesAwayFromWhatWasUsed(t *testing.T) {
	each(t, func(e env) {
		at, all := day("2026-03-01T12:00:00Z"), nestor.Usage{InputTokens: 5, CachedInputTokens: 4, OutputTokens: 3, ReasoningTokens: 2}
		e.record(at, "u1", budget.Used{Model: "m", CostMicros: 7, Calls: 1, Usage: all})
		e.record(at, "u1", budget.Used{Model: "m", CostMicros: -7, Calls: 1, Usage: nestor.Usage{
			InputTokens: -5, CachedInputTokens: -4, OutputTokens: -3, ReasoningTokens: -2,
		}})
		if got := e.days("u1", "2026-03-01", "2026-03-01")[0].Totals; got.Usage != all || got.CostMicros != 7 || got.Calls != 2 {
			e.Errorf("got %+v", got)
		}
	})
}

func TestWhatIsUsedAtOnceAddsUpAndNoTransactionIsRunMoreThanTwice(t *testing.T) {
	each(t, func(e env) {
		at := day("2026-03-01T12:00:00Z")
		used := budget.Used{Model: "m", Usage: nestor.Usage{OutputTokens: 3}, Calls: 1}
		e.must(e.s.Update(e.Context(), func(tx store.Tx) error { return budget.Record(tx, at, "u1", "c1", used) }))
		var runs atomic.Int64
		var wg sync.WaitGroup
		for range 24 {
			wg.Go(func() {
				err := e.s.Update(e.Context(), func(tx store.Tx) error {
					runs.Add(1)
					return budget.Record(tx, at, "u1", "c1", used)
				})
				if err != nil {
					e.Error(err)
				}
			})
		}
		wg.Wait()
		got := e.days("u1", "2026-03-01", "2026-03-01")
		if len(got) != 1 || got[0].Calls != 25 || got[0].OutputTokens != 75 || got[0].Models["m"] != got[0].Totals {
			e.Errorf("got %+v", got)
		}
		if n := runs.Load(); n > 48 { // together with others, and if that fails by itself
			e.Errorf("24 transactions ran %d times", n)
		}
	})
}

// Work of different keys does not wait for each other: while one transaction that has
// recorded something is open, others record.
func TestWorkOfDifferentKeysDoesNotWait(t *testing.T) {
	pg := engines.Postgres(t)
	e := env{t, pg(t, store.Options{})}
	other := pg(t, store.Options{})
	at, used := day("2026-03-01T12:00:00Z"), budget.Used{Model: "m", Calls: 1}
	e.must(e.s.Update(e.Context(), func(tx store.Tx) error {
		if err := budget.Record(tx, at, "u1", "users/u1/orch-chats/a", used); err != nil {
			return err
		}
		return other.Update(e.Context(), func(tx store.Tx) error {
			return budget.Record(tx, at, "u1", "users/u1/orch-chats/b", used)
		})
	}))
	got := e.days("u1", "2026-03-01", "2026-03-01")
	if len(got) != 1 || got[0].ID != "2026-03-01" || got[0].Calls != 2 || got[0].Models["m"].Calls != 2 {
		t.Errorf("got %+v", got)
	}
}

// Databases of before shares have one document for each day.
func TestADayOfBeforeSharesCounts(t *testing.T) {
	each(t, func(e env) {
		e.must(e.s.Update(e.Context(), func(tx store.Tx) error {
			_, err := tx.Create("users/u1/usage/2026-03-01", map[string]any{"inputTokens": 5, "calls": 2, "models": map[string]any{"m": map[string]any{"inputTokens": 5, "calls": 2}}})
			return err
		}))
		e.record(day("2026-03-01T12:00:00Z"), "u1", budget.Used{Model: "m", Calls: 1, Usage: nestor.Usage{InputTokens: 1}})
		got := e.days("u1", "2026-03-01", "2026-03-01")
		if len(got) != 1 || got[0].Calls != 3 || got[0].InputTokens != 6 || got[0].Models["m"] != got[0].Totals {
			e.Errorf("got %+v", got)
		}
	})
}

func TestDaysAreThoseOfUTCBetweenBothEnds(t *testing.T) {
	each(t, func(e env) {
		used := budget.Used{Model: "m", Calls: 1}
		for _, at := range []string{
			"2026-03-02T00:30:00+01:00", // still the first
			"2026-02-28T23:59:59Z",
			"2026-03-02T20:00:00-05:00", // the third already
			"2026-03-04T00:00:00Z",
		} {
			e.record(day(at), "u1", used)
		}
		for _, tt := range []struct {
			from, to string
			want     []string
		}{
			{"2026-02-28", "2026-03-03", []string{"2026-02-28", "2026-03-01", "2026-03-03"}},
			{"2026-03-01", "2026-03-01", []string{"2026-03-01"}},
			{"2026-03-05", "2026-12-31", nil},
			{"2026-03-03", "2026-03-01", nil},
		} {
			var got []string
			for _, d := range e.days("u1", tt.from, tt.to) {
				got = append(got, d.ID)
			}
			if !reflect.DeepEqual(got, tt.want) {
				e.Errorf("from %s to %s there are %v, want %v", tt.from, tt.to, got, tt.want)
			}
		}
		for _, bad := range []string{"", "yesterday", "2026-02-30"} {
			err := e.s.View(e.Context(), func(r store.Reader) error {
				_, err := budget.Days(r, "u1", bad, "2026-03-01")
				return err
			})
			if nestor.CodeOf(err) != nestor.CodeInvalid {
				e.Errorf("from %q: %v", bad, err)
			}
		}
	})
}
