package crashtest

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
)

// realLease is short enough to be lost.
const realLease = 3 * time.Second

// soakVariable makes the database crash for longer than in make test: a
// duration, as in NESTOR_SOAK=10m.
const soakVariable = "NESTOR_SOAK"

func soakTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv(soakVariable)
	if text == "" {
		return 10 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", soakVariable, err)
	}
	return d
}

// TestWhatWasAcknowledgedOutlivesCrashesOfPostgreSQL crashes the server again
// and again while some write and agents work, and holds what is in the database
// against what they were told. No model is asked twice.
func TestWhatWasAcknowledgedOutlivesCrashesOfPostgreSQL(t *testing.T) {
	want := wholeConversation(t)
	c := &crashing{t: t, server: pgtest.Start(t)}
	db, err := c.database()
	if err != nil {
		t.Fatal(err)
	}
	s, err := db.Open(t.Context(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	// It goes on until enough went wrong, however slow the machine is.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var written atomic.Int64
	end := time.Now().Add(soakTime(t))
	lasts := func() bool {
		return !t.Failed() && (time.Now().Before(end) || c.crashes.Load() < 5 || written.Load() < 100)
	}
	var wg sync.WaitGroup
	tallies := make([]tally, 12)
	for i := range tallies {
		wg.Go(func() { tallies[i].write(t, ctx, s, writerPath(i), &written) })
	}
	wg.Go(func() { c.crash(ctx) })
	conversations := 0
	for lasts() && c.converse(want) {
		conversations++
	}
	cancel()
	wg.Wait()

	acknowledged, unknown := 0, 0
	documents := map[nestor.Path]*nestor.Document{}
	for i, y := range tallies {
		n := checkWriter(t, s, writerPath(i), documents)
		if n < y.last || n > y.last+1 {
			t.Errorf("writer %d was told of %d writes, and %d are there", i, y.last, n)
		}
		acknowledged += y.acknowledged
		unknown += y.unknown
	}
	checkLog(t, s, documents)
	t.Logf("%d crashes, %d conversations, %d writes acknowledged, of %d it was not known", c.crashes.Load(), conversations, acknowledged, unknown)
}

// tally is what one writer was told.
type tally struct {
	last                  int // number acknowledged
	acknowledged, unknown int
}

// write counts up until ctx ends. Nobody else writes at p, so the next number
// follows the one acknowledged last, unless it was not known whether a write
// took effect.
func (y *tally) write(t *testing.T, ctx context.Context, s store.Store, p nestor.Path, written *atomic.Int64) {
	doubt := 0
	for ctx.Err() == nil {
		n, err := writeNext(context.WithoutCancel(ctx), s, p)
		switch {
		case errors.Is(err, nestor.ErrUnavailable):
			doubt++
			y.unknown++
			continue
		case err != nil:
			t.Errorf("%s: %v", p, err)
			return
		case n <= y.last:
			t.Errorf("%s: write %d was acknowledged and is gone: the next one is %d", p, y.last, n)
		case n > y.last+1+doubt:
			t.Errorf("%s: after write %d comes %d", p, y.last, n)
		}
		y.last, doubt = n, 0
		y.acknowledged++
		written.Add(1)
	}
}

// crashing is a server that crashes.
type crashing struct {
	t       *testing.T
	server  *pgtest.Server
	calm    sync.Mutex // while it is held there are no crashes
	crashes atomic.Int64
}

// crash crashes the server about once a second until ctx ends.
func (c *crashing) crash(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(200*time.Millisecond + rand.N(time.Second)):
		}
		c.calm.Lock()
		act := c.server.Crash
		if rand.N(3) == 0 {
			act = c.server.Kill
		}
		err := act()
		c.calm.Unlock()
		if err != nil {
			c.t.Error(err)
			return
		}
		c.crashes.Add(1)
	}
}

// database makes an empty one.
func (c *crashing) database() (engines.Place, error) {
	url, err := c.server.Schema()
	return engines.Place{Engine: "postgres", Address: url}, err
}

// converse holds a whole conversation and compares. It reports false if that
// did not come to an end.
func (c *crashing) converse(want []string) bool {
	c.t.Helper()
	ctx, cancel := inTime(c.t.Context())
	defer cancel()
	w := newWorld(c.t)
	m, err := c.join(ctx, w)
	if err != nil {
		c.t.Error(err)
		return false
	}
	if err := errors.Join(conversation.toTheEnd(ctx, m), m.close()); err != nil {
		c.t.Errorf("a conversation: %v", err)
		return false
	}
	if m.ending.check(c.t, w, 0, want) {
		c.t.Error("the person was asked about a letter although no process ended")
	}
	return true
}

// join opens a new database, while there are no crashes.
func (c *crashing) join(ctx context.Context, w *world) (*member, error) {
	c.calm.Lock()
	defer c.calm.Unlock()
	db, err := c.database()
	if err != nil {
		return nil, err
	}
	return join(ctx, newLife(db, w.address("member")), memberOptions{lease: realLease})
}
