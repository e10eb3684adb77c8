package pgtest

import (
	"testing"

	"github.com/nestorhq/nestor/internal/store/postgres/pgserver"
)

// Server is a PostgreSQL of a test's own, which the test may crash.
type Server = pgserver.Server

// Start starts a server with an empty database. It ends with the test, and with
// the test's process.
func Start(t testing.TB) *Server {
	t.Helper()
	s, err := pgserver.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
