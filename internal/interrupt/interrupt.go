package interrupt

import (
	"context"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store"
)

// Running is the work of this process that can be interrupted. To interrupt it
// saves time and money, no more: the transaction of such work checks by itself
// whether it is still wanted.
type Running struct {
	mu      sync.Mutex
	running map[nestor.Path]map[*Work]bool
}

// Work is one run of a handler that can be interrupted.
type Work struct {
	all    *Running
	path   nestor.Path
	cancel context.CancelCauseFunc
	// saw is the newest change the handler knows, negative until it has read
	// any; only later ones interrupt it. heard is the newest that would.
	saw, heard int64
}

// ErrInterrupted is why a handler stops in the middle.
var ErrInterrupted = nestor.Errorf(nestor.CodeCancelled, "the work is no longer wanted")

// Rule says which changes of a collection leave no reason for work.
type Rule struct {
	Collection *store.Collection
	// Work is the document for which the work is that a change may concern. Defaults to
	// the one that changed.
	Work func(changed nestor.Path) nestor.Path
	// Ends reports whether a change leaves no reason for that work.
	Ends func(*nestor.Change) bool
}

// Begin registers work for the document at p. Begin first, then read whether
// the work is wanted and say what was seen: so no change falls in between.
func (i *Running) Begin(ctx context.Context, p nestor.Path) (context.Context, *Work) {
	w := &Work{all: i, path: p, saw: -1}
	ctx, w.cancel = context.WithCancelCause(ctx)
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.running == nil {
		i.running = map[nestor.Path]map[*Work]bool{}
	}
	if i.running[p] == nil {
		i.running[p] = map[*Work]bool{}
	}
	i.running[p][w] = true
	return ctx, w
}

// Seen tells up to which change the handler knows what happened.
func (w *Work) Seen(seq int64) {
	w.all.mu.Lock()
	defer w.all.mu.Unlock()
	w.saw = seq
	w.check()
}

func (w *Work) check() {
	if w.saw >= 0 && w.heard > w.saw {
		w.cancel(ErrInterrupted)
	}
}

// Done ends the work, however it went.
func (w *Work) Done() {
	w.all.mu.Lock()
	defer w.all.mu.Unlock()
	delete(w.all.running[w.path], w)
	if len(w.all.running[w.path]) == 0 {
		delete(w.all.running, w.path)
	}
	w.cancel(nil)
}

// Happened reports whether work ended because nobody wants it any more, as
// opposed to a failure or the end of the process.
func Happened(ctx context.Context) bool { return context.Cause(ctx) == ErrInterrupted }

// Follow interrupts work as the rules say until ctx ends, whichever node made the change.
// What it misses is noticed at the next commit.
func (i *Running) Follow(ctx context.Context, changes *feed.Feed, rules ...Rule) {
	var globs []nestor.Glob
	for _, r := range rules {
		globs = append(globs, r.Collection.Glob())
	}
	changes.Watch(ctx, func(c *nestor.Change) {
		for _, r := range rules {
			if r.Collection.Has(c.Path) {
				i.notice(r, c)
			}
		}
	}, globs...)
}

func (i *Running) notice(r Rule, c *nestor.Change) {
	p := c.Path
	if r.Work != nil {
		p = r.Work(p)
	}
	if i.concerns(p) && r.Ends(c) {
		i.stop(p, c.Seq)
	}
}

func (i *Running) concerns(p nestor.Path) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.running[p]) > 0
}

// stop interrupts the work for the document at p that does not know of the
// change seq.
func (i *Running) stop(p nestor.Path, seq int64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for w := range i.running[p] {
		w.heard = max(w.heard, seq)
		w.check()
	}
}
