package postgres_test

import (
	"testing"
	"time"

	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
)

// TestANodeThatIsMissedIsTakenOverFromWhenItsGraceEnds: its end is noted when it is first
// seen, those who look are told when to come again, and one that came back is missed no more.
func TestANodeThatIsMissedIsTakenOverFromWhenItsGraceEnds(t *testing.T) {
	url := pgtest.URL(t)
	const grace = time.Hour
	join := func(name string, grace time.Duration) *postgres.Store {
		s, err := postgres.Open(t.Context(), url, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		if err := s.Join(t.Context(), store.Lease{Node: name, TTL: 2 * time.Hour, Grace: grace, Accept: func(string) bool { return false }}); err != nil {
			t.Fatal(err)
		}
		return s
	}
	watcher, other := join("watcher", grace), join("other", grace)
	missed := func() time.Time {
		t.Helper()
		due, err := watcher.Missed(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return due
	}
	renew := func() int { // tells how many others there are
		t.Helper()
		if err := watcher.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		return watcher.Others()
	}
	takeOver := func() {
		t.Helper()
		if _, err := watcher.TakeOver(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if renew(); !missed().IsZero() {
		t.Error("a node that is there is missed")
	}
	other.Close()           // without Leave, as a crash would
	for missed().IsZero() { // the server notices a moment later
	}
	if due := missed(); time.Until(due) > 0 {
		t.Errorf("that a node is missed is to be noted at %v, want at once", due)
	}
	takeOver()
	if left := time.Until(missed()); left > grace || left < grace-time.Minute {
		t.Errorf("a node counts as gone in %v, want after its grace of %v", left, grace)
	}
	back := join("other", grace)
	takeOver()
	if due := missed(); !due.IsZero() {
		t.Errorf("a node that came back is missed, until %v", due)
	}
	back.Close()

	impatient := join("impatient", 0)
	for gone := false; !gone; {
		if _, err := impatient.TakeOver(t.Context()); err != nil {
			t.Fatal(err)
		}
		gone = renew() == 1
	}
}
