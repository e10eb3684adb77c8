package postgres

import (
	"context"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
)

func TestTokensAreSweptInBatchesAndWritersGoOn(t *testing.T) {
	s, err := Open(t.Context(), pgtest.URL(t), store.Options{Retention: store.Retention{Tombstones: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const old = 2*tokenBatch + 1
	for _, text := range []string{
		"INSERT INTO commits (token, at) SELECT i, now() - interval '2 hours' FROM generate_series(1, 4001) i",
		"INSERT INTO commits (token) SELECT i FROM generate_series(10001, 10010) i",
	} {
		if _, err := s.pool.Exec(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []int{tokenBatch, tokenBatch, old - 2*tokenBatch, 0} {
		if n, err := s.Sweep(t.Context()); n != want || err != nil {
			t.Errorf("a sweep took %d, %v; want %d", n, err, want)
		}
	}
	var left int
	if err := s.pool.QueryRow(t.Context(), "SELECT count(*) FROM commits").Scan(&left); err != nil || left != 10 {
		t.Errorf("%d tokens are left, %v", left, err)
	}
	// A writer goes on while a sweep has not ended, and so does the sweep of another node.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // whoever waits for the sweep waits for ever
	defer cancel()
	if _, err := s.pool.Exec(ctx, "INSERT INTO commits (token, at) SELECT i, now() - interval '2 hours' FROM generate_series(20001, 20000 + $1) i", tokenBatch+1); err != nil {
		t.Fatal(err)
	}
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	for _, sweep := range []struct {
		text string
		args []any
	}{
		{sweepTombstones, []any{nestor.Millis(time.Now()), store.SweepBatch}},
		{sweepDeadJobs, []any{nestor.Millis(time.Now()), store.SweepBatch}},
		{sweepTokens, []any{tokensKept, tokenBatch}},
	} {
		if _, err := tx.Exec(ctx, sweep.text, sweep.args...); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Update(ctx, func(tx store.Tx) error {
		_, err := tx.Create("users/u/notes/n", map[string]any{})
		return err
	}); err != nil {
		t.Error("a writer:", err)
	}
	if n, err := s.Sweep(ctx); n != 1 || err != nil {
		t.Errorf("another sweep took %d, %v; want the token that the first one left", n, err)
	}
}
