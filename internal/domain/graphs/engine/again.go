package engine

import (
	"context"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
)

// An agent or an execution that works for a node and fails is begun again, if the node has
// a retry. The resolution notes the attempt that failed and when the next one begins. That
// causes a job, which waits until then; so the pause outlives the process.

// maxTryMessage is how much is noted of why an attempt failed, in bytes.
const maxTryMessage = 500

// again notes that an attempt failed and is followed by another. It reports false if the
// node is not to be tried again.
func (t *turn) again(item int, failure *record.Failure) bool {
	retry, attempt := t.node.Retry, t.resolution.AttemptAt(item)
	if retry == nil || attempt >= retry.Attempts || failure.Code == CodeInterrupted || failure.Code == string(nestor.CodeCancelled) || final(nestor.Code(failure.Code)) {
		return false
	}
	r, why := &t.resolution, *failure
	if len(why.Message) > maxTryMessage {
		why.Message = storableText(why.Message[:maxTryMessage]) + "…"
	}
	next := nestor.Millis(time.Now()) + int64(retry.PauseMS)
	r.Tries = append(r.Tries, record.Try{Item: item, ChatID: r.ChatID, Error: &why, NextTime: next})
	r.Attempts, r.ChatID = max(r.Attempts, attempt+1), ""
	if r.RetryTime == 0 {
		r.RetryTime = next
	}
	return true
}

// untilDue waits until the next attempt of a turn begins.
func (e *Engine) untilDue(ctx context.Context, t *turn) error {
	if t.resolution.RetryTime == 0 {
		return nil
	}
	return e.Options.Pause(ctx, max(0, time.Until(time.UnixMilli(t.resolution.RetryTime))))
}
