// Package postgres is the storage engine for any number of equal nodes, on
// PostgreSQL 15 or newer.
//
// A transaction reads as its function asks and keeps its writes back. They are
// committed together with those of others, in two round trips for all, if every
// document that was read and then written is unchanged (group.go). If it is not,
// or the database reports a conflict, the function runs again, now by itself and
// with locks. A
// connection lost during COMMIT leaves it open whether it took effect: a token
// that the transaction leaves behind tells, so a commit is neither lost nor
// repeated, also when the server has crashed (outcome.go).
package postgres

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Store implements [store.Store] on PostgreSQL.
type Store struct {
	store.Observers
	pool         *pgxpool.Pool
	opts         store.Options
	tables       tables
	migrations   []store.Migrations // that this program knows
	completeness completeness
	group        group
	lines        lines
	questions    questions

	node  atomic.Pointer[node]
	wakes wakes
	left  wakes // about jobs
	peers *peers

	life    context.Context // until Close
	endLife context.CancelFunc
	askFor  time.Duration  // how long a caller waits for an outcome
	busyFor time.Duration  // and how long for a connection
	late    sync.WaitGroup // outcomes that are still asked for
	closing sync.Once
}

var _ store.Store = (*Store)(nil)

// defaultConns is the size of the pool when the URL has no pool_max_conns.
// More connections than this rarely make PostgreSQL faster.
const defaultConns = 32

// maxConns is more than any PostgreSQL has.
const maxConns = 10_000

// Open connects to the database at url and brings its schema up to date.
func Open(ctx context.Context, url string, opts store.Options) (*Store, error) {
	cfg, err := parse(url)
	if err != nil {
		return nil, err
	}
	switch {
	case opts.Connections > 0:
		cfg.MaxConns = int32(min(opts.Connections, maxConns))
	case !choosesConns(url):
		cfg.MaxConns = defaultConns
	}
	// A process that froze inside a transaction would hold up every node's
	// change feed, and whoever waits for its locks.
	cfg.ConnConfig.RuntimeParams["idle_in_transaction_session_timeout"] = "10s"
	// Statements are many and small: compiling one takes longer than running it.
	cfg.ConnConfig.RuntimeParams["jit"] = "off"
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, classify(err)
	}
	opts = opts.WithDefaults()
	known, err := migrate(ctx, pool, opts)
	if err != nil {
		pool.Close()
		return nil, classify(err)
	}
	s := &Store{
		pool: pool, opts: opts, tables: tables{store.NewTables(opts.Catalogue, newTable)}, migrations: known, askFor: patience, busyFor: busyLimit,
	}
	s.Log = opts.Logger
	s.life, s.endLife = context.WithCancel(context.Background())
	s.peers = newPeers(pool)
	return s, nil
}

// Exists reports whether the database at url has the tables of a store. It makes none.
func Exists(ctx context.Context, url string) (found bool, err error) {
	cfg, err := parse(url)
	if err != nil {
		return false, err
	}
	conn, err := pgx.ConnectConfig(ctx, cfg.ConnConfig)
	if err != nil {
		return false, classify(err)
	}
	defer conn.Close(ctx)
	return found, classify(conn.QueryRow(ctx, "SELECT to_regclass('migrations') IS NOT NULL").Scan(&found))
}

func parse(url string) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		// The driver's text may repeat the password.
		return nil, nestor.Errorf(nestor.CodeInvalid, "the database URL is not one of postgres://user:password@host/name")
	}
	return cfg, nil
}

// choosesConns reports whether the URL, or what it refers to, sets the size of
// the pool. The pool's own parser takes that out.
func choosesConns(url string) bool {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return false
	}
	_, chosen := cfg.RuntimeParams["pool_max_conns"]
	return chosen
}

// Ping implements [store.Store].
func (s *Store) Ping(ctx context.Context) error {
	_, err := s.pool.Exec(ctx, "INSERT INTO probe (id, filler) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET filler = excluded.filler", store.Filler())
	return classify(err)
}

// Close closes all connections. Nobody waits any longer for a database that is away.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.endLife()
		s.late.Wait()
		if n := s.node.Swap(nil); n != nil {
			n.stop()
		}
		s.peers.stop()
		s.pool.Close()
	})
	return nil
}

// Catalogue implements [store.Documents].
func (s *Store) Catalogue() *store.Catalogue { return s.opts.Catalogue }

// Update implements [store.Documents].
func (s *Store) Update(ctx context.Context, fn func(store.Tx) error) error {
	return s.commit(ctx, work{fn: fn, during: store.JobOf(ctx)})
}

// View implements [store.Documents].
func (s *Store) View(ctx context.Context, fn func(store.Reader) error) error {
	return s.read(ctx, func(q *snapshot) error { return fn(newReader(ctx, q, s.tables)) })
}

// Tree implements [store.Store].
func (s *Store) Tree(ctx context.Context, p nestor.Path, fn func(*nestor.Document) error) error {
	var docs []*nestor.Document
	err := s.read(ctx, func(q *snapshot) error {
		top, err := s.tables.load(ctx, q, p, false)
		if err != nil {
			return err
		}
		docs, err = s.tables.below(ctx, q, p, "")
		docs = append(docs, top)
		return err
	})
	if err != nil {
		return err
	}
	return store.InOrder(docs, fn)
}

// querier is a transaction, a connection or the pool.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// load reads a document, nil when there is none. With lock nobody else can
// write it before the transaction ends; documents below it can be added.
func (t tables) load(ctx context.Context, q querier, p nestor.Path, lock bool) (*nestor.Document, error) {
	tb := t.At(p)
	text := tb.load
	if lock {
		text = tb.lock
	}
	d, err := tb.loaded(p, q.QueryRow(ctx, text, tb.Identity(p)...))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return d, err
}

// probed is how many documents of a page that is bounded in bytes are asked for before
// anybody knows how large they are: the database sends all that it is asked for.
const probed = 32

func (t tables) query(ctx context.Context, q querier, sq store.Query) (store.Page, error) {
	if sq.MaxBytes == 0 || sq.Limit <= probed {
		return t.queryOnce(ctx, q, sq)
	}
	first := sq
	first.Limit = probed
	page, err := t.queryOnce(ctx, q, first)
	if err != nil || len(page.Items) < probed || page.Next == "" {
		return page, err
	}
	size := 1
	for _, d := range page.Items {
		size += len(d.Data)
	}
	rest := sq
	rest.Cursor, rest.MaxBytes = page.Next, sq.MaxBytes-size
	rest.Limit = min(sq.Limit-probed, rest.MaxBytes*probed/size)
	if rest.Limit < 1 {
		return page, nil
	}
	more, err := t.queryOnce(ctx, q, rest)
	return store.Page{Items: append(page.Items, more.Items...), Next: more.Next}, err
}

func (t tables) queryOnce(ctx context.Context, q querier, sq store.Query) (store.Page, error) {
	c, text, args, err := sq.SQL(dialect{})
	if err != nil {
		return store.Page{}, err
	}
	rows, err := q.Query(ctx, text, args...)
	if err != nil {
		return store.Page{}, err
	}
	defer rows.Close()
	page := store.PageBuilder{Query: sq}
	for rows.Next() {
		d, err := t.For(c).Scan(rows.Scan)
		if err != nil {
			return store.Page{}, err
		}
		if !page.Add(d) {
			return page.Page()
		}
	}
	if err := rows.Err(); err != nil {
		return store.Page{}, err
	}
	return page.Page()
}

// pageOf is a page of a query that found docs, one more than its limit if there are more.
func pageOf(q store.Query, docs []*nestor.Document) (store.Page, error) {
	page := store.PageBuilder{Query: q}
	for _, d := range docs {
		if !page.Add(d) {
			break
		}
	}
	return page.Page()
}

func collect(ctx context.Context, q querier, t *table, text string, args ...any) ([]*nestor.Document, error) {
	rows, err := q.Query(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return scanAll(rows, t)
}

func scanAll(rows pgx.Rows, t *table) ([]*nestor.Document, error) {
	docs := []*nestor.Document{}
	for rows.Next() {
		d, err := t.Scan(rows.Scan)
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	return docs, rows.Err()
}
