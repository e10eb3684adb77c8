// Package pgtest gives tests a PostgreSQL schema of their own.
package pgtest

import (
	"context"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
)

// Variable names the server to use. make test starts a private one and sets it.
const Variable = "NESTOR_TEST_POSTGRES"

// URL makes an empty schema on the test server, dropped when the test ends,
// and returns the URL that leads to it.
func URL(t testing.TB) string {
	t.Helper()
	server, name := address(t), newName()
	run(t, server, "CREATE SCHEMA "+name)
	t.Cleanup(func() { run(t, server, "DROP SCHEMA "+name+" CASCADE") })
	return within(server, name)
}

func newName() string { return "t_" + strings.ToLower(nestor.NewID()) }

// within is the URL of a schema. The server knows the sessions in it by that name.
func within(server, schema string) string {
	u, err := url.Parse(server)
	if err != nil {
		panic(err) // the server has been reached by it
	}
	q := u.Query()
	q.Set("search_path", schema)
	q.Set("application_name", schema)
	u.RawQuery = q.Encode()
	return u.String()
}

func address(t testing.TB) string {
	t.Helper()
	server := os.Getenv(Variable)
	if server == "" {
		t.Fatalf("%s is not set: run make test, or scripts/with-postgres go test ./…", Variable)
	}
	return server
}

func run(t testing.TB, server, sql string) {
	t.Helper()
	ctx := context.Background() // the test's own is over when it cleans up
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql); err != nil {
		t.Fatal(err)
	}
}
