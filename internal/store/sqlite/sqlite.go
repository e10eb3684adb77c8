// Package sqlite is the embedded storage engine: one file, no server.
//
// One goroutine owns the only connection that writes. It runs the concurrent
// transactions one after the other and commits a group of them with one
// fsync; one that fails does not hurt the others, which run again if need be.
// Readers use connections of their own and see the last commit (WAL). With
// synchronous=FULL a commit that was reported is on disk.
//
// Other processes may open the same file, as the command line does: positions
// in the log are read under SQLite's write lock. Only one process at a time
// can run jobs ([Store.Join] takes a lock file).
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	_ "modernc.org/sqlite" // registers the driver

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Store implements [store.Store] on SQLite.
type Store struct {
	store.Observers
	path    string
	opts    store.Options
	readers *readers
	writer  *writer

	node atomic.Pointer[node]
	// elsewhere counts how often the writer found that others had written.
	elsewhere atomic.Int64

	closing sync.Once
	stop    context.CancelFunc
	done    chan struct{}
}

var _ store.Store = (*Store)(nil)

// Open opens the database file at path, creates it when missing and brings its
// schema up to date.
func Open(ctx context.Context, path string, opts store.Options) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the data folder cannot be made: %w", err)
	}
	if err := migrate(ctx, dsn(path, 2), opts.WithDefaults()); err != nil {
		return nil, classify(err)
	}
	opts = opts.WithDefaults()
	tables := store.NewTables(opts.Catalogue, newTable)
	s := &Store{path: path, opts: opts, readers: newReaders(dsn(path, 2), tables), done: make(chan struct{})}
	s.Log = opts.Logger
	var err error
	if s.writer, err = newWriter(s, dsn(path, 16), tables); err != nil {
		return nil, classify(err)
	}
	run, stop := context.WithCancel(context.Background())
	s.stop = stop
	go func() {
		defer close(s.done)
		s.writer.loop(run)
	}()
	return s, nil
}

// dsn sets what every connection needs. The cache is in MiB. It is small, because what it
// lacks comes from the system's, for a microsecond a page.
func dsn(path string, cache int) string {
	q := url.Values{}
	for _, pragma := range []string{
		"journal_mode(WAL)",
		"synchronous(FULL)",
		"foreign_keys(ON)",
		"busy_timeout(10000)",
		"temp_store(MEMORY)",
		// Pages that change often reach the file once in 32 MiB of log, not in 4.
		"wal_autocheckpoint(8192)",
		fmt.Sprintf("cache_size(-%d)", cache<<10),
	} {
		q.Add("_pragma", pragma)
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// Ping implements [store.Store].
func (s *Store) Ping(ctx context.Context) error {
	filler := store.Filler()
	return s.writer.exclusive(ctx, func(t *tx) error {
		return t.conn.exec("INSERT INTO probe (id, filler) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET filler = excluded.filler", filler)
	})
}

// Close finishes the transactions under way and closes the file.
func (s *Store) Close() error {
	var err error
	s.closing.Do(func() {
		s.stop()
		<-s.done
		err = errors.Join(s.writer.conn.close(), s.readers.close())
		if n := s.node.Swap(nil); n != nil {
			err = errors.Join(err, n.lock.Close())
		}
	})
	return err
}

// Catalogue implements [store.Documents].
func (s *Store) Catalogue() *store.Catalogue { return s.opts.Catalogue }

// Update implements [store.Documents].
func (s *Store) Update(ctx context.Context, fn func(store.Tx) error) error {
	job := store.JobOf(ctx)
	if job == nil {
		return s.writer.do(ctx, fn, nil, nil)
	}
	return s.writer.do(ctx, fn, func(t *tx) error { return t.holds(job) }, nil)
}

// View implements [store.Documents].
func (s *Store) View(ctx context.Context, fn func(store.Reader) error) error {
	return s.read(ctx, func(d *direct) error { return fn(reader{d}) })
}

// Load implements [store.Loader].
func (s *Store) Load(ctx context.Context, p nestor.Path) (doc *nestor.Document, err error) {
	if _, err := nestor.ParsePath(string(p)); err != nil {
		return nil, err
	}
	err = s.with(ctx, s.readers.lend, func(d *direct) error {
		doc, err = d.load(p)
		return err
	})
	return doc, err
}

// WrittenElsewhere implements [store.SoleWriter].
func (s *Store) WrittenElsewhere() int64 { return s.elsewhere.Load() }

// Seqs returns the Seq of each document, 0 where there is none, in one question
// that reads no documents.
func (s *Store) Seqs(ctx context.Context, paths ...nestor.Path) ([]int64, error) {
	text, args, err := store.SeqsSQL(s.opts.Catalogue, dialect{}, paths)
	if err != nil {
		return nil, err
	}
	seqs, into := store.SeqsRow(len(paths))
	err = s.with(ctx, s.readers.lend, func(d *direct) error { return d.byKey(text, args...).Scan(into...) })
	return seqs, err
}

// read runs fn on one snapshot.
func (s *Store) read(ctx context.Context, fn func(*direct) error) error {
	return s.with(ctx, s.readers.snapshot, fn)
}

// with runs fn with a connection to read from.
func (s *Store) with(ctx context.Context, lend func(context.Context, func(*direct) error) error, fn func(*direct) error) error {
	select {
	case <-s.done:
		return closed()
	default:
		return classify(lend(ctx, fn))
	}
}

// Tree implements [store.Store].
func (s *Store) Tree(ctx context.Context, p nestor.Path, fn func(*nestor.Document) error) error {
	var docs []*nestor.Document
	err := s.read(ctx, func(d *direct) error {
		top, err := d.load(p)
		if err != nil {
			return err
		}
		docs, err = d.below(p)
		docs = append(docs, top)
		return err
	})
	if err != nil {
		return err
	}
	return store.InOrder(docs, fn)
}

type reader struct{ d *direct }

func (r reader) Get(p nestor.Path) (*nestor.Document, error) {
	if _, err := nestor.ParsePath(string(p)); err != nil {
		return nil, err
	}
	d, err := r.d.load(p)
	if err == nil && d == nil {
		return nil, nestor.Errorf(nestor.CodeNotFound, "there is no document %s", p)
	}
	return d, err
}

func (r reader) Query(q store.Query) (store.Page, error) {
	if err := q.Check(r.d.tables.Catalogue); err != nil {
		return store.Page{}, err
	}
	return r.d.find(q)
}

// Scan implements [store.Scanner].
func (r reader) Scan(s store.Scan) (store.Scanned, error) {
	at, found, err := s.Statements(r.d.tables.Catalogue, dialect{})
	if err != nil {
		return store.Scanned{}, err
	}
	edge := &store.Age{}
	err = r.d.row(at.Text, at.Args...).Scan(&edge.CreatedAt, &edge.CreatedSeq)
	if errors.Is(err, sql.ErrNoRows) {
		edge, err = nil, nil
	}
	if err != nil {
		return store.Scanned{}, err
	}
	c, text := found(edge)
	t := r.d.tables.For(c)
	items := []*nestor.Document{}
	err = r.d.each(text.Text, text.Args, func(r row) error {
		d, err := t.Scan(r.Scan)
		items = append(items, d)
		return err
	})
	return s.Result(items, edge), err
}

// Count implements [store.Counter].
func (r reader) Count(q store.Query) (n int, err error) {
	if err := q.Check(r.d.tables.Catalogue); err != nil {
		return 0, err
	}
	text, args := q.CountSQL(dialect{})
	err = r.d.row(text, args...).Scan(&n)
	return n, err
}

// Texts implements [store.Teller].
func (r reader) Texts(q store.Query, field string) (texts []string, err error) {
	if err := q.Check(r.d.tables.Catalogue); err != nil {
		return nil, err
	}
	text, args := q.TextsSQL(dialect{}, field)
	err = r.d.each(text, args, func(r row) error {
		var t string
		err := r.Scan(&t)
		texts = append(texts, t)
		return err
	})
	return texts, err
}
