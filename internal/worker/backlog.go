package worker

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Backlog bounds how many jobs wait, by tenant and in all: beyond that, work that
// somebody asks for is refused, and told to come again.
//
// Nothing is counted while somebody writes. A count is taken in the background,
// at most once a second and no further than the bound, and what this node leaves
// waiting after it is added to it. No job counts twice: it is added only if its commit
// is beyond the position that the count has seen. One that commits during a count
// may be missing until the next one, one that began or ended since still counts, since
// other nodes begin jobs, too, and only the database knows of them. So jobs of one node exceed
// the bound by no more than what one transaction causes and what commits during a count,
// several nodes may exceed it by what each lets in within a second, and who was refused
// may come again a second after there is room.
type Backlog struct {
	opts  BacklogOptions
	store store.Queue
	ask   chan struct{}

	mu      sync.Mutex
	all     estimate
	tenants map[string]*estimate
	refused Refused
}

// BacklogOptions configure a [Backlog].
type BacklogOptions struct {
	// PerTenant and All are how many jobs may wait. Default to no bound.
	PerTenant, All int
	// Pause between counts. Defaults to 1 second.
	Pause time.Duration
	// Logger defaults to slog.Default().
	Logger *slog.Logger
}

// Refused counts what was refused, because a tenant or all had too many jobs.
type Refused struct{ Tenant, All int64 }

// estimate is how many jobs wait, as far as a node knows.
type estimate struct {
	counted int
	seen    int64   // no job of a commit beyond this position was counted
	since   []added // beyond it
	added   int     // the sum of these
	known   bool
	asked   time.Time
}

// added are jobs that a commit of this node left waiting.
type added struct {
	seq  int64
	jobs int
}

func (e *estimate) jobs() int { return e.counted + e.added }

// add adds a job of the commit at seq, unless it may have been counted.
func (e *estimate) add(seq int64) {
	if seq <= e.seen {
		return
	}
	if last := len(e.since) - 1; last < 0 || e.since[last].seq != seq {
		e.since = append(e.since, added{seq: seq})
	}
	e.since[len(e.since)-1].jobs++
	e.added++
}

// correct has the estimate begin with a count of what was committed up to seq.
func (e *estimate) correct(jobs int, seq int64) {
	e.counted, e.seen, e.known = jobs, seq, true
	e.since = slices.DeleteFunc(e.since, func(a added) bool { return a.seq <= seq })
	e.added = 0
	for _, a := range e.since {
		e.added += a.jobs
	}
}

// tenantsKept is how long a tenant is remembered that asks for nothing.
const tenantsKept = time.Minute

// NewBacklog returns a backlog. [Backlog.Admit] belongs into the rules of a
// store.
func NewBacklog(opts BacklogOptions) *Backlog {
	if opts.Pause == 0 {
		opts.Pause = time.Second
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	return &Backlog{opts: opts, ask: make(chan struct{}, 1), tenants: map[string]*estimate{}}
}

// Watch makes s the store whose jobs are counted. Call before it is used.
func (b *Backlog) Watch(s store.Store) {
	b.store = s
	s.Observe(store.First, b.committed)
}

// Admit reports why one more job of a tenant cannot be let in now.
func (b *Backlog) Admit(tenant string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.of(tenant)
	e.asked = time.Now()
	if !e.known {
		b.count()
	}
	switch {
	case b.opts.PerTenant > 0 && e.jobs() >= b.opts.PerTenant:
		b.refused.Tenant++
		return overloaded("user", "you have %d jobs waiting, as many as one user may have: wait until some are done", b.opts.PerTenant, b.opts.Pause)
	case b.opts.All > 0 && b.all.jobs() >= b.opts.All:
		b.refused.All++
		return overloaded("server", "the server has %d jobs waiting, as many as it may have: try again later", b.opts.All, b.opts.Pause)
	}
	return nil
}

func overloaded(of, text string, limit int, pause time.Duration) error {
	err := nestor.Errorf(nestor.CodeRateLimited, text, limit)
	err.Err = nestor.RetryAfter(2 * pause)
	return err.With("limit", limit).With("of", of).With("waiting", "jobs")
}

// Refused tells what was refused so far.
func (b *Backlog) Refused() Refused {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refused
}

// of is the estimate of a tenant.
func (b *Backlog) of(tenant string) *estimate {
	e := b.tenants[tenant]
	if e == nil {
		e = &estimate{asked: time.Now()}
		b.tenants[tenant] = e
	}
	return e
}

func (b *Backlog) committed(c store.Commit) {
	if len(c.Left) == 0 || len(c.Changes) == 0 || b.boundless() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	seq := c.Changes[len(c.Changes)-1].Seq
	for _, tenant := range c.Left {
		b.of(tenant).add(seq)
		if b.opts.All > 0 {
			b.all.add(seq)
		}
	}
}

// count asks for a count now.
func (b *Backlog) count() {
	select {
	case b.ask <- struct{}{}:
	default:
	}
}

func (b *Backlog) boundless() bool { return b.opts.PerTenant == 0 && b.opts.All == 0 }

// Run counts until ctx ends.
func (b *Backlog) Run(ctx context.Context) error {
	if b.boundless() {
		return nil
	}
	for ctx.Err() == nil {
		if err := b.Count(ctx); err != nil && ctx.Err() == nil {
			b.opts.Logger.Warn("counting the jobs that wait failed", "error", err)
		}
		timer := time.NewTimer(b.opts.Pause)
		select {
		case <-ctx.Done():
		case <-b.ask:
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

// Count brings the estimates up to date. It asks only about tenants of whom jobs
// wait or who are new.
func (b *Backlog) Count(ctx context.Context) error {
	b.mu.Lock()
	due := map[string]*estimate{}
	for tenant, e := range b.tenants {
		switch {
		case !e.known || e.jobs() > 0:
			due[tenant] = e
		case time.Since(e.asked) > tenantsKept:
			delete(b.tenants, tenant)
		}
	}
	b.mu.Unlock()
	if len(due) == 0 {
		return nil
	}
	if b.opts.All > 0 {
		if err := b.measure(ctx, "", b.opts.All, &b.all); err != nil {
			return err
		}
	}
	for tenant, e := range due {
		most := b.opts.PerTenant
		if most == 0 {
			most = 1 // whether there is one
		}
		if err := b.measure(ctx, tenant, most, e); err != nil {
			return err
		}
	}
	return nil
}

// measure counts the jobs of one estimate.
func (b *Backlog) measure(ctx context.Context, tenant string, most int, e *estimate) error {
	jobs, seq, err := b.store.CountWaiting(ctx, tenant, most)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e.correct(jobs, seq)
	return nil
}
