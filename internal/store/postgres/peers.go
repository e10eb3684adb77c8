package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// channel carries the wake-ups between nodes.
const channel = "nestor"

// wakes passes wake-ups on to everybody who waits for them.
type wakes struct {
	mu   sync.Mutex
	subs []chan struct{}
}

// Wake implements [store.Log].
func (s *Store) Wake() <-chan struct{} {
	c := make(chan struct{}, 1)
	s.wakes.mu.Lock()
	defer s.wakes.mu.Unlock()
	s.wakes.subs = append(s.wakes.subs, c)
	return c
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

// peers tells other nodes of commits, after the fact and not one by one: a
// NOTIFY inside the writing transactions would make them wait for each other.
type peers struct {
	pool   *pgxpool.Pool
	signal chan struct{}
	cancel context.CancelFunc
	done   chan struct{}

	mu     sync.Mutex
	others int
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

// notify asks for a wake-up if there is anybody to wake. A node that has just
// joined and is not counted yet polls.
func (p *peers) notify() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.others == 0 {
		return
	}
	select {
	case p.signal <- struct{}{}:
	default:
	}
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
		// A wake-up that is lost costs its receivers one polling interval.
		_, _ = p.pool.Exec(ctx, "SELECT pg_notify($1, '')", channel)
		select {
		case <-ctx.Done():
			return
		case <-time.After(notifyPause):
		}
	}
}
