package feed

import (
	"context"
	"time"

	"github.com/nestorhq/nestor"
)

// Watch calls fn with the changes from now on whose path matches one of the globs, until
// ctx ends. It is for work that a change makes needless, on whichever node: when
// the log cannot be read, or not from where Watch was, changes may be missed.
func (f *Feed) Watch(ctx context.Context, fn func(*nestor.Change), globs ...nestor.Glob) {
	for after := Live; ctx.Err() == nil; {
		for e, err := range f.Follow(ctx, after, 0, globs...) {
			if nestor.CodeOf(err) == nestor.CodeTooOld {
				after = Live
			}
			if err != nil {
				f.opts.Logger.Warn("watching changes was interrupted", "globs", globs, "error", err)
				break
			}
			if after = e.Position.Seq; e.Change != nil {
				fn(e.Change)
			}
		}
		if pause(ctx, watchAgain) != nil {
			return
		}
	}
}

// watchAgain is how long to wait after the change log could not be read.
const watchAgain = time.Second
