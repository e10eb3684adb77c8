package postgres

import (
	"fmt"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
)

// Transactions of one node that write the same document come one after the other:
// none is run for nothing, and they need no locks.
func TestWhoWritesTheSameDocumentIsRunOnce(t *testing.T) {
	s := open(t)
	const writers = 40
	var runs atomic.Int64
	var group errgroup.Group
	for range writers {
		group.Go(func() error {
			return s.Update(t.Context(), func(tx store.Tx) error {
				runs.Add(1)
				return count(tx, "users/u1/counters/c")
			})
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := counted(t, s, "users/u1/counters/c"); got != writers || runs.Load() != writers {
		t.Errorf("%d writers counted to %d in %d runs", writers, got, runs.Load())
	}
}

// Those who want the same documents in different order wait for nobody who waits for
// them.
func TestWhoWritesTheSameDocumentsInAnyOrderEnds(t *testing.T) {
	s := open(t)
	const writers, documents = 12, 3
	var group errgroup.Group
	for i := range writers {
		group.Go(func() error {
			return s.Update(t.Context(), func(tx store.Tx) error {
				for k := range documents {
					if err := count(tx, nestor.Path(fmt.Sprintf("users/u1/counters/c%d", (i+k)%documents))); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	for k := range documents {
		if got := counted(t, s, nestor.Path(fmt.Sprintf("users/u1/counters/c%d", k))); got != writers {
			t.Errorf("%d writers counted to %d", writers, got)
		}
	}
}

func open(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), pgtest.URL(t), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

type counter struct {
	nestor.Meta
	N int `json:"n"`
}

func count(tx store.Tx, p nestor.Path) error {
	d, err := tx.(*store.Session).GetToWrite(p)
	if err != nil {
		return err
	}
	var c counter
	if d != nil {
		if c, err = nestor.As[counter](d); err != nil {
			return err
		}
	}
	_, err = tx.Put(p, map[string]int{"n": c.N + 1}, store.AnyVersion)
	return err
}

func counted(t *testing.T, s *Store, p nestor.Path) int {
	t.Helper()
	var c *counter
	err := s.View(t.Context(), func(r store.Reader) (err error) {
		c, err = store.Find[counter](r, p)
		return err
	})
	if err != nil || c == nil {
		t.Fatal(c, err)
	}
	return c.N
}
