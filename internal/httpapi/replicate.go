package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/replication"
	"github.com/nestorhq/nestor/internal/store"
)

const (
	replicationPath = "/api/v1/replication"
	// pushFactor is how much larger than other requests a push may be, which
	// carries many documents.
	pushFactor = 4
)

// newReplication serves replication through the rules: what it reads and writes
// by the store is guarded, and a stream, which reads the feed, asks a judge.
func (s *server) newReplication() http.Handler {
	return http.StripPrefix(replicationPath, replication.New(replication.Options{
		Store: guardedStore{s.Store, s.Rules}, Feed: s.Feed, Fail: s.fail,
		Caller: s.replicationCaller, MaxBody: pushFactor * s.MaxBody, WriteTimeout: s.WriteTimeout, Logger: s.Logger,
	}))
}

// replicate passes a request on. A stream ends with its caller's session.
func (s *server) replicate(r *http.Request) (response, error) {
	if !isStream(r) {
		return response{stream: s.replication.ServeHTTP}, nil
	}
	if err := s.checkStream(r); err != nil {
		return response{}, err
	}
	return response{stream: func(w http.ResponseWriter, r *http.Request) {
		f, stop := s.watch(r, func(*rules.Judge, store.Reader) error { return nil })
		defer stop()
		s.replication.ServeHTTP(w, r.WithContext(f.ctx))
	}}, nil
}

func isStream(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/stream") }

// replicationCaller is asked at the beginning of a request and, by streams, from
// time to time. The token may be over by then and the session not.
func (s *server) replicationCaller(r *http.Request) (replication.Caller, error) {
	c, err := s.Gate.Recheck(r.Context(), callerOf(r))
	if err != nil {
		return nil, err
	}
	as := replicator{caller: c}
	if isStream(r) {
		as.judge = s.Rules.On(rules.Live(r.Context(), s.Store), c)
	}
	return as, nil
}

// replicator is a caller as replication sees them. Without a judge the store
// has decided already.
type replicator struct {
	caller access.Caller
	judge  *rules.Judge
}

// UserID implements [replication.Caller].
func (c replicator) UserID() string { return c.caller.UserID }

// MayRead implements [replication.Caller].
func (c replicator) MayRead(p nestor.Path, d *nestor.Document) bool {
	return c.judge == nil || c.judge.May(rules.Read, p, d, nil) == nil
}

// MayWrite implements [replication.Caller]: a write that the guarded store made
// was allowed.
func (c replicator) MayWrite(nestor.ChangeType, nestor.Path, *nestor.Document, *nestor.Document) error {
	return nil
}

// guardedStore is a store as the caller in a context may use it.
type guardedStore struct {
	store.Store
	rules *rules.Engine
}

// View implements [store.Documents].
func (g guardedStore) View(ctx context.Context, fn func(store.Reader) error) error {
	return g.Store.View(ctx, func(r store.Reader) error { return fn(g.rules.Reader(r, callerIn(ctx))) })
}

// Update implements [store.Documents].
func (g guardedStore) Update(ctx context.Context, fn func(store.Tx) error) error {
	return g.Store.Update(ctx, func(tx store.Tx) error { return fn(g.rules.Guard(tx, callerIn(ctx))) })
}

// Since implements [store.Sync].
func (g guardedStore) Since(ctx context.Context, scope store.Scope, after store.Position, limit int) (store.Delta, error) {
	live := rules.Live(ctx, g.Store)
	judge := g.rules.On(live, callerIn(ctx))
	if err := mayPull(judge, live, callerIn(ctx), scope); err != nil {
		return store.Delta{}, err
	}
	delta, err := g.Store.Since(ctx, scope, after, limit)
	if err != nil {
		return store.Delta{}, err
	}
	readable := delta.Items[:0]
	for _, l := range delta.Items {
		switch err := judge.May(rules.Read, l.Path, l.Document, nil); nestor.CodeOf(err) {
		case "":
			readable = append(readable, l)
		case nestor.CodeNotFound:
		default:
			return store.Delta{}, err
		}
	}
	delta.Items = readable
	return delta, nil
}

// mayPull refuses a scope that holds nothing for the caller: how far a reading
// of it comes would tell of what there is. In the chat of another that is
// decided by the chat.
func mayPull(j *rules.Judge, live store.Reader, c access.Caller, scope store.Scope) error {
	segments := strings.Split(scope.String(), "/")
	inChat := len(segments) > 4 && segments[0] == "users" && segments[2] == "orch-chats" && segments[3] != "*"
	if inChat && segments[1] != c.UserID {
		return mayRead(j, live, nestor.Path(strings.Join(segments[:4], "/")))
	}
	return mayFollow(j, c, []nestor.Glob{scope.Documents()})
}
