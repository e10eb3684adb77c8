package postgres

import (
	"errors"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
)

func TestWhoFindsAllConnectionsInUseIsToldToComeAgain(t *testing.T) {
	s, err := Open(t.Context(), pgtest.URL(t), store.Options{Connections: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := s.pool.Config().MaxConns; n != 1 {
		t.Fatalf("the pool has %d connections", n)
	}
	write := func(id string) error {
		return s.Update(t.Context(), func(tx store.Tx) error {
			_, err := tx.Create(nestor.Path("users/u/notes/"+id), map[string]any{})
			return err
		})
	}
	only, err := s.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.busyFor = time.Millisecond
	for what, err := range map[string]error{
		"write": write("a"),
		"read":  s.View(t.Context(), func(store.Reader) error { return nil }),
	} {
		if _, wait := nestor.WaitOf(err); !wait || !errors.Is(err, nestor.ErrUnavailable) {
			t.Errorf("a %s says %v", what, err)
		}
	}
	// Who waits gets the connection when it is free.
	s.busyFor = time.Hour
	waiting := make(chan error)
	go func() { waiting <- write("b") }()
	only.Release()
	if err := <-waiting; err != nil {
		t.Error(err)
	}
}
