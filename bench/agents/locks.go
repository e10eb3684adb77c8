package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// lockWaits are what the connections of a PostgreSQL server were seen to do.
type lockWaits struct {
	busy, waiting int
	// by counts the waits by what is waited for and the statement that waits.
	by map[string]int
}

// share of the busy connections that waited for a lock.
func (w *lockWaits) share() float64 { return float64(w.waiting) / float64(max(w.busy, 1)) }

// print lists the statements that waited most.
func (w *lockWaits) print() {
	names := slices.SortedFunc(maps.Keys(w.by), func(a, b string) int { return w.by[b] - w.by[a] })
	for _, name := range names[:min(len(names), 8)] {
		fmt.Printf("    %5d of %d busy: %s\n", w.by[name], w.busy, name)
	}
}

// watchLocks looks at the server again and again until stop is called. A row that all
// work writes shows as statements that wait for a tuple or for the transaction that
// has it. On SQLite there is nothing to see. Looking is work for the server, so it is done
// only if asked for.
func (b *bench) watchLocks(ctx context.Context, e *engine) (stop func() (*lockWaits, error), err error) {
	if e.url == "" || !b.locks {
		return func() (*lockWaits, error) { return &lockWaits{}, nil }, nil
	}
	conn, err := pgx.Connect(ctx, e.url)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	seen, done := &lockWaits{by: map[string]int{}}, make(chan error, 1)
	go func() {
		for {
			if err := seen.look(ctx, conn); err != nil {
				done <- err
				return
			}
		}
	}()
	return func() (*lockWaits, error) {
		cancel()
		err := <-done
		if ctx.Err() != nil {
			err = nil
		}
		return seen, errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
	}, nil
}

// lookAtRows counts the documents that more than two transactions want at once, by
// the collection that they are in, of users' own collections and of what the server
// keeps about people. A row that was replaced meanwhile is not found.
func (w *lockWaits) lookAtRows(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `SELECT d.collection FROM pg_locks l
		JOIN bench_nestor.documents d ON d.ctid = format('(%s,%s)', l.page, l.tuple)::tid
		WHERE l.locktype = 'tuple' AND NOT l.granted AND l.relation = 'bench_nestor.documents'::regclass`)
	if err != nil {
		return err
	}
	var collection string
	_, err = pgx.ForEachRow(rows, []any{&collection}, func() error {
		w.by["row of "+collection]++
		return nil
	})
	return err
}

// look counts what is seen now, and pauses.
func (w *lockWaits) look(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `SELECT COALESCE(wait_event_type, ''), COALESCE(wait_event, ''), query FROM pg_stat_activity
		WHERE backend_type = 'client backend' AND state = 'active' AND pid <> pg_backend_pid()`)
	if err != nil {
		return err
	}
	var kind, event, query string
	_, err = pgx.ForEachRow(rows, []any{&kind, &event, &query}, func() error {
		w.busy++
		if kind == "Lock" {
			w.waiting++
			words := strings.Join(strings.Fields(query), " ")
			w.by[event+": "+words[:min(len(words), 90)]]++
		}
		return nil
	})
	if err == nil {
		err = w.lookAtRows(ctx, conn)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(2 * time.Millisecond):
	}
	return err
}
