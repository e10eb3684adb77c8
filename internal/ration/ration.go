// Package ration shares out a scarce thing, such as memory, among users: each has a
// share, and all together have no more than there is. Those who want more than is free
// wait in a short line, and are refused beyond it.
package ration

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
)

// Options say how much there is. PerUser and All must be set.
type Options struct {
	// Of is what is shared out, in words for people: "the reading of files".
	Of string
	// PerUser is the share of one user, and All what there is.
	PerUser, All int64
	// UserLine and Line are how many of one user, and of all, may wait. Default to none.
	UserLine, Line int
	// Patience is how long somebody waits in line. Defaults to 10 seconds.
	Patience time.Duration
}

// Ration is safe for concurrent use.
type Ration struct {
	opts Options

	mu    sync.Mutex
	users map[string]int64 // what each has taken
	taken int64
	line  []*waiter // the first in line first
}

type waiter struct {
	user  string
	n     int64
	ready chan struct{} // closed once n is taken for it
}

// New returns a ration of which nothing is taken.
func New(opts Options) *Ration {
	if opts.Patience == 0 {
		opts.Patience = 10 * time.Second
	}
	return &Ration{opts: opts, users: map[string]int64{}}
}

// Take takes n for a user, who gives it back. More than a share counts as the share.
// Who cannot have it yet waits in line; those whose own share is taken are passed
// over. If the line is full, or it takes too long, the error is of
// [nestor.CodeRateLimited] and puts a job off. If ctx ends it is its cause.
func (r *Ration) Take(ctx context.Context, user string, n int64) (giveBack func(), err error) {
	if n <= 0 {
		return func() {}, nil
	}
	n = min(n, r.opts.PerUser, r.opts.All)
	w, err := r.enter(user, n)
	if err != nil {
		return nil, err
	}
	patience := time.NewTimer(r.opts.Patience)
	defer patience.Stop()
	select {
	case <-w.ready:
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-patience.C:
		err = r.busy()
	}
	if err != nil && r.leave(w) { // else it was served meanwhile
		return nil, err
	}
	return sync.OnceFunc(func() { r.giveBack(user, n) }), nil
}

// enter takes at once, or stands in line.
func (r *Ration) enter(user string, n int64) (*waiter, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := &waiter{user: user, n: n, ready: make(chan struct{})}
	before := len(r.line)
	r.line = append(r.line, w)
	r.serve()
	if len(r.line) <= before { // it was served
		return w, nil
	}
	mine := 0
	for _, other := range r.line {
		if other.user == user {
			mine++
		}
	}
	if mine > r.opts.UserLine || len(r.line) > r.opts.Line {
		r.line = r.line[:before] // it was the last
		return nil, r.busy()
	}
	return w, nil
}

// serve gives those in line what is free. Nobody gets anything before those who
// were there first, but for those who wait for their own share.
func (r *Ration) serve() {
	waiting := r.line[:0]
	for i, w := range r.line {
		if r.taken+w.n > r.opts.All {
			waiting = append(waiting, r.line[i:]...)
			break
		}
		if r.users[w.user]+w.n > r.opts.PerUser {
			waiting = append(waiting, w)
			continue
		}
		r.users[w.user] += w.n
		r.taken += w.n
		close(w.ready)
	}
	clear(r.line[len(waiting):])
	r.line = waiting
}

// leave takes a waiter out of line. It reports false for one that was served.
func (r *Ration) leave(w *waiter) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.line, w)
	if i < 0 {
		return false
	}
	r.line = slices.Delete(r.line, i, i+1)
	r.serve() // it may have held others up
	return true
}

func (r *Ration) giveBack(user string, n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken -= n
	if r.users[user] -= n; r.users[user] == 0 {
		delete(r.users, user)
	}
	r.serve()
}

// comeAgain is how long a client that was refused should wait.
const comeAgain = 2 * time.Second

func (r *Ration) busy() error {
	err := nestor.Errorf(nestor.CodeRateLimited, "%s is busy: too many requests of yours, or of all, wait for it; try again in a moment", r.opts.Of)
	err.Err = errors.Join(nestor.PutOff{}, nestor.RetryAfter(comeAgain))
	return err.With("of", r.opts.Of)
}
