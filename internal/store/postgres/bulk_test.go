package postgres

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
)

// Many steps of a round are one statement. That must do what the steps do that
// transactions of their own make, to documents and to jobs in each situation.
func TestARoundDoesWhatItsTransactionsDoOneByOne(t *testing.T) {
	one, many := newWorld(t), newWorld(t)
	for _, w := range one.works(t) {
		if err := one.store.transact(t.Context(), w.run); err != nil {
			t.Fatal(err)
		}
	}
	var round []*proposal
	for _, w := range many.works(t) {
		p := newProposal(t.Context(), many.store, w, &places{lines: &many.store.lines})
		if err := p.run(); err != nil {
			t.Fatal(err)
		}
		round = append(round, p)
	}
	many.store.commitRound(round)
	for i, p := range round {
		if err := <-p.done; err != nil {
			t.Fatalf("of the %d. in the round: %v", i, err)
		}
		many.store.report(p.tx)
	}
	if got, want := many.state(t), one.state(t); got != want {
		t.Errorf("a round left\n%s\nits transactions one by one\n%s", got, want)
	}
	slices.Sort(many.claimed)
	slices.Sort(one.claimed)
	if got, want := strings.Join(many.claimed, "\n"), strings.Join(one.claimed, "\n"); got != want {
		t.Errorf("a round claimed\n%s\nits transactions one by one\n%s", got, want)
	}
}

// A round in which one job is not ours any more commits nothing. Each of it then finds out
// by itself.
func TestARoundWithAJobThatWasLostCommitsNothing(t *testing.T) {
	w := newWorld(t)
	works := w.works(t)
	before := w.state(t)
	if _, err := w.store.pool.Exec(t.Context(), "UPDATE jobs SET attempt = attempt + 1 WHERE key = 'ends'"); err != nil {
		t.Fatal(err)
	}
	var round []*proposal
	for _, one := range works {
		p := newProposal(t.Context(), w.store, one, &places{lines: &w.store.lines})
		if err := p.run(); err != nil {
			t.Fatal(err)
		}
		round = append(round, p)
	}
	w.store.commitRound(round)
	for i, p := range round {
		if err := <-p.done; err != errAlone {
			t.Errorf("of the %d. in the round: %v", i, err)
		}
	}
	if got, want := w.state(t), strings.Replace(before, "ends running 1", "ends running 2", 1); got != want {
		t.Errorf("the round left\n%s\nbefore it was\n%s", got, want)
	}
}

// world is a store whose documents say which jobs they cause: a document with
// a key causes one.
type world struct {
	store   *Store
	claimed []string
	jobs    map[string]nestor.Job // that run, by key
}

func newWorld(t *testing.T) *world {
	w := &world{jobs: map[string]nestor.Job{}}
	var err error
	if w.store, err = Open(t.Context(), pgtest.URL(t), store.Options{Rules: store.Rules{Planner: w}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.store.Close() })
	w.store.Observe(store.WorkerTurn, func(c store.Commit) {
		for _, j := range c.Claimed {
			w.jobs[j.Key] = j
			w.claimed = append(w.claimed, fmt.Sprint(j.Key, j.ID, j.State, j.Attempt, j.Owner != "", j.Change.Path, j.Change.Version, j.Trigger))
		}
	})
	accept := func(tenant string) bool { return tenant == "users/u1" }
	err = w.store.Join(t.Context(), store.Lease{Node: nestor.NewID(), TTL: time.Hour, Grace: time.Hour, Accept: accept})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Plan implements [store.Planner].
func (w *world) Plan(e *store.Event) []nestor.Job {
	key, _ := e.AfterBody()["key"].(string)
	if key == "" {
		return nil
	}
	c := e.Change
	c.Before, c.After = nil, nil
	return []nestor.Job{{ID: nestor.JobID("t", &c), Key: key, Trigger: "t", Change: c, Coalesce: strings.HasPrefix(key, "coalesces")}}
}

// works are transactions in each situation in which jobs begin and end.
func (w *world) works(t *testing.T) []work {
	t.Helper()
	note := func(user, id, key string) func(store.Tx) error {
		return func(tx store.Tx) error {
			_, err := tx.Put(nestor.Path("users/"+user+"/notes/"+id), map[string]any{"key": key}, store.AnyVersion)
			return err
		}
	}
	for _, key := range []string{"relays", "relays-too", "relays-waiting", "relays-waiting", "relays-full", "ends", "ends-too", "ends-waiting", "ends-waiting", "meets", "taken", "coalesces-waiting", "coalesces-waiting", "coalesces-taken", "dies"} {
		if err := w.store.Update(t.Context(), note("u1", "first-"+key, key)); err != nil {
			t.Fatal(err)
		}
	}
	job := func(key string) *nestor.Job {
		j, ok := w.jobs[key]
		if !ok {
			t.Fatalf("no job of %s runs", key)
		}
		return &j
	}
	cause := "it died"
	return []work{
		{job: job("relays"), fn: note("u1", "first-relays", "relays")},
		{job: job("relays-too"), fn: note("u1", "first-relays-too", "relays-too")},
		{job: job("relays-waiting"), fn: note("u1", "next-relays-waiting", "relays-waiting")},
		{job: job("relays-full"), fn: note("u2", "next-relays-full", "relays-full")},
		{job: job("ends")},
		{job: job("ends-too"), fn: note("u1", "something", "")},
		{job: job("ends-waiting")},
		{job: job("dies"), cause: &cause},
		{fn: note("u1", "new", "free")},
		{fn: note("u1", "new-too", "free-too")},
		{fn: note("u2", "new-full", "free-full")},
		{fn: note("u1", "new-taken", "taken")},
		{fn: note("u1", "new-coalesces", "coalesces-free")},
		{fn: note("u1", "new-coalesces-waiting", "coalesces-waiting")},
		{fn: note("u1", "new-coalesces-taken", "coalesces-taken")},
		{fn: note("u1", "meets-1", "meets")},
		{job: job("meets"), fn: note("u1", "meets-2", "meets")},
		{fn: note("u1", "meets-3", "meets")},
	}
}

// state is all that is there: jobs of each key in their order, documents, and the log.
func (w *world) state(t *testing.T) string {
	t.Helper()
	var lines []string
	jobs, err := w.store.Jobs(t.Context(), store.JobFilter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	dead, err := w.store.Jobs(t.Context(), store.JobFilter{State: nestor.JobDead})
	if err != nil {
		t.Fatal(err)
	}
	jobs = append(jobs, dead...)
	slices.SortStableFunc(jobs, func(a, b nestor.Job) int { return cmp.Compare(a.Key, b.Key) })
	for _, j := range jobs {
		lines = append(lines, fmt.Sprint(j.Key, " ", j.State, " ", j.Attempt, " ", j.Change.Path, " ", j.Change.Version, " ", j.Owner != "", j.Error))
	}
	// Readers of the log wait for other transactions of the server. The table does not.
	rows, err := w.store.pool.Query(t.Context(), "SELECT concat_ws(' ', type, path, version, replaced IS NOT NULL) FROM changes")
	if err != nil {
		t.Fatal(err)
	}
	logged, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(logged)
	return strings.Join(append(lines, logged...), "\n")
}
