package pgbus_test

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/bus"
	"github.com/nestorhq/nestor/internal/bus/bustest"
	"github.com/nestorhq/nestor/internal/bus/pgbus"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// named makes sessions of this test known by a name.
func named(t *testing.T, address, name string) string {
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("application_name", name)
	q.Set("pool_max_conns", "4") // of no concern to the bus
	u.RawQuery = q.Encode()
	return u.String()
}

// installation makes the tables of one.
func installation(t *testing.T, name string) string {
	t.Helper()
	address := named(t, pgtest.URL(t), name)
	s, err := postgres.Open(t.Context(), address, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return address
}

func joins(address string) func(t *testing.T) bus.Bus {
	return func(t *testing.T) bus.Bus {
		b, err := pgbus.New(address, slog.New(slog.NewTextHandler(t.Output(), nil)))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
}

func TestContract(t *testing.T) {
	// Both are schemas of one database, whose channels all share.
	one, two := installation(t, "pgbus-one"), installation(t, "pgbus-two")
	bustest.Contract(t, joins(one), joins(two), func(t *testing.T) {
		conn, err := pgx.Connect(t.Context(), strings.Replace(one, "&pool_max_conns=4", "", 1))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background())
		n := 0
		err = conn.QueryRow(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE application_name = 'pgbus-one' AND pid <> pg_backend_pid()`).Scan(&n)
		if err != nil || n < 3 { // two that listen, one that sends
			t.Fatalf("cut %d connections: %v", n, err)
		}
	})
}

func TestABadURLIsRefusedWithoutShowingThePassword(t *testing.T) {
	_, err := pgbus.New("postgres://nestor:geheim@host:port/db", slog.Default())
	if nestor.CodeOf(err) != nestor.CodeInvalid || strings.Contains(err.Error(), "geheim") {
		t.Errorf("got %v", err)
	}
}
