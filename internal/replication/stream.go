package replication

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
)

// batch is how many changes one event tells of at most.
const batch = 100

// stream sends server-sent events until the client goes away: RESYNC for all
// scopes, or as JSON the documents of one that changed.
func (s *server) stream(w http.ResponseWriter, r *http.Request, caller Caller) error {
	scopes, err := streamScopes(r, caller)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	f := &follower{server: s, request: r, caller: caller, scopes: scopes, sink: sink{w, http.NewResponseController(w), s.WriteTimeout}}
	for begun := false; ; begun = true {
		// Everything up to here is seen by whoever pulls after RESYNC.
		position, err := s.Store.LastSeq(ctx)
		if err != nil && !begun {
			return err
		}
		if err == nil {
			if !begun {
				f.sink.open()
			}
			err = f.follow(ctx, position)
		}
		if nestor.CodeOf(err) == nestor.CodeTooOld {
			continue // it was too slow for the feed, or sees others now
		}
		if err != nil && ctx.Err() == nil {
			s.Logger.Warn("a replication stream ended", "error", err)
		}
		return nil
	}
}

// follower is one open stream.
type follower struct {
	*server
	request *http.Request
	caller  Caller
	scopes  []scope
	sink    sink
}

// errShifted: the caller may see other documents than before.
var errShifted = nestor.Errorf(nestor.CodeTooOld, "what the caller may see has changed")

// received is what the feed yields.
type received struct {
	change *nestor.Change
	err    error
}

// follow tells the client to pull and then of every change after position. It
// returns nil when the client is gone or nobody any more.
func (f *follower) follow(ctx context.Context, position int64) error {
	if !f.sink.send([]byte("data: RESYNC\n\n")) {
		return nil
	}
	standing, shifts := f.standing()
	ctx, cancel := context.WithCancel(ctx)
	changes := make(chan received, batch)
	var wg sync.WaitGroup
	wg.Go(func() { f.receive(ctx, position, standing, changes) })
	defer wg.Wait()
	defer cancel()

	heartbeat := time.NewTicker(f.Heartbeat)
	defer heartbeat.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-heartbeat.C:
			var err error
			if f.caller, err = f.Caller(f.request); err != nil {
				return nil // it learns why when it comes back
			}
			if !f.sink.send([]byte(":\n\n")) {
				return nil
			}
		case first := <-changes:
			list, err := gather(first, changes)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(list, shifts) {
				if f.caller, err = f.Caller(f.request); err != nil {
					return nil
				}
				return errShifted
			}
			if events := f.events(list); len(events) > 0 && !f.sink.send(events) {
				return nil
			}
		}
	}
}

// standing is what the stream follows besides its scopes; no globs for those who
// follow what is their own, and see it whatever happens.
func (f *follower) standing() (globs []nestor.Glob, shifts func(*nestor.Change) bool) {
	own := "users/" + f.caller.UserID() + "/"
	foreign := func(s scope) bool { return !strings.HasPrefix(s.String(), own) }
	if f.Standing == nil || f.caller.UserID() == "" || !slices.ContainsFunc(f.scopes, foreign) {
		return nil, func(*nestor.Change) bool { return false }
	}
	glob, shifts := f.Standing(f.caller)
	return []nestor.Glob{glob}, shifts
}

// receive passes the feed on. While nobody takes what it has, the feed keeps
// the rest, up to its limit.
func (f *follower) receive(ctx context.Context, position int64, globs []nestor.Glob, to chan<- received) {
	for _, s := range f.scopes {
		globs = append(globs, s.Documents())
	}
	for c, err := range f.Feed.Changes(ctx, position, globs...) {
		select {
		case to <- received{c, err}:
		case <-ctx.Done():
			return
		}
	}
}

// gather takes what else is there already, so that a burst makes few events.
func gather(next received, more <-chan received) (list []*nestor.Change, err error) {
	for {
		if next.err != nil {
			return nil, next.err
		}
		list = append(list, next.change)
		if len(list) == batch {
			return list, nil
		}
		select {
		case next = <-more:
		default:
			return list, nil
		}
	}
}

// sink is the connection to the client.
type sink struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
}

func (s sink) open() {
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy that gathers would hold everything up
}

// send writes and reports whether the client is still there.
func (s sink) send(text []byte) bool {
	// Where there is no deadline to set, as behind a middleware that hides it,
	// the server's own holds.
	_ = s.control.SetWriteDeadline(time.Now().Add(s.timeout))
	if _, err := s.w.Write(text); err != nil {
		return false
	}
	return s.control.Flush() == nil
}
