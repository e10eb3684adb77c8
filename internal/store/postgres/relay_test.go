package postgres

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
	"github.com/nestorhq/nestor/internal/testmain"
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

// Jobs that end in one round, and write nothing, must see a job that somebody else queues behind
// one of them at that moment: nobody would start it any more.
func TestJobsThatEndTogetherStartWhatIsQueuedBehindThem(t *testing.T) {
	for name, queued := range map[string][]string{"the first": {"a"}, "the last": {"b"}, "both": {"a", "b"}} {
		t.Run("behind "+name, func(t *testing.T) { endTogether(t, queued) })
	}
}

// endTogether ends the jobs a and b in one round while another transaction queues jobs
// behind some of them.
func endTogether(t *testing.T, queued []string) {
	url := pgtest.URL(t)
	s, err := Open(t.Context(), url, store.Options{Rules: store.Rules{Planner: keyOfPath{}}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var runs []nestor.Job
	s.Observe(store.First, func(c store.Commit) { runs = append(runs, c.Claimed...) })
	if err := s.Join(t.Context(), store.Lease{Node: nestor.NewID(), TTL: time.Hour, Accept: func(string) bool { return true }}); err != nil {
		t.Fatal(err)
	}
	for _, p := range []nestor.Path{"users/u1/notes/a", "users/u1/notes/b"} {
		err := s.Update(t.Context(), func(tx store.Tx) error {
			_, err := tx.Create(p, map[string]any{})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	other, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(t.Context())
	if _, err := other.Exec(t.Context(), "BEGIN"); err != nil {
		t.Fatal(err)
	}
	for _, id := range queued {
		key := "users/u1/notes/" + id
		if _, err := other.Exec(t.Context(), "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", key); err != nil {
			t.Fatal(err)
		}
		if _, err := other.Exec(t.Context(), `INSERT INTO jobs (id, key, state, trigger_id, event, path, version, seq, at, documents, attempt, run_at)
			SELECT 'behind ' || $2, key, 'blocked', trigger_id, event, path, 2, seq + 2, at, documents, 0, run_at FROM jobs WHERE key = $1`, key, id); err != nil {
			t.Fatal(err)
		}
	}
	round := make([]*proposal, len(runs))
	for i := range runs {
		round[i] = newProposal(t.Context(), s, work{job: &runs[i]}, &places{lines: &s.lines})
		if err := round[i].run(); err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.commitRound(round)
	}()
	testmain.Until(t, "the jobs wait for who queues one behind them", func() (waits bool) {
		select {
		case <-ended:
			t.Fatal("the jobs ended while somebody queued one behind them")
		default:
		}
		err := s.pool.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))").Scan(&waits)
		if err != nil {
			t.Fatal(err)
		}
		return waits
	})
	if _, err := other.Exec(t.Context(), "COMMIT"); err != nil {
		t.Fatal(err)
	}
	<-ended
	for _, p := range round {
		if err := <-p.done; err != nil {
			t.Error(err)
		}
	}
	left, err := s.Jobs(t.Context(), store.JobFilter{})
	var started []string
	for _, j := range left {
		started = append(started, strings.TrimPrefix(j.ID, "behind ")+" "+string(j.State))
	}
	slices.Sort(started)
	want := make([]string, len(queued))
	for i, id := range queued {
		want[i] = id + " " + string(nestor.JobRunning)
	}
	if err != nil || !slices.Equal(started, want) {
		t.Errorf("left are %q, %v; want %q", started, err, want)
	}
}

// keyOfPath queues a job for every change, with the path as its key.
type keyOfPath struct{}

func (keyOfPath) Plan(e *store.Event) []nestor.Job {
	c := e.Change
	c.Before, c.After = nil, nil
	return []nestor.Job{{ID: nestor.JobID("t", &c), Key: string(c.Path), Trigger: "t", Change: c}}
}
