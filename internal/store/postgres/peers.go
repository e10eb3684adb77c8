package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// channel is the name of what carries the wake-ups between nodes. Those of another schema
// of the same database have another one. A wake-up about the log alone says so: then
// nobody need look for jobs. A node that does not know it looks for both.
const (
	channel = "left('nestor' || CASE current_schema() WHEN 'public' THEN '' ELSE '_' || current_schema() END, 63)"
	logOnly = "log"
)

// wakes passes wake-ups on to everybody who waits for them.
type wakes struct {
	mu   sync.Mutex
	subs []chan struct{}
}

// Wake implements [store.Log].
func (s *Store) Wake() <-chan struct{} { return s.wakes.add() }

// Left implements [store.Queue].
func (s *Store) Left() <-chan struct{} { return s.left.add() }

func (w *wakes) add() <-chan struct{} {
	c := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.subs = append(w.subs, c)
	return c
}

// woken passes a wake-up on.
func (s *Store) woken(message string) {
	if message != logOnly {
		s.left.all()
	}
	s.wakes.all()
}

func (w *wakes) all() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.subs {
		select {
		case c <- struct{}{}:
		default: // it has one to come
		}
	}
}

// Neighbours are the other nodes, as they are heard outside of the tables.
type Neighbours interface {
	// Count is how many were heard lately. It must not wait.
	Count() int
	// Wake sends them a message without the database, and reports how many it reaches.
	Wake(message string) int
}

// Neighbours lets others carry wake-ups: NOTIFY is for those whom they do not
// reach. Call it before the store is used, and Woken when a wake-up arrives.
func (s *Store) Neighbours(n Neighbours) {
	s.peers.mu.Lock()
	defer s.peers.mu.Unlock()
	s.peers.neighbours = n
}

// Woken tells what another node said when it committed something.
func (s *Store) Woken(message string) { s.woken(message) }

// Others is how many other nodes run jobs, as of the last heartbeat.
func (s *Store) Others() int { return s.peers.count() }

// Installation names what all nodes of this database, and no others, have in
// common.
func (s *Store) Installation(ctx context.Context) (id string, err error) {
	err = insist(ctx, func() error {
		return s.pool.QueryRow(ctx, `SELECT md5(system_identifier::text || '.' || (SELECT oid FROM pg_database WHERE datname = current_database()) || '.' || 'nodes'::regclass::oid)
			FROM pg_control_system()`).Scan(&id)
	})
	return id, err
}

// peers tells other nodes of commits, after the fact and not one by one: a
// NOTIFY inside the writing transactions would make them wait for each other.
type peers struct {
	pool   *pgxpool.Pool
	signal chan struct{}
	cancel context.CancelFunc
	done   chan struct{}

	mu         sync.Mutex
	others     int
	neighbours Neighbours // nil for none
	jobs       bool       // were left to others since the last wake-up
}

// notifyPause bounds the wake-ups to 200 a second.
const notifyPause = 5 * time.Millisecond

func newPeers(pool *pgxpool.Pool) *peers {
	ctx, cancel := context.WithCancel(context.Background())
	p := &peers{pool: pool, signal: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{})}
	go p.run(ctx)
	return p
}

func (p *peers) set(others int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.others = others
}

// count is how many other nodes run jobs, as of the last heartbeat.
func (p *peers) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.others
}

// notify asks for a wake-up if there is anybody to wake. A node that has just
// joined and is not counted yet polls.
func (p *peers) notify(jobs bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.others == 0 && (p.neighbours == nil || p.neighbours.Count() == 0) {
		return
	}
	p.jobs = p.jobs || jobs
	select {
	case p.signal <- struct{}{}:
	default:
	}
}

// message says what the next wake-up is about.
func (p *peers) message() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	jobs := p.jobs
	p.jobs = false
	if jobs {
		return ""
	}
	return logOnly
}

func (p *peers) stop() {
	p.cancel()
	<-p.done
}

func (p *peers) run(ctx context.Context) {
	defer close(p.done)
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.signal:
		}
		p.wake(ctx)
		select {
		case <-ctx.Done():
			return
		case <-time.After(notifyPause):
		}
	}
}

// wake wakes the other nodes. A wake-up that is lost costs its receivers one
// polling interval, so the server need not flush it to disk.
func (p *peers) wake(ctx context.Context) {
	p.mu.Lock()
	others, neighbours := p.others, p.neighbours
	p.mu.Unlock()
	message := p.message()
	if neighbours != nil {
		if reached := neighbours.Wake(message); reached > 0 && reached >= others {
			return
		}
	}
	_, _ = p.pool.Exec(ctx, "SELECT set_config('synchronous_commit', 'off', true), pg_notify("+channel+", $1)", message)
}
