package crashtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
)

// trial is work whose lives die.
type trial struct {
	*testing.T
	*matrix
	db     engines.Place
	world  *world
	killed int // lives
}

func (m *matrix) begin(t *testing.T, engine string) *trial {
	t.Helper()
	db := engines.Place{Engine: engine, Address: filepath.Join(t.TempDir(), "nestor.db")}
	if engine == "postgres" {
		db.Address = servertest.Postgres(t) // which has the tables of all modules
	}
	return &trial{T: t, matrix: m, db: db, world: newWorld(t)}
}

// live comes to the end in this process.
func (t *trial) live(l *life) *life {
	t.Helper()
	ctx, cancel := inTime(t.Context())
	defer cancel()
	var err error
	l.end, err = t.program(ctx, l)
	if err := errors.Join(err, l.close()); err != nil {
		t.Fatal(err)
	}
	return l
}

// inTime bounds how long a life may take.
func inTime(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, childLimit, nestor.Errorf(nestor.CodeTimeout, "it does not end"))
}

// kill has a life die at a point, if it gets there: really, by SIGKILL, or in this process.
func (t *trial) kill(p point, really bool) (died bool) {
	t.Helper()
	l := newLife(t.db, t.world.address(fmt.Sprint("victim", t.killed+1)))
	l.Dies = p
	name, buried := nestor.NewID(), t.db
	if t.db.Engine == "postgres" {
		l.Database.Address = withApplication(t.T, t.db.Address, name)
	}
	if really {
		died = run(t.T, task{Program: t.name, Database: l.Database, Kill: p, World: l.World})
	} else {
		died = t.killHere(l, &buried)
	}
	if !died {
		return false
	}
	t.killed++
	if t.db = buried; t.db.Engine == "postgres" {
		awaitNoSession(t.T, t.db.Address, name)
	}
	return true
}

// killHere has a life die in this process. It leaves what a process leaves that is killed:
//
//   - On PostgreSQL its connections are cut, and it gets no new ones. The server ends its
//     transactions and releases its locks; its node stays until somebody takes over.
//   - On SQLite the files are as they were at that moment: the next life has copies of
//     them. A log of writes is there, with what was not committed, and nobody has closed the
//     database. (The file itself changes only when the log is written back to it, which
//     it is when it is larger than any here, or closed. The log is only added to.)
//   - Nothing that it does reaches the world.
//
// It is cut off from the world before it is from the database, so nothing happens in the
// world that follows from what the database does not know. What is left of it works on
// nothing, until it has ended.
func (t *trial) killHere(l *life, buried *engines.Place) (died bool) {
	t.Helper()
	if t.db.Engine == "postgres" {
		l.perish = behindProxy(t.T, &l.Database)
	} else {
		buried.Address = filepath.Join(t.TempDir(), "nestor.db")
		l.perish = func() error { return copyFiles(l.Database.Address, buried.Address, "", "-wal") }
	}
	ctx, cancel := inTime(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := t.program(ctx, l)
		ended <- err
	}()
	var err error
	select {
	case err = <-ended:
	case <-l.died:
		cancel()
		l.close() // what comes of that does not matter any more
		<-ended
	}
	if l.dead.Load() {
		err = l.err
	}
	l.close() // a proxy before the database waits for that
	if err != nil {
		t.Fatal(err)
	}
	return l.dead.Load()
}

// behindProxy puts a proxy before a database, and returns what cuts it.
func behindProxy(t *testing.T, db *engines.Place) (cut func() error) {
	t.Helper()
	u, err := url.Parse(db.Address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := pgtest.NewProxy(t, u.Host, time.Hour)
	u.Host = proxy.Address()
	db.Address = u.String()
	return func() error {
		proxy.Cut()
		return nil
	}
}

// copyFiles copies those files of a name that exist, in the order of their suffixes.
func copyFiles(from, to string, suffixes ...string) error {
	for _, suffix := range suffixes {
		data, err := os.ReadFile(from + suffix)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(to+suffix, data, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func withApplication(t *testing.T, place, name string) string {
	t.Helper()
	u, err := url.Parse(place)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("application_name", name)
	u.RawQuery = q.Encode()
	return u.String()
}

// awaitNoSession waits until the server has noticed that a client is gone:
// until then a commit it had been sent can still take effect.
func awaitNoSession(t *testing.T, place, application string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for sessions := 1; sessions > 0; {
		err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1", application).Scan(&sessions)
		if err != nil {
			t.Fatal(err)
		}
	}
}
