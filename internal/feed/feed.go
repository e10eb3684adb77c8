// Package feed follows the change log and hands changes to subscribers, and
// beside them the text of messages that are still being written.
//
// One goroutine, [Feed.Run], tails the log of a store; any number of
// subscribers follow it from any position, live, each by its own globs. Every
// subscriber gets every matching change once and in order, however slowly it
// reads: one that falls behind reads the log until it is live again. An error of
// [nestor.CodeTooOld], which asks for a resync, comes only when the log no longer
// reaches back to where the subscriber stands. Nobody slows a writer or another
// subscriber.
//
// What subscribers are yet to be told is kept once for all of them, up to a
// number of bytes. What is large is not kept at all while a slow reader is being
// sent it; see [Event.Document].
//
// A message being written is a [Draft]. What a model says goes to a [Writer] at
// once and to subscribers as deltas. Drafts live in memory only: a crash loses
// them, and the job that wrote one begins a new one. With a bus, subscribers on
// other nodes are told of them, too.
package feed

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/bus"
	"github.com/nestorhq/nestor/internal/store"
)

// Options configure a [Feed].
type Options struct {
	// Buffer is how many changes, and drafts that ended, a subscriber may be
	// behind before it goes on with the log. Defaults to 1024.
	Buffer int
	// BufferBytes is the same in bytes of changes. Defaults to 4 MiB.
	BufferBytes int
	// HeldBytes is how many bytes are kept for all subscribers together.
	// Defaults to 64 MiB.
	HeldBytes int
	// Poll is how often to look for what nobody told us of. Defaults to 1 second.
	Poll time.Duration
	// Beat is how often a subscriber of Events is told its position while
	// nothing happens. Defaults to 15 seconds.
	Beat time.Duration
	// Bus leads to other nodes, whose drafts are shown, too. Defaults to none. Run
	// it beside the feed.
	Bus bus.Bus
	// Others tells how many other nodes there are, as far as is known. Defaults to
	// those that were heard on the bus.
	Others func() int
	// Logger defaults to slog.Default().
	Logger *slog.Logger
}

// page is how many changes are read from the log at a time.
const page = 500

// Feed is the tail of one store's log, and the drafts of this process.
type Feed struct {
	opts  Options
	log   store.Log
	kinds *store.Catalogue

	heard  heard
	signal chan struct{}
	tail   sync.Mutex    // held by whoever passes on what follows the position
	reads  chan struct{} // has room for as many as may read the log beside the tail

	mu       sync.Mutex
	position int64 // passed on up to here
	started  chan struct{}
	subs     nestor.GlobIndex[*subscriber]
	all      map[*subscriber]bool
	shelf    shelf
	drafts
	relay *relay // nil without a bus
}

// New makes a feed and registers it with the store. Call before the store is
// used, and before a worker registers: when a job begins a draft, the feed has
// heard of the change that caused it.
func New(s store.Store, opts Options) *Feed {
	if opts.Buffer == 0 {
		opts.Buffer = 1024
	}
	if opts.BufferBytes == 0 {
		opts.BufferBytes = 4 << 20
	}
	if opts.HeldBytes == 0 {
		opts.HeldBytes = 64 << 20
	}
	if opts.Poll == 0 {
		opts.Poll = time.Second
	}
	if opts.Beat == 0 {
		opts.Beat = 15 * time.Second
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	f := &Feed{
		opts: opts, log: s, kinds: s.Catalogue(), signal: make(chan struct{}, 1), started: make(chan struct{}),
		reads:  make(chan struct{}, maxReads),
		all:    map[*subscriber]bool{},
		shelf:  shelf{limit: opts.HeldBytes, bySeq: map[int64]*held{}},
		drafts: newDrafts(),
	}
	if opts.Bus != nil {
		f.relay = newRelay(f)
	}
	s.Observe(store.FeedTurn, f.committed)
	return f
}

// Run tails the log until ctx ends.
func (f *Feed) Run(ctx context.Context) error {
	if err := f.goToEnd(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	close(f.started)
	if f.relay != nil {
		var relaying sync.WaitGroup
		relaying.Go(func() { f.relay.run(ctx) })
		defer relaying.Wait()
	}
	wake := f.log.Wake()
	ticker, gap := time.NewTicker(f.opts.Poll), time.NewTimer(gapPause)
	defer ticker.Stop()
	defer gap.Stop()
	for look := true; ; {
		for {
			more, err := f.advance(ctx, look)
			if nestor.CodeOf(err) == nestor.CodeTooOld {
				err = f.goToEnd(ctx)
			}
			if err != nil && ctx.Err() == nil {
				f.opts.Logger.Warn("reading the change log failed", "error", err)
			}
			if err != nil || !more {
				break
			}
		}
		if !look && f.heard.newest.Load() > f.Position() {
			gap.Reset(gapPause)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-f.signal:
			look = false
		case <-gap.C:
			look = f.heard.newest.Load() > f.Position()
		case <-wake:
			look = true
		case <-ticker.C:
			look = true
		}
	}
}

// gapPause is how long the tail waits for what is missing before something that this
// process committed: most often that is about to commit, too. Then the log tells whether it
// is another process's, or was never written. Other processes tell of what they
// commit themselves, and are not waited for.
const gapPause = 10 * time.Millisecond

// goToEnd goes to the end of the log: first when the feed starts, again when the
// log was swept past our position, as happens to a process that was stopped for
// long. Subscribers go on with the log, if it still reaches back to where they
// are.
func (f *Feed) goToEnd(ctx context.Context) error {
	f.tail.Lock()
	defer f.tail.Unlock()
	seq, err := f.log.LastSeq(ctx)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.position = seq
	for s := range f.all {
		f.cutOff(s)
	}
	f.tellEarly()
	return nil
}

// Position is the last change that was passed on.
func (f *Feed) Position() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.position
}

// Subscribers counts who is following live.
func (f *Feed) Subscribers() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.all)
}

// committed keeps what this process wrote, so that the tail need not read it
// back. With nobody to pass it on to, the tail need not even wake up.
func (f *Feed) committed(c store.Commit) {
	if len(c.Changes) == 0 {
		return
	}
	f.heard.add(c.Changes)
	if f.Subscribers() == 0 && f.skip() {
		return
	}
	select {
	case f.signal <- struct{}{}:
	default:
	}
}

// skip passes on what was heard, if nobody else is at it and nothing is missing.
func (f *Feed) skip() bool {
	if !f.tail.TryLock() {
		return false
	}
	defer f.tail.Unlock()
	if changes := f.heard.following(f.Position()); len(changes) > 0 {
		f.pass(changes)
	}
	return f.heard.newest.Load() <= f.Position()
}

// advance passes on what is new and reports whether there may be more. The log
// is read if asked for, up to what was heard of.
func (f *Feed) advance(ctx context.Context, look bool) (more bool, err error) {
	f.tail.Lock()
	defer f.tail.Unlock()
	if changes := f.heard.following(f.Position()); len(changes) > 0 {
		f.pass(changes)
		return true, nil
	}
	if !look {
		return false, nil
	}
	changes, err := f.log.Changes(ctx, f.Position(), f.heard.missing(f.Position()), f.followed())
	if err != nil || len(changes) == 0 {
		return false, err
	}
	f.pass(changes)
	return true, nil
}

// followed tells whether somebody follows a path, of each path as it was when first asked:
// a change comes with all of its documents or none.
func (f *Feed) followed() func(nestor.Path) bool {
	known := map[nestor.Path]bool{}
	return func(p nestor.Path) bool {
		found, ok := known[p]
		if !ok {
			f.mu.Lock()
			f.subs.Match(string(p), func(*subscriber) { found = true })
			f.mu.Unlock()
			known[p] = found
		}
		return found
	}
}

// pass hands changes to those who asked for them. Who asked when the log had been read
// goes on with the log, since documents that nobody wanted were left out. The slice is
// used up.
func (f *Feed) pass(changes []nestor.Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range changes {
		c := &changes[i]
		if w := f.open[c.Path]; w != nil && w.becomes(c) {
			f.finish(w, KindDone)
		}
		f.position = c.Seq
		if f.kinds.Of(c.Path).Unfollowed {
			f.tellEarly()
			continue
		}
		var h *held
		bare := c.After == nil && c.Type != nestor.Delete
		f.subs.Match(string(c.Path), func(s *subscriber) {
			if bare {
				f.cutOff(s)
				return
			}
			if h == nil {
				h = f.shelf.change(c)
				h.said, f.told = f.counter, f.counter
			}
			f.push(s, h)
		})
		if h != nil && h.refs > 0 {
			f.shelf.put(h, c)
		}
		f.tellEarly()
	}
	clear(changes)
}
