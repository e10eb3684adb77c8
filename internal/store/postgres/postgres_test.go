package postgres_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/store/postgres"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
	"github.com/nestorhq/nestor/internal/store/storetest"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

func open(t *testing.T, url string, opts store.Options) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestContract(t *testing.T) { storetest.Run(t, engines.Postgres) }

// Connections are cut at any moment, in the middle of commits too: every
// transaction happens once, and the chain of a key's jobs never breaks.
func TestConnectionsThatAreCutLoseAndDoubleNothing(t *testing.T) {
	const writers, each, cuts = 6, 40, 25
	name := "cut-" + nestor.NewID()
	s := open(t, pgtest.URL(t)+"&application_name="+name, store.Options{Rules: store.Rules{Planner: chain{}}})
	claimed := make(chan nestor.Job, writers*each)
	waiting := make(chan struct{}, 1)
	s.Observe(store.First, func(c store.Commit) {
		for _, j := range c.Claimed {
			claimed <- j
		}
		if c.Waiting {
			select {
			case waiting <- struct{}{}:
			default:
			}
		}
	})
	wake := s.Wake()
	lease := store.Lease{Node: nestor.NewID(), TTL: time.Hour, Accept: func(string) bool { return true }}
	if err := s.Join(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	progress := make(chan struct{}, writers*each*2)
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				if err := s.Update(t.Context(), increment); err != nil {
					t.Error(err)
				}
				progress <- struct{}{}
			}
		})
	}
	wg.Go(func() {
		// One job per write, each started by the end of the one before, or, while
		// the node is without its lock, left to be claimed.
		for range writers * each {
			var j nestor.Job
			for j.ID == "" {
				select {
				case j = <-claimed:
					continue
				case <-waiting:
				case <-wake:
				}
				got, err := s.Claim(t.Context(), 1)
				if err != nil {
					t.Error(err)
				}
				for _, j := range got.Jobs {
					claimed <- j
				}
			}
			if err := s.Complete(t.Context(), &j, nil); err != nil {
				t.Error(err)
			}
			progress <- struct{}{}
		}
	})
	cutter, err := pgx.Connect(t.Context(), os.Getenv(pgtest.Variable))
	if err != nil {
		t.Fatal(err)
	}
	defer cutter.Close(t.Context())
	for i := range writers * each * 2 {
		<-progress
		if i%(writers*each*2/cuts) != 0 {
			continue
		}
		_, err := cutter.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", name)
		if err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	var d *nestor.Document
	if err := s.View(t.Context(), func(r store.Reader) (err error) { d, err = r.Get(counter); return err }); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf(`{"n":%d}`, writers*each); string(d.Data) != want || d.Version != writers*each {
		t.Errorf("the counter is %s at version %d, want %s", d.Data, d.Version, want)
	}
	if jobs, err := s.Jobs(t.Context(), store.JobFilter{}); err != nil || len(jobs) != 0 {
		t.Errorf("left over: %+v, %v", jobs, err)
	}
}

// Everybody who waits is woken by a commit of another node. Those who wait for jobs
// are, when one was left to others.
func TestAWakeUpReachesEverybodyWhoWaits(t *testing.T) {
	url := pgtest.URL(t)
	here, there := open(t, url, store.Options{}), open(t, url, store.Options{Rules: store.Rules{Planner: jobOfANote{}}})
	first, second, left := here.Wake(), here.Wake(), here.Left()
	for _, s := range []*postgres.Store{here, there} {
		if err := s.Join(t.Context(), store.Lease{Node: nestor.NewID(), TTL: time.Hour, Grace: time.Hour, Accept: func(string) bool { return false }}); err != nil {
			t.Fatal(err)
		}
	}
	if err := there.Renew(t.Context()); err != nil { // it learns of the other
		t.Fatal(err)
	}
	if err := there.Update(t.Context(), increment); err != nil {
		t.Fatal(err)
	}
	<-first
	<-second
	select {
	case <-left:
		t.Error("a commit that left no job has others look for one")
	default:
	}
	if err := there.Update(t.Context(), func(tx store.Tx) error {
		_, err := tx.Create("users/u1/notes/n1", map[string]any{})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	<-left
	<-first
}

// jobOfANote queues a job for every note.
type jobOfANote struct{}

func (jobOfANote) Plan(e *store.Event) []nestor.Job {
	if e.Path.Collection() != "users/u1/notes" {
		return nil
	}
	c := e.Change
	c.Before, c.After = nil, nil
	return []nestor.Job{{ID: nestor.JobID("note", &c), Key: string(c.Path), Trigger: "note", Change: c}}
}

func TestTheURLSaysHowManyConnectionsThereMayBe(t *testing.T) {
	name := "conns-" + nestor.NewID()
	for _, most := range []int{1, 3} {
		s := open(t, pgtest.URL(t)+fmt.Sprintf("&application_name=%s-%d&pool_max_conns=%d", name, most, most), store.Options{})
		var wg sync.WaitGroup
		var inside atomic.Int64
		full := make(chan struct{}) // as many are inside as may be
		for range 20 {
			wg.Go(func() {
				err := s.View(t.Context(), func(store.Reader) error {
					if inside.Add(1) == int64(most) {
						close(full)
					}
					<-full
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		conn, err := pgx.Connect(t.Context(), os.Getenv(pgtest.Variable))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(t.Context())
		var open int // they stay open when they are not needed
		err = conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1", fmt.Sprintf("%s-%d", name, most)).Scan(&open)
		if err != nil || open != most {
			t.Errorf("there are %d connections of at most %d, %v", open, most, err)
		}
	}
}

// A transaction that took its place in the log before others and commits after
// them holds up the feed, but not those who ask for the documents; and they do
// not go past the position that is still to be filled.
func TestSinceSeesWhatIsCommittedAndWaitsForWhatIsNot(t *testing.T) {
	s := open(t, pgtest.URL(t), store.Options{})
	scope, err := store.DefaultCatalogue.Scope("users/u1/notes")
	if err != nil {
		t.Fatal(err)
	}
	since := func(after store.Position) (names []string, next store.Position) {
		t.Helper()
		for more := true; more; {
			d, err := s.Since(t.Context(), scope, after, 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range d.Items {
				names = append(names, l.Path.ID())
			}
			after, more = d.Next, d.More
		}
		return names, after
	}
	create := func(tx store.Tx, id string) error {
		_, err := tx.Create(nestor.Path("users/u1/notes/"+id), map[string]any{})
		return err
	}
	begun, end := make(chan struct{}), make(chan struct{})
	slow := make(chan error)
	go func() {
		slow <- s.Update(t.Context(), func(tx store.Tx) error {
			if err := create(tx, "slow"); err != nil {
				return err
			}
			if _, err := tx.Query(store.Query{Collection: "users/u1/notes"}); err != nil { // sends the write
				return err
			}
			close(begun)
			<-end
			return nil
		})
	}()
	<-begun
	for _, id := range []string{"a", "b"} {
		if err := s.Update(t.Context(), func(tx store.Tx) error { return create(tx, id) }); err != nil {
			t.Fatal(err)
		}
	}
	names, next := since(store.Position{})
	if !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("before the slow one has committed there are %v", names)
	}
	close(end)
	if err := <-slow; err != nil {
		t.Fatal(err)
	}
	if names, _ := since(next); !slices.Equal(names, []string{"slow", "a", "b"}) {
		t.Errorf("from there on come %v", names)
	}
}

const counter = nestor.Path("users/u1/counters/c")

func increment(tx store.Tx) error {
	var c struct {
		N int `json:"n"`
	}
	d, err := tx.Get(counter)
	if err == nil {
		err = d.Decode(&c)
	}
	if err != nil && !errors.Is(err, nestor.ErrNotFound) {
		return err
	}
	c.N++
	_, err = tx.Put(counter, c, store.AnyVersion)
	return err
}

// chain queues one job per change, all of one key.
type chain struct{}

func (chain) Plan(e *store.Event) []nestor.Job {
	c := e.Change
	c.Before, c.After = nil, nil
	return []nestor.Job{{ID: nestor.JobID("t", &c), Trigger: "t", Key: "k", Change: c}}
}
