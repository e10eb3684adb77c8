package engine

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
)

// ProcessorLimits bound the time that nodes of graphs compute for one user: expressions,
// joins and the like. What waits for others, as a model, does not count.
type ProcessorLimits struct {
	// Burst is how long they may compute at once, and Share which part of one processor
	// they may have from then on. Default to 20 seconds and a quarter.
	Burst time.Duration
	Share float64
}

// processor lets nodes compute in turn: those of one user one after the other, and so many
// of all that half of the processors are left to others.
type processor struct {
	ProcessorLimits
	all chan struct{}

	mu    sync.Mutex
	users map[string]*computing
}

// computing is what is known of a user whose nodes compute, or did lately.
type computing struct {
	turn chan struct{}
	here int // those that compute or wait for it
	used time.Duration
	at   time.Time // up to when used was reduced by the share
}

// maxComputing is how many users are remembered before those who owe nothing are
// forgotten.
const maxComputing = 1000

func newProcessor(l ProcessorLimits) *processor {
	if l.Burst == 0 {
		l.Burst = 20 * time.Second
	}
	if l.Share == 0 {
		l.Share = 0.25
	}
	return &processor{ProcessorLimits: l, all: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)), users: map[string]*computing{}}
}

// compute runs fn when it is its turn. It is put off while the nodes of the user have
// computed for too long.
func (p *processor) compute(ctx context.Context, user string, fn func()) error {
	c := p.enter(user)
	defer p.leave(user, c)
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := p.check(c); err != nil {
		return err
	}
	select {
	case p.all <- struct{}{}:
		defer func() { <-p.all }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	began := time.Now()
	defer func() { p.charge(c, time.Since(began)) }()
	fn()
	return nil
}

func (p *processor) check(c *computing) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.settle(c, time.Now()); c.used < p.Burst {
		return nil
	}
	return nestor.Errorf(nestor.CodeRateLimited, "the graphs of the user have computed for %v, which is all that one user may at once: they go on with a part of %g of one processor: %w",
		p.Burst, p.Share, nestor.PutOff{})
}

func (p *processor) charge(c *computing, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.used += took
	p.settle(c, time.Now())
}

func (p *processor) settle(c *computing, now time.Time) {
	c.used = max(0, c.used-time.Duration(p.Share*float64(now.Sub(c.at))))
	c.at = now
}

func (p *processor) enter(user string) *computing {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.users[user]
	if c == nil {
		if len(p.users) >= maxComputing {
			p.forget()
		}
		c = &computing{turn: make(chan struct{}, 1), at: time.Now()}
		p.users[user] = c
	}
	c.here++
	return c
}

func (p *processor) leave(user string, c *computing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.settle(c, time.Now()); c.here == 1 && c.used == 0 {
		delete(p.users, user)
	}
	c.here--
}

func (p *processor) forget() {
	for user, c := range p.users {
		if p.settle(c, time.Now()); c.here == 0 && c.used == 0 {
			delete(p.users, user)
		}
	}
}
