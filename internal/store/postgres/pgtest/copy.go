package pgtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
)

// Template is a database that tests get copies of. To copy one takes a third of the
// processor time of making its tables, and copies wait for nobody: the lock of
// migrations is the database's own.
type Template struct {
	// Schema tells what the database has. Programs that tell the same share it.
	Schema func() (string, error)
	// Fill makes the schema in the empty database at the URL.
	Fill func(url string) error

	once sync.Once
	name string
	err  error
}

// URL makes a copy of the template on the test server, dropped when the test ends, and
// returns the URL that leads to it.
func (c *Template) URL(t testing.TB) string {
	t.Helper()
	server := address(t)
	c.once.Do(func() { c.name, c.err = c.ensure(server) })
	if c.err != nil {
		t.Fatal(c.err)
	}
	name := "t_" + strings.ToLower(nestor.NewID())
	run(t, server, "CREATE DATABASE "+name+" TEMPLATE "+c.name)
	t.Cleanup(func() { run(t, server, "DROP DATABASE "+name+" WITH (FORCE)") })
	return at(server, name)
}

// templateLock lets one process at a time make templates.
const templateLock = 0x74656d706c617465 // "template"

// ensure makes the template unless another process has.
func (c *Template) ensure(server string) (name string, err error) {
	schema, err := c.Schema()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(schema))
	name = "template_" + hex.EncodeToString(sum[:8])
	ctx := context.Background() // that of one test may end before another needs the template
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", templateLock); err != nil {
		return "", err
	}
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&exists); err != nil || exists {
		return name, err
	}
	unfinished := "unfinished_" + strings.ToLower(nestor.NewID()) // of a process that may die
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+unfinished); err != nil {
		return "", err
	}
	if err := c.Fill(at(server, unfinished)); err != nil {
		return "", err
	}
	// What a visit left behind, such as that of a cleaner, would keep others from copying.
	if _, err := conn.Exec(ctx, "ALTER DATABASE "+unfinished+" ALLOW_CONNECTIONS false"); err != nil {
		return "", err
	}
	_, err = conn.Exec(ctx, "ALTER DATABASE "+unfinished+" RENAME TO "+name)
	return name, err
}

// at is the URL of another database of a server.
func at(server, database string) string {
	u, err := url.Parse(server)
	if err != nil {
		panic(err) // the server has been reached by it
	}
	u.Path = "/" + database
	return u.String()
}
