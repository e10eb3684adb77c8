// Command api measures what the HTTP API costs, against a bare net/http handler
// that does the same on the same kind of store, which is the floor:
//
//   - posting a message, and listing 50 of them;
//   - subscribers of one busy chat, each with a connection of its own, who receive
//     every change of it: how long delivery takes, and how much CPU;
//   - a client's first pull of 100,000 documents, page by page.
//
// Clients and server are one process on one machine, so the CPU is that of both.
//
//	go run ./bench/api
//	PG_FSYNC=on scripts/with-postgres go run ./bench/api
package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres"
	"github.com/nestorhq/nestor/internal/store/sqlite"
)

func main() {
	duration := flag.Duration("duration", 2*time.Second, "how long each load lasts")
	clients := flag.Int("clients", 16, "requests at a time")
	subscribers := flag.Int("subscribers", 1000, "streams that follow the busy chat")
	changes := flag.Int("changes", 100, "changes of the busy chat")
	documents := flag.Int("documents", 100_000, "documents of the first pull")
	flag.Parse()
	all := engines()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := measure(name, all[name], plan{*duration, *clients, *subscribers, *changes, *documents}); err != nil {
			log.Fatal(name, ": ", err)
		}
	}
}

// rounds is into how many parts a load is cut.
const rounds = 10

type plan struct {
	duration                                 time.Duration
	clients, subscribers, changes, documents int
}

// opener makes an empty store in a folder, and a connection past it.
type opener func(ctx context.Context, dir string) (store.Store, *sql.DB, error)

// engines are SQLite and, where a server is to be had, PostgreSQL.
func engines() map[string]opener {
	all := map[string]opener{"sqlite": func(ctx context.Context, dir string) (store.Store, *sql.DB, error) {
		path := filepath.Join(dir, "nestor.db")
		s, err := sqlite.Open(ctx, path, store.Options{})
		if err != nil {
			return nil, nil, err
		}
		db, err := sql.Open("sqlite", path)
		return s, db, err
	}}
	if url := os.Getenv("NESTOR_TEST_POSTGRES"); url != "" {
		all["postgres"] = func(ctx context.Context, _ string) (store.Store, *sql.DB, error) {
			s, err := postgres.Open(ctx, url, store.Options{})
			if err != nil {
				return nil, nil, err
			}
			db, err := sql.Open("pgx", url)
			return s, db, err
		}
	}
	return all
}

// measure prints a line per load.
func measure(name string, open opener, p plan) (err error) {
	s, err := start(open)
	if err != nil {
		return err
	}
	defer func() { err = firstOf(err, s.stop()) }()
	post := `{"content":"Compare Go and Rust for a small web server."}`
	for _, load := range []struct{ name, method, path, body string }{
		{"post a message", "POST", "/api/v1/chats/busy/messages", post},
		{"list 50 messages", "GET", "/api/v1/chats/full/messages?limit=50", ""},
	} {
		var api, floor float64
		for range rounds { // in turn, so that what else the machine does meets both
			bare, err := s.load(p, load.method, "/bare"+load.path, load.body)
			if err != nil {
				return err
			}
			full, err := s.load(p, load.method, load.path, load.body)
			if err != nil {
				return err
			}
			api, floor = api+full/rounds, floor+bare/rounds
		}
		fmt.Printf("%-9s %-17s %8.0f/s  bare %8.0f/s  ratio %.2f\n", name, load.name, api, floor, api/floor)
	}
	bare, err := s.deliver(p, "/bare/events")
	if err != nil {
		return err
	}
	d, err := s.deliver(p, "/api/v1/chats/busy/events")
	if err != nil {
		return err
	}
	fmt.Printf("%-9s %d subscribers × %d changes: p50 %v, p99 %v, %.1f µs CPU per delivery; bare p50 %v, p99 %v, %.1f µs; ratio of p99 %.2f, of CPU %.2f\n",
		name, p.subscribers, p.changes, d.p50.Round(time.Microsecond), d.p99.Round(time.Microsecond), d.cpu.Seconds()*1e6,
		bare.p50.Round(time.Microsecond), bare.p99.Round(time.Microsecond), bare.cpu.Seconds()*1e6,
		float64(d.p99)/float64(bare.p99), float64(d.cpu)/float64(bare.cpu))
	return s.pulls(name, p)
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
