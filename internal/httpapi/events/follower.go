package events

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/recovery"
)

// allowed reports why a caller may not follow what they asked for, by rules
// and documents as they are now.
type allowed func(*rules.Judge) error

// follower is the reader of a stream: who it is, and what they may see. Both
// are checked again and again, for streams last long.
type follower struct {
	*Streams
	ctx    context.Context
	latest atomic.Pointer[access.Caller]
	caller *access.Caller // whom judge is for
	judge  *rules.Judge
}

// Watch is the context of a request that is answered with a stream. It ends soon
// after the caller's session, key or grant. Call stop before the stream's handler
// returns.
func (s *Streams) Watch(r *http.Request) (ctx context.Context, stop func()) {
	f, stop := s.watch(r, func(*rules.Judge) error { return nil })
	return f.ctx, stop
}

// watch keeps an eye on the caller of a stream. It ends the stream's context
// soon after their session, key or grant has ended, or when they may no longer
// follow it.
func (s *Streams) watch(r *http.Request, may allowed) (f *follower, stop func()) {
	ctx, cancel := context.WithCancel(r.Context())
	unstop := context.AfterFunc(s.Stopping, cancel)
	f = &follower{Streams: s, ctx: ctx}
	c := access.CallerIn(r.Context())
	f.latest.Store(&c)
	var wg sync.WaitGroup
	wg.Go(func() {
		defer cancel()
		recovery.Logged(s.Logger, "a stream ends, since it cannot be checked", func() { f.recheck(may) })
	})
	return f, func() { unstop(); cancel(); wg.Wait() }
}

// recheck returns when the stream must end. It must end also when it cannot be
// checked: the client comes back.
func (f *follower) recheck(may allowed) {
	// Streams that begin together, as after a restart, are not all checked at
	// once.
	tick := time.NewTimer(rand.N(f.Recheck))
	defer tick.Stop()
	live := f.recent.reader(f.ctx)
	for {
		select {
		case <-f.ctx.Done():
			return
		case <-tick.C:
			tick.Reset(f.Recheck)
		}
		c, err := f.Gate.Recheck(f.ctx, *f.latest.Load())
		if err == nil {
			err = may(f.Rules.On(live, c))
		}
		if err != nil {
			return
		}
		f.latest.Store(&c)
	}
}

// current is the judge for the caller as they were last seen. It is for the
// goroutine that sends.
func (f *follower) current() *rules.Judge {
	if c := f.latest.Load(); c != f.caller {
		f.caller, f.judge = c, f.Rules.On(rules.Live(f.ctx, f.Store), *c)
	}
	return f.judge
}

// shown is what the caller may see of an event, false for nothing. When a
// document is no longer theirs to see, they are told that it is gone.
func (f *follower) shown(e feed.Event) (feed.Event, bool, error) {
	switch {
	case e.Change != nil:
		sight, err := f.current().Sees(e.Change)
		if sight == rules.Gone {
			gone := *e.Change
			gone.Type, gone.Before, gone.After = nestor.Delete, nil, nil
			e.Change = &gone
		}
		return e, sight != rules.Hidden, err
	case e.Delta != nil:
		err := f.current().May(rules.Read, e.Delta.Path, nil, nil)
		if nestor.CodeOf(err) == nestor.CodeNotFound {
			return e, false, nil
		}
		return e, err == nil, err
	}
	return e, true, nil
}
