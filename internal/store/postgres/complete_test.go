package postgres

import (
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
)

// A reader of the log that waits for the transactions before an id must not
// wait for the server to come to that id again, if it lost it in a crash.
func TestAnIDThatTheServerLostInACrashHoldsUpNobody(t *testing.T) {
	s, err := Open(t.Context(), pgtest.URL(t), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var d *nestor.Document
	err = s.Update(t.Context(), func(tx store.Tx) (err error) {
		d, err = tx.Create("users/u1/notes/n1", map[string]any{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.completeness.noted = d.Seq
	err = s.pool.QueryRow(t.Context(), "SELECT pg_current_xact_id()::text::bigint + (1::bigint << 40)").Scan(&s.completeness.below)
	if err != nil {
		t.Fatal(err)
	}
	if last, err := s.LastSeq(t.Context()); err != nil || last != d.Seq {
		t.Errorf("the log is complete to %d, %v, want %d", last, err, d.Seq)
	}
}
