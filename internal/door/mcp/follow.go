package mcp

import (
	"context"
	"errors"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/store"
)

// errWaited: the time that the client wants to wait is over.
var errWaited = errors.New("the time to wait is over")

// follow tells the client what happens in a run from a position on, asks it what the run
// asks if it can answer, and returns what came of the run when it has ended or waits for
// somebody.
func (c *call) follow(at nestor.Path, from string, wait time.Duration) (*sdk.CallToolResult, error) {
	ctx := c.req.Context()
	if wait != forever {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, wait, errWaited)
		defer cancel()
	}
	c.began(at)
	defer c.told.end(c)
	for {
		var err error
		from, err = c.watch(ctx, at, from)
		waited := errors.Is(context.Cause(ctx), errWaited)
		if err != nil && !waited {
			return nil, c.interrupted(at, err)
		}
		result, err := c.door.opts.Runs().Result(c.req.Context(), at, 0)
		if err != nil {
			return nil, c.interrupted(at, err)
		}
		if result.Run.Status.Ended() {
			return outcome(&result, nil), nil
		}
		waiting, waits, err := c.waits(&result.Run)
		if err != nil {
			return nil, err
		}
		if waited || waiting != nil && waiting.Seq > c.handled && !c.elicit(ctx, waiting, waits) {
			return outcome(&result, waits), nil
		}
	}
}

// interrupted cancels a run whose call the client has cancelled. A call that ends for
// another reason, such as a connection that broke, leaves the run as it is.
func (c *call) interrupted(at nestor.Path, err error) error {
	if context.Cause(c.ctx) != context.Canceled { // other ends of a call have a cause that says more
		return err
	}
	req := c.certain()
	if err := req.MayAct(about(at, c.told.thread)); err != nil {
		return err
	}
	return errors.Join(err, c.door.opts.Runs().Cancel(store.Ending(store.FromOutside(req.Context())), at, req.UserID()))
}

// about is the document that the rules are asked about before a run is cancelled.
func about(run nestor.Path, chat string) nestor.Path {
	if chat == "" {
		return run
	}
	return nestor.Path(run.Tenant()).Child("orch-chats", chat)
}

// watch tells what happens in a run from a position on, until it has ended or waits. It
// returns the position that it came to.
func (c *call) watch(ctx context.Context, at nestor.Path, from string) (string, error) {
	for e, err := range c.door.opts.Runs().Follow(ctx, at, from) {
		if errors.Is(err, nestor.ErrTooOld) {
			_, err := c.door.opts.Runs().Result(ctx, at, untold)
			return from, err
		}
		if err != nil {
			return from, err
		}
		if e.Position != "" {
			from = e.Position
		}
		c.told.event(c, &e.Event)
		switch e.Type {
		case runs.RunEnded:
			return from, nil
		case runs.RunWaits:
			if e.Run.Seq > c.handled {
				return from, nil
			}
		case runs.Question, runs.Approval, runs.ClientCall:
			if e.RunID == at.ID() {
				continue // the run tells when nothing but waiting is left
			}
			// The message was given to an agent that works for an earlier one, and waits.
			other, err := c.door.opts.Runs().Result(ctx, store.RunAt(at, e.RunID), untold)
			if err != nil {
				return from, err
			}
			if other.Run.Status == nestor.RunWaiting && other.Run.Seq > c.handled {
				return from, nil
			}
		}
	}
	return from, context.Cause(ctx)
}

// untold is how long a run is waited for of which nothing can be told meanwhile.
const untold = time.Minute
