package postgres

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
)

// oneKey queues a job for every new document, all of one key.
type oneKey struct{}

func (oneKey) Plan(e *store.Event) []nestor.Job {
	c := e.Change
	c.Before, c.After = nil, nil
	return []nestor.Job{{ID: nestor.JobID("t", &c), Key: "k", Trigger: "t", Change: c}}
}

// The steps of an agent follow each other in one row, which is rewritten in its page. If a
// column of an index changed with it, each step would write to all indexes.
func TestAJobThatFollowsAnotherWritesToNoIndex(t *testing.T) {
	url := pgtest.URL(t)
	s, err := Open(t.Context(), url, store.Options{Rules: store.Rules{Planner: oneKey{}}})
	if err != nil {
		t.Fatal(err)
	}
	var runs []nestor.Job
	s.Observe(store.First, func(c store.Commit) { runs = append(runs, c.Claimed...) })
	if err := s.Join(t.Context(), store.Lease{Node: nestor.NewID(), TTL: time.Hour, Accept: func(string) bool { return true }}); err != nil {
		t.Fatal(err)
	}
	wal := func() (at int64) {
		if err := s.pool.QueryRow(t.Context(), "SELECT pg_current_wal_lsn() - '0/0'").Scan(&at); err != nil {
			t.Fatal(err)
		}
		return at
	}
	const steps = 20
	step := func(i int) func(store.Tx) error {
		return func(tx store.Tx) error {
			_, err := tx.Create(nestor.Path(fmt.Sprintf("users/u1/notes/n%d", i)), map[string]any{})
			return err
		}
	}
	if err := s.Update(t.Context(), step(0)); err != nil {
		t.Fatal(err)
	}
	before := wal()
	for i := range steps {
		if err := s.Complete(t.Context(), &runs[i], step(i+1)); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d bytes of the server's log for each step", (wal()-before)/steps)
	s.Close() // its sessions tell what they did when they end
	db, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	for deadline := time.Now().Add(10 * time.Second); ; {
		var updated, inPage int
		err := db.QueryRow(t.Context(), "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relid = 'jobs'::regclass").Scan(&updated, &inPage)
		if err != nil {
			t.Fatal(err)
		}
		if updated >= steps || time.Now().After(deadline) {
			if updated != steps || inPage != steps {
				t.Errorf("%d of %d updates of the row left the indexes alone, want all of %d", inPage, updated, steps)
			}
			return
		}
	}
}
