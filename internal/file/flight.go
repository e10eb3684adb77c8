package file

import (
	"context"
	"sync"
)

// flights has one do what several ask for at the same time, by id. The others get the
// result. It is safe for concurrent use.
type flights[T any] struct {
	mu    sync.Mutex
	under map[string]*flight[T]
}

type flight[T any] struct {
	done   chan struct{}
	result T
	err    error
	left   bool // the one who did it went away before it was done
}

// do returns the result of fn, which the caller or another one runs.
func (f *flights[T]) do(ctx context.Context, id string, fn func() (T, error)) (T, error) {
	for {
		f.mu.Lock()
		other := f.under[id]
		if other == nil {
			return f.lead(ctx, id, fn)
		}
		f.mu.Unlock()
		select {
		case <-other.done:
			if !other.left {
				return other.result, other.err
			}
		case <-ctx.Done():
			var none T
			return none, context.Cause(ctx)
		}
	}
}

// lead runs fn for all who ask meanwhile. It is called with the lock held.
func (f *flights[T]) lead(ctx context.Context, id string, fn func() (T, error)) (T, error) {
	own := &flight[T]{done: make(chan struct{}), left: true} // should fn panic
	if f.under == nil {
		f.under = map[string]*flight[T]{}
	}
	f.under[id] = own
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.under, id)
		close(own.done)
	}()
	own.result, own.err = fn()
	own.left = own.err != nil && ctx.Err() != nil
	return own.result, own.err
}
