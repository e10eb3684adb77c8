package feed

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/bus"
)

const (
	// pace is how long what is said gathers before it is sent to other nodes. The
	// first words after a pause go at once.
	pace = 25 * time.Millisecond
	// stillThere is how often a node says so while it has sent drafts that have not
	// ended, and silence after which time without a word they are taken for dead.
	stillThere, silence = time.Second, 3500 * time.Millisecond
	// greeting is how often nodes that know of others say that they are there, and
	// gone after which time they are forgotten.
	greeting, gone = 5 * time.Second, 20 * time.Second
	// linger is how long a node goes on watching what nobody there follows any more:
	// who reloads a page comes back.
	linger = 3 * time.Second
	// askAgain is how long to wait for an answer.
	askAgain = 500 * time.Millisecond
	// tickTime is how often all these are looked at.
	tickTime = 250 * time.Millisecond
)

// relay shows the drafts of other nodes to the subscribers of this one, and the
// drafts of this node to others.
//
// Nodes tell each other what their subscribers follow. A node sends what is said
// in its drafts only to those who watch them, gathered over a moment, so one
// that is alone or unwatched sends nothing. The drafts of others are mirrored by
// Writers like those of this node, from which subscribers are told as ever; so
// the rules that decide what a subscriber sees are the same.
//
// Any message may be lost, doubled, late or garbled. Those that tell of drafts
// are numbered, and of what is missing the whole is asked for again: a mirror
// has always said a beginning of what its draft has. The mirrors of a node that
// falls silent are dropped, and their documents tell.
//
// All but bus, id, kick and known is guarded by Feed.mu.
type relay struct {
	feed   *Feed
	bus    bus.Bus
	id     string
	others func() int // how many nodes there are besides, as far as is known
	kick   chan struct{}

	greet    bool      // the bus has just begun to work
	greeted  time.Time // when we said last that we are there
	streams  int64     // counts those that began
	wanted   map[nestor.Glob]int
	watched  map[nestor.Glob]bool // what others know that we watch, or will at once
	index    nestor.GlobIndex[nestor.Glob]
	changes  watch // not sent yet
	unwanted map[nestor.Glob]time.Time

	peers    map[string]*peer
	known    atomic.Int64 // how many peers there are
	watchers nestor.GlobIndex[*peer]
	asked    int64
}

// peer is another node.
type peer struct {
	id    string
	heard time.Time
	asks  *ask // what it is to be asked
	owed  bool // it is to be told all that we watch

	// What it watches, and the version of that; of version 0 it is nothing.
	globs   map[nestor.Glob]bool
	version int64
	out     outward
	in      inward
}

func newRelay(f *Feed) *relay {
	r := &relay{
		feed: f, bus: f.opts.Bus, id: strings.ToLower(rand.Text()[:12]), others: f.opts.Others,
		kick: make(chan struct{}, 1), wanted: map[nestor.Glob]int{}, watched: map[nestor.Glob]bool{},
		unwanted: map[nestor.Glob]time.Time{}, peers: map[string]*peer{},
	}
	if r.others == nil {
		r.others = func() int { return 0 }
	}
	r.bus.Connected(r.connected)
	r.bus.Subscribe(everybody, r.receive)
	r.bus.Subscribe(subjectOf(r.id), r.receive)
	return r
}

// run sends what there is to send until ctx ends.
func (r *relay) run(ctx context.Context) {
	ticker := time.NewTicker(tickTime)
	defer ticker.Stop()
	for ctx.Err() == nil {
		if due := r.collect(time.Now(), r.bus.State().Up); len(due) > 0 {
			rest := pace
			if err := r.bus.Publish(ctx, encode(r.id, due)...); err != nil {
				r.failed()
				rest = tickTime
			}
			if pause(ctx, rest) != nil {
				break
			}
		}
		select {
		case <-ctx.Done():
		case <-r.kick:
		case <-ticker.C:
		}
	}
	r.leave(context.WithoutCancel(ctx))
}

// leave ends the mirrors, whose nodes go on without us, and says goodbye.
func (r *relay) leave(ctx context.Context) {
	r.feed.mu.Lock()
	known := len(r.peers)
	for _, p := range r.peers {
		r.forget(p)
	}
	r.feed.mu.Unlock()
	if known > 0 {
		// A node that does not hear it finds out by silence.
		_ = r.bus.Publish(ctx, encode(r.id, []outgoing{{everybody, envelope{Bye: true}}})...)
	}
}

func (r *relay) wake() {
	select {
	case r.kick <- struct{}{}:
	default:
	}
}

// connected tells others that we are there. What was sent before may be lost.
func (r *relay) connected() {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	r.greet = true
	r.beginAnew()
	r.wake()
}

// failed: what was collected was not sent. Who does not know what we watch asks
// when they are greeted.
func (r *relay) failed() {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	r.greet = true
	r.beginAnew()
}

func (r *relay) beginAnew() {
	for _, p := range r.peers {
		p.out.stream = 0
	}
}

// alone reports that nobody would hear us.
func (r *relay) alone() bool { return len(r.peers) == 0 && r.others() == 0 }

// watch begins to watch globs for a subscriber.
func (r *relay) watch(globs []nestor.Glob) {
	if r == nil {
		return
	}
	for _, g := range globs {
		r.wanted[g]++
		delete(r.unwanted, g)
		if !r.watched[g] {
			r.watched[g] = true
			r.index.Add(g, g)
			r.changes.Add = append(r.changes.Add, g)
			r.wake()
		}
	}
}

// unwatch ends that, soon after the last subscriber has left.
func (r *relay) unwatch(globs []nestor.Glob) {
	if r == nil {
		return
	}
	for _, g := range globs {
		if r.wanted[g]--; r.wanted[g] == 0 {
			delete(r.wanted, g)
			r.unwanted[g] = time.Now().Add(linger)
		}
	}
}

// collect makes the messages that are due, if the bus can carry them.
func (r *relay) collect(now time.Time, up bool) (due []outgoing) {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	r.stopWatching(now)
	for _, p := range r.peers {
		r.dropSilent(p, now)
		if now.Sub(p.heard) > gone {
			r.forget(p)
		}
	}
	if !up {
		return nil
	}
	if e, ok := r.toAll(now); ok {
		due = append(due, outgoing{everybody, e})
	}
	for _, id := range slices.Sorted(maps.Keys(r.peers)) {
		p := r.peers[id]
		e := envelope{Ask: p.asks, Said: r.tell(p, now)}
		if p.owed {
			e.Watch = &watch{Version: r.changes.Version, All: true, Add: slices.Collect(maps.Keys(r.watched))}
		}
		p.asks, p.owed = nil, false
		if e.Ask != nil || e.Said != nil || e.Watch != nil {
			due = append(due, outgoing{subjectOf(id), e})
		}
	}
	return due
}

// toAll is what all are to hear: that we are there, what we watch.
func (r *relay) toAll(now time.Time) (e envelope, ok bool) {
	due := r.greet || now.Sub(r.greeted) >= greeting && !r.alone()
	if len(r.changes.Add)+len(r.changes.Remove) > 0 {
		r.changes.Version++
		if !r.alone() {
			w := r.changes
			e.Watch, ok = &w, true
		}
		r.changes = watch{Version: r.changes.Version}
	}
	if due {
		e.Hello, ok = &hello{r.changes.Version}, true
		r.greet, r.greeted = false, now
	}
	return e, ok
}

// stopWatching lets go of what nobody follows any more, and of its mirrors: a
// subscriber that comes back is told that they are void.
func (r *relay) stopWatching(now time.Time) {
	before := len(r.changes.Remove)
	for g, when := range r.unwanted {
		if now.Before(when) {
			continue
		}
		delete(r.unwanted, g)
		delete(r.watched, g)
		r.index.Remove(g, g)
		r.changes.Remove = append(r.changes.Remove, g)
		r.changes.Add = slices.DeleteFunc(r.changes.Add, func(added nestor.Glob) bool { return added == g })
	}
	if len(r.changes.Remove) == before {
		return
	}
	for _, p := range r.peers {
		for id, m := range p.in.mirrors {
			if !r.watches(m.writer.draft.Path) {
				r.drop(p, id)
			}
		}
	}
}

func (r *relay) watches(path nestor.Path) (yes bool) {
	r.index.Match(string(path), func(nestor.Glob) { yes = true })
	return yes
}

// forget lets go of a node that is gone.
func (r *relay) forget(p *peer) {
	for id := range p.in.mirrors {
		r.drop(p, id)
	}
	for g := range p.globs {
		r.watchers.Remove(g, p)
	}
	delete(r.peers, p.id)
	r.known.Store(int64(len(r.peers)))
}

// Peers is how many other nodes were heard lately. It waits for nobody.
func (f *Feed) Peers() int {
	if f.relay == nil {
		return 0
	}
	return int(f.relay.known.Load())
}

// Relayed is how live text across nodes is doing.
type Relayed struct {
	// Drafts is how many drafts of other nodes are shown.
	Drafts int
	// Asked counts how often something was missing and asked for again.
	Asked int64
}

// Relayed tells how live text across nodes is doing.
func (f *Feed) Relayed() (s Relayed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.relay == nil {
		return s
	}
	for _, p := range f.relay.peers {
		s.Drafts += len(p.in.mirrors)
	}
	s.Asked = f.relay.asked
	return s
}
