package metrics_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/domain/metrics"
	"github.com/nestorhq/nestor/internal/domain/metrics/record"
	"github.com/nestorhq/nestor/internal/domain/metrics/rollup"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// doubtful is a database whose first transactions fail, and nobody knows whether they
// took effect: every other one did.
type doubtful struct {
	store.Store
	failures int
}

var errAway = errors.New("the database is away")

func (d *doubtful) Update(ctx context.Context, fn func(store.Tx) error) error {
	if d.failures--; d.failures < 0 {
		return d.Store.Update(ctx, fn)
	}
	if d.failures%2 == 0 {
		return cmp.Or(d.Store.Update(ctx, fn), errAway)
	}
	return errAway
}

func eachStore(t *testing.T, test func(*testing.T, store.Store)) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		kinds, err := store.NewCatalogue(record.Collections...)
		if err != nil {
			t.Fatal(err)
		}
		test(t, open(t, store.Options{
			Rules: store.Rules{Catalogue: kinds}, Modules: []store.Schema{{Module: "metrics", Collections: record.Collections}},
		}))
	})
}

// aggregate is that of a user's points of the last hour.
func aggregate(t *testing.T, s store.Store, user, name, how string) float64 {
	t.Helper()
	of, err := rollup.ParseAggregate(how)
	if err != nil {
		t.Fatal(err)
	}
	var a *rollup.Answer
	err = s.View(t.Context(), func(docs store.Reader) (err error) {
		now := time.Now().Add(2 * time.Minute)
		a, err = rollup.Ask(docs, record.OfUser(user), rollup.Query{
			Name: name, From: nestor.Millis(now) - 3_600_000, To: nestor.Millis(now), Aggregates: []rollup.Aggregate{of},
		}, rollup.Keep{}.WithDefaults(), now)
		return err
	})
	if err != nil || len(a.Rows) != 1 {
		t.Fatalf("the points of %s at %s: %+v, %v", user, name, a, err)
	}
	return a.Rows[0].Values[how]
}

func isUser(t *testing.T, s store.Store, id string) {
	t.Helper()
	err := s.Update(t.Context(), func(tx store.Tx) error {
		_, err := tx.Create(nestor.Path("users/"+id), map[string]any{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What was recorded for a user who is deleted meanwhile is left behind by nobody.
func TestNothingIsRecordedForAUserWhoWasDeleted(t *testing.T) {
	eachStore(t, func(t *testing.T, s store.Store) {
		isUser(t, s, "ada")
		r := metrics.NewRecorder(false)
		r.Record("ada", "a", nil, 1)
		r.Record("local", "a", nil, 1)
		if err := s.Update(t.Context(), func(tx store.Tx) error { return tx.Delete("users/ada", 0) }); err != nil {
			t.Fatal(err)
		}
		if err := r.Flush(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		err := s.View(t.Context(), func(docs store.Reader) error {
			for user, want := range map[string]int{"ada": 0, "local": 1} {
				page, err := docs.Query(store.Query{Collection: record.OfUser(user).Blocks()})
				if err != nil || len(page.Items) != want {
					t.Errorf("%s has %d blocks, %v", user, len(page.Items), err)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestPointsAreWrittenOnceWhateverBecomesOfAnAttempt(t *testing.T) {
	eachStore(t, func(t *testing.T, s store.Store) {
		for _, folded := range []bool{false, true} {
			user := fmt.Sprint("ada-", folded)
			isUser(t, s, user)
			r, away := metrics.NewRecorder(false), &doubtful{s, 4}
			roller := rollup.Roller{Store: s, Keep: rollup.Keep{}.WithDefaults()}
			for i := range 6 {
				r.Record(user, "a", nil, float64(i))
				if err := r.Flush(t.Context(), away); (err != nil) != (i < 4) {
					t.Fatalf("flush %d: %v", i, err)
				}
				// What was written is rolled up before it is written again.
				for did := folded; did; {
					var err error
					if did, err = roller.Pass(t.Context(), record.OfUser(user), time.Now().Add(2*time.Minute)); err != nil {
						t.Fatal(err)
					}
				}
			}
			if sum := aggregate(t, s, user, "a", "sum"); sum != 15 {
				t.Errorf("%s: the points add up to %v", user, sum)
			}
		}
	})
}

// Books of usage that are full are put away: what they hold was recorded when it was used.
func TestAFullBookOfUsageIsNotRecordedAgain(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		kinds, err := store.NewCatalogue(record.Collections...)
		if err != nil {
			t.Fatal(err)
		}
		s := open(t, store.Options{Rules: store.Rules{Catalogue: kinds}, Modules: []store.Schema{{Module: "metrics", Collections: record.Collections}}})
		r := metrics.NewRecorder(false)
		s.Observe(store.First, func(c store.Commit) { metrics.Committed(r, c) })
		isUser(t, s, "ada")
		const roles = 100
		for i := range roles {
			used := budget.Used{Model: "m", Role: fmt.Sprint("r", i), Calls: 1, Usage: nestor.Usage{InputTokens: 1}}
			if err := s.Update(t.Context(), func(tx store.Tx) error { return budget.Record(tx, time.Now(), "ada", "ada", used) }); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Flush(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		sum, err := rollup.ParseAggregate("sum")
		if err != nil {
			t.Fatal(err)
		}
		var a *rollup.Answer
		err = s.View(t.Context(), func(docs store.Reader) (err error) {
			now := time.Now().Add(2 * time.Minute)
			a, err = rollup.Ask(docs, record.OfUser("ada"), rollup.Query{
				Name: "nestor.model.tokens_in", From: nestor.Millis(now) - 3_600_000, To: nestor.Millis(now), Aggregates: []rollup.Aggregate{sum},
			}, rollup.Keep{}.WithDefaults(), now)
			return err
		})
		if err != nil || len(a.Rows) != 1 || a.Rows[0].Values["sum"] != roles {
			t.Errorf("recorded are %+v: %v", a, err)
		}
	})
}

// A busy server commits thousands of times a second. What it recorded of that holds on
// to few documents, and is whole when it is written.
func TestManyCommitsAreLookedAtBeforeTheyAreWritten(t *testing.T) {
	eachStore(t, func(t *testing.T, s store.Store) {
		r := metrics.NewRecorder(false)
		const commits = 3*metrics.ManyCommits + 7
		for i := range commits {
			p := nestor.Path(fmt.Sprintf("users/ada/orch-chats/c/messages/m%d", i))
			metrics.Committed(r, store.Commit{Changes: []nestor.Change{{Type: nestor.Create, Path: p, At: nestor.Millis(time.Now()), After: &nestor.Document{
				Path: p, Data: []byte(`{"role":"assistant","content":"Hello.","metadata":{"model":"m","durationMs":5}}`),
			}}}})
			looked := r.Look()
			if want := (i + 1) % metrics.ManyCommits; looked != (want == 0) || r.Waiting() != want {
				t.Fatalf("after %d commits %d wait, looked at: %v", i+1, r.Waiting(), looked)
			}
		}
		isUser(t, s, "ada")
		if err := r.Flush(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if got := aggregate(t, s, "ada", rollup.Runtime+"model.duration_ms", "count"); got != commits {
			t.Errorf("%v calls of the model were recorded, not %d", got, commits)
		}
	})
}

// A block that cannot be folded holds up its owner, not everybody after them.
func TestOneOwnersPointsDoNotHoldUpThoseOfOthers(t *testing.T) {
	eachStore(t, func(t *testing.T, s store.Store) {
		now := time.Now()
		at := record.Minute.Floor(nestor.Millis(now.Add(-10 * time.Minute)))
		set := &rollup.Set{}
		set.Add(rollup.Point{Name: "a", Value: 1, At: at})
		if err := s.Update(t.Context(), func(tx store.Tx) error {
			broken := record.Block{Newest: at, Groups: []record.Group{{Name: "a", Start: at, Data: "no series"}}}
			if _, err := tx.Create(record.OfUser("ada").Block("x", 0), broken); err != nil {
				return err
			}
			return rollup.Write(tx, record.OfUser("bob"), set)
		}); err != nil {
			t.Fatal(err)
		}
		if err := metrics.RollUp(t.Context(), s, now); err == nil {
			t.Error("the broken block was folded")
		}
		if err := s.View(t.Context(), func(docs store.Reader) error {
			left, err := docs.Query(store.Query{Collection: record.OfUser("bob").Blocks()})
			if err == nil && len(left.Items) > 0 {
				t.Errorf("%d blocks of bob are left", len(left.Items))
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	})
}
