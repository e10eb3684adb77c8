package httpapi

import (
	"net/http"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/account/sharing"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/replication"
	"github.com/nestorhq/nestor/internal/store"
)

const (
	replicationPath = "/api/v1/replication"
	// pushFactor is how much larger than other requests a push may be, which
	// carries many documents.
	pushFactor = 4
)

// newReplication serves replication under the rules: its store is guarded, and
// its streams, which read the feed, ask a judge.
func (s *server) newReplication() http.Handler {
	return http.StripPrefix(replicationPath, replication.New(replication.Options{
		Store: sharing.Guard(s.Store, s.Rules, s.Place), Feed: s.Feed, Fail: s.failures.Answer, Standing: standing, BeforeDelete: s.beforePushedDelete,
		Caller: s.replicationCaller, Check: web.CheckBody, MaxBody: pushFactor * s.MaxBody, WriteTimeout: s.WriteTimeout, Logger: s.Logger,
	}))
}

// replicate passes a request on. A stream ends with its caller's session.
func (s *server) replicate(r *http.Request) (response, error) {
	if !isStream(r) {
		return response{stream: s.replication.ServeHTTP}, nil
	}
	if err := s.events.Check(r); err != nil {
		return response{}, err
	}
	return response{stream: func(w http.ResponseWriter, r *http.Request) {
		ctx, stop := s.events.Watch(r, func(*rules.Judge) error { return nil })
		defer stop()
		s.replication.ServeHTTP(w, r.WithContext(ctx))
	}}, nil
}

// beforePushedDelete is beforeDelete for what a client pushes.
func (s *server) beforePushedDelete(r *http.Request, p nestor.Path) error {
	return s.beforeDelete(r, p, store.AnyVersion)
}

func isStream(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/stream") }

// replicationCaller is asked at the beginning of a request and, by streams,
// from time to time. By then the token may have expired while the session goes
// on.
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

// replicator is a caller as replication sees them. Without a judge the guarded
// store has decided already.
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

// standing tells which changes alter what a caller sees of others.
func standing(c replication.Caller) (nestor.Glob, func(*nestor.Change) bool) {
	judge := c.(replicator).judge
	return judge.Standing(), func(change *nestor.Change) bool {
		shifts, err := judge.Shifts(change)
		return shifts || err != nil // a resync too many does no harm
	}
}
