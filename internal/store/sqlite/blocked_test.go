package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/sqlite"
)

// perChange plans a job for every change, all of one key.
type perChange struct{}

func (perChange) Plan(e *store.Event) []nestor.Job {
	return []nestor.Job{{ID: e.Path.ID(), Key: "k", Trigger: "t", Change: e.Change}}
}

// A job that ends looks for its next one only while some wait, so it has to be known
// that another process, or the one before, left one that waits.
func TestAJobThatAnotherProcessLeftWaitingIsStarted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nestor.db")
	opts := store.Options{Rules: store.Rules{Planner: perChange{}}}
	ours, other := open(t, path, opts), open(t, path, opts)
	if err := ours.Join(t.Context(), store.Lease{Node: "n1", TTL: time.Minute, Accept: func(string) bool { return true }}); err != nil {
		t.Fatal(err)
	}
	var started []nestor.Job
	ours.Observe(store.WorkerTurn, func(c store.Commit) { started = append(started, c.Claimed...) })
	write := func(s *sqlite.Store, id string) {
		t.Helper()
		if err := s.Update(t.Context(), func(tx store.Tx) error {
			_, err := tx.Create(nestor.Path("users/u1/notes/"+id), map[string]any{})
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	write(ours, "a")
	write(other, "b")
	write(ours, "c")
	for _, want := range []string{"a", "b", "c"} {
		j := started[len(started)-1]
		if j.ID != want {
			t.Fatalf("job %s was started, want %s", j.ID, want)
		}
		if err := ours.Complete(t.Context(), &j, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := ours.Claim(t.Context(), 1); err != nil { // looks whether any wait
			t.Fatal(err)
		}
		if want == "a" {
			write(other, "d")
		}
	}
	if last := started[len(started)-1]; last.ID != "d" || len(started) != 4 {
		t.Errorf("%d jobs were started, the last of them %s, want d as the fourth", len(started), last.ID)
	}
}
