package interrupt

import (
	"context"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/conversation"
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

// Happened reports whether work ended because nobody wants it any more, as
// opposed to a failure or the end of the process.
func Happened(ctx context.Context) bool { return context.Cause(ctx) == ErrInterrupted }

// Follow interrupts work until ctx ends: when an agent ends or waits, when a
// question is answered, when a user says more, when a person stops a chat. What it
// misses is noticed at the next commit.
func (i *Running) Follow(ctx context.Context, changes *feed.Feed) {
	changes.Watch(ctx, i.Noticed,
		"users/*/orch-chats/*", "users/*/orch-chats/*/messages/*", "users/*/orch-chats/*/tasks/*", "users/*/orch-chats/*/sub-agents/*")
}

// Noticed stops work that a change leaves no reason for.
func (i *Running) Noticed(c *nestor.Change) {
	switch p := c.Path; {
	case store.Messages.Has(p):
		if chat := p.Parent(); i.concerns(chat) && supersedes(c) {
			i.stop(chat, c.Seq)
		}
	case i.concerns(p) && !wantsWork(c):
		i.stop(p, c.Seq)
	}
}

// wantsWork reports whether what changed is still there and a reason to work: a
// chat, an agent that is active, a task that waits for an answer.
func wantsWork(c *nestor.Change) bool {
	if c.After == nil {
		return false
	}
	doc, err := nestor.As[struct {
		Status string `json:"status"`
	}](c.After)
	return err != nil || doc.Status == "" || doc.Status == string(nestor.SubAgentActive) || doc.Status == string(nestor.TaskWaiting)
}

// supersedes reports whether the orchestrator need not go on with its answer:
// the user said more, which the next one will see, too, or stopped it.
func supersedes(c *nestor.Change) bool {
	if c.Type != nestor.Create {
		return false
	}
	m, err := nestor.As[nestor.Message](c.After)
	return err == nil && (m.Role == nestor.RoleUser && m.QuestionID == "" || conversation.IsStop(&m))
}
