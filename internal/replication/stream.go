package replication

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/sse"
	"github.com/nestorhq/nestor/internal/store"
)

const (
	// batch is how many changes one event tells of at most, and batchBytes the
	// size from which they are told without waiting for more: what was gathered is
	// kept for a client that does not read. A change that large is told alone, in
	// pieces.
	batch      = 100
	batchBytes = sse.Piece
)

// stream sends server-sent events until the client goes away: RESYNC for all
// scopes, or the documents of one scope that changed, as JSON.
func (s *server) stream(w http.ResponseWriter, r *http.Request, caller Caller) error {
	scopes, err := s.streamScopes(r, caller)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	f := &follower{server: s, request: r, caller: caller, scopes: scopes}
	for {
		// A client that pulls after RESYNC sees everything up to here.
		position, err := s.Store.LastSeq(ctx)
		if err != nil && f.out == nil {
			return err
		}
		if err == nil {
			if f.out == nil {
				f.out = sse.New(w, s.WriteTimeout)
			}
			err = f.follow(ctx, position)
		}
		if nestor.CodeOf(err) == nestor.CodeTooOld {
			continue // the log no longer reaches back, or the caller sees other documents now
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
	out     *sse.Writer
	asked   time.Time // when the caller was last checked
	pending []*nestor.Change
	size    int // of these
}

// errShifted: the caller may see other documents than before.
var errShifted = nestor.Errorf(nestor.CodeTooOld, "what the caller may see has changed")

// follow tells the client to pull and then of every change after position. It
// returns nil when the client has gone away or its caller is no longer let in.
func (f *follower) follow(ctx context.Context, position int64) error {
	f.out.Put("data: RESYNC\n\n")
	if f.out.Flush() != nil {
		return nil
	}
	f.asked, f.pending, f.size = time.Now(), nil, 0
	globs, shifts := f.standing()
	for _, s := range f.scopes {
		globs = append(globs, s.Documents())
	}
	for e, err := range f.Feed.Follow(ctx, position, f.Heartbeat, globs...) {
		if err != nil {
			return err
		}
		if e.Change != nil && shifts(e.Change) {
			if f.caller, err = f.Caller(f.request); err != nil {
				return nil
			}
			return errShifted
		}
		if !f.take(ctx, &e) {
			return nil
		}
	}
	return nil
}

// take gathers changes that come at once, so that a burst makes few events, and
// tells the client. It returns false when the client has gone away or its
// caller is no longer let in.
func (f *follower) take(ctx context.Context, e *feed.Event) bool {
	if time.Since(f.asked) >= f.Heartbeat {
		var err error
		if f.caller, err = f.Caller(f.request); err != nil {
			return false // the client learns why when it comes back
		}
		f.asked = time.Now()
		f.out.Put(":\n\n")
	}
	more := false
	switch {
	case e.Change == nil:
	case store.Size(e.Change) >= batchBytes:
		f.tellPending()
		f.tellLarge(ctx, e)
	default:
		f.pending = append(f.pending, e.Change)
		f.size += store.Size(e.Change)
		more = e.More && len(f.pending) < batch && f.size < batchBytes
	}
	if more {
		return true
	}
	f.tellPending()
	return f.out.Flush() == nil
}

func (f *follower) tellPending() {
	if len(f.pending) > 0 {
		f.out.Put(string(f.events(f.pending)))
		f.pending, f.size = nil, 0
	}
}

// standing are the globs that the stream follows besides its scopes. There are
// none for callers who follow their own documents, which they always see.
func (f *follower) standing() (globs []nestor.Glob, shifts func(*nestor.Change) bool) {
	own := "users/" + f.caller.UserID() + "/"
	foreign := func(s scope) bool { return !strings.HasPrefix(s.String(), own) }
	if f.Standing == nil || f.caller.UserID() == "" || !slices.ContainsFunc(f.scopes, foreign) {
		return nil, func(*nestor.Change) bool { return false }
	}
	glob, shifts := f.Standing(f.caller)
	return []nestor.Glob{glob}, shifts
}
