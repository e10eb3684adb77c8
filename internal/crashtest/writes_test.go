package crashtest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

const writers = 8

func writerPath(w int) nestor.Path { return nestor.Path(fmt.Sprintf("writers/w%d", w)) }

// runWrite lets several writers each count up, two documents per transaction:
// the count, and one item per number. It says "wrote" when Update has
// returned, and goes on until it is killed.
func runWrite(ctx context.Context, c *child) error {
	s, err := c.Database.Open(ctx, store.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	g, ctx := errgroup.WithContext(ctx)
	for w := range writers {
		g.Go(func() error {
			for {
				n, err := writeNext(ctx, s, writerPath(w))
				if err != nil {
					return err
				}
				c.say("wrote", w, n)
			}
		})
	}
	return g.Wait()
}

func writeNext(ctx context.Context, s store.Store, p nestor.Path) (int, error) {
	var count number
	err := s.Update(ctx, func(tx store.Tx) error {
		count = number{}
		if err := read(tx, p, &count); err != nil && !errors.Is(err, nestor.ErrNotFound) {
			return err
		}
		count.N++
		if _, err := tx.Put(p, count, store.AnyVersion); err != nil {
			return err
		}
		_, err := tx.Create(p.Child("items", strconv.Itoa(count.N)), count)
		return err
	})
	return count.N, err
}

func TestAWriteThatWasAcknowledgedSurvivesAKillInTheMiddleOfManyOthers(t *testing.T) {
	for _, engine := range engines.Names {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			db := engines.New(t, engine)
			var written [writers]int
			for round, most := range []int{1, 100, 300} {
				acknowledged := writeAndKill(t, db, fmt.Sprintf("round%d", round), most, written)
				written = checkWrites(t, db, acknowledged)
			}
		})
	}
}

// writeAndKill kills a writing child after so many writes. It returns how far
// each writer got by what the child acknowledged until it was dead, starting
// from what was written before.
func writeAndKill(t *testing.T, db engines.Place, name string, most int, written [writers]int) [writers]int {
	t.Helper()
	tr := newTrace(t)
	job := task{Program: "write", Database: db, Name: name}
	if db.Engine == "postgres" {
		job.Database.Address = withApplication(t, db.Address, name)
	}
	p := tr.start(t, job)
	for n := 0; ; n++ {
		if n == most {
			p.signal(syscall.SIGKILL)
		}
		e := tr.next(t)
		if e.what == "killed" {
			break
		}
		if e.what != "wrote" {
			t.Fatalf("unexpected: %s", e)
		}
		written[atoi(t, e.args[0])] = atoi(t, e.args[1])
	}
	if db.Engine == "postgres" {
		awaitNoSession(t, db.Address, name)
	}
	return written
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
