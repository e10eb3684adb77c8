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
	"github.com/nestorhq/nestor/internal/store"
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

// Judge looks again at a caller who was let in before. It returns them as they are now, or
// says why they may not get what they asked for any more: their session, key or grant has
// ended, or may refuses.
func (s *Streams) Judge(ctx context.Context, c access.Caller, may func(*rules.Judge) error) (access.Caller, error) {
	return s.judge(ctx, c, rules.Live(ctx, s.Store), may)
}

// JudgeLately is Judge for somebody who is judged often: documents count as they were within
// the last half of a [Options.Recheck].
func (s *Streams) JudgeLately(ctx context.Context, c access.Caller, may func(*rules.Judge) error) (access.Caller, error) {
	return s.judge(ctx, c, s.recent.reader(ctx), may)
}

func (s *Streams) judge(ctx context.Context, c access.Caller, docs store.Reader, may allowed) (access.Caller, error) {
	c, err := s.Gate.Recheck(ctx, c)
	if err == nil {
		err = may(s.Rules.On(docs, c))
	}
	return c, err
}

// Watch is the context of a request whose answer takes long. It ends soon after the
// caller's session, key or grant, or when may refuses; its cause says which. Call stop before
// the handler returns.
func (s *Streams) Watch(r *http.Request, may func(*rules.Judge) error) (ctx context.Context, stop func()) {
	f, stop := s.watch(r, may)
	return f.ctx, stop
}

// watch keeps an eye on the caller of a stream. It ends the stream's context
// soon after their session, key or grant has ended, or when they may no longer
// follow it.
func (s *Streams) watch(r *http.Request, may allowed) (f *follower, stop func()) {
	ctx, cancel := context.WithCancelCause(r.Context())
	unstop := context.AfterFunc(s.Stopping, func() { cancel(nil) })
	f = &follower{Streams: s, ctx: ctx}
	c := access.CallerIn(r.Context())
	f.latest.Store(&c)
	var wg sync.WaitGroup
	wg.Go(func() {
		var err error
		defer func() { cancel(err) }()
		recovery.Logged(s.Logger, "a stream ends, since it cannot be checked", func() { err = f.recheck(may) })
	})
	return f, func() { unstop(); cancel(nil); wg.Wait() }
}

// recheck returns when the stream must end, and why. It must end also when it cannot be
// checked: the client comes back.
func (f *follower) recheck(may allowed) error {
	// Streams that begin together, as after a restart, are not all checked at
	// once.
	tick := time.NewTimer(rand.N(f.Recheck))
	defer tick.Stop()
	for {
		select {
		case <-f.ctx.Done():
			return nil
		case <-tick.C:
			tick.Reset(f.Recheck)
		}
		c, err := f.JudgeLately(f.ctx, *f.latest.Load(), may)
		if err != nil {
			return err
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
