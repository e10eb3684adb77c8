package mcp

import (
	"context"
	"errors"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/recovery"
)

// maxSubscriptions is how many resources a session follows at most.
const maxSubscriptions = 64

// subscribe has the client told when a resource changes, as long as the session lasts and
// the caller who asked for it may read it.
func (s *session) subscribe(r *sdk.SubscribeRequest) error {
	req, err := requestOf(r)
	if err != nil {
		return s.door.rpcError(err)
	}
	uri := r.Params.URI
	p, err := pathOf(req, uri)
	if err != nil {
		return s.door.rpcError(err)
	}
	_, err = req.Get(p)
	if errors.Is(err, nestor.ErrNotFound) {
		return noResource(uri)
	}
	if err != nil {
		return s.door.rpcError(err)
	}
	from, err := s.door.store.LastSeq(req.Context())
	if err != nil {
		return s.door.rpcError(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.subscribed[uri] != nil {
		return nil
	}
	if len(s.subscribed) >= maxSubscriptions {
		return s.door.rpcError(nestor.Errorf(nestor.CodeRateLimited, "a session follows at most %d resources", maxSubscriptions))
	}
	until, cancel := context.WithCancel(s.ctx)
	s.subscribed[uri] = cancel
	s.follows.Go(func() {
		defer s.drop(uri)
		recovery.Logged(s.door.log, "a subscription of an MCP client ends", func() { s.watch(until, req, uri, p, from) }, "resource", uri)
	})
	return nil
}

func (s *session) unsubscribe(r *sdk.UnsubscribeRequest) error {
	s.drop(r.Params.URI)
	return nil
}

// drop ends a subscription.
func (s *session) drop(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.subscribed[uri]; cancel != nil {
		cancel()
		delete(s.subscribed, uri)
	}
}

// watch tells the client of changes, of a chat also of those of its messages.
func (s *session) watch(until context.Context, req *httpapi.Request, uri string, at nestor.Path, from int64) {
	req.Tells(at)
	later, stop := req.Outlive(until)
	defer stop()
	globs := []nestor.Glob{nestor.Glob(at)}
	if strings.HasPrefix(uri, chatsURI) {
		globs = append(globs, nestor.Glob(at+"/messages/*"))
	}
	for e, err := range s.door.feed.Follow(later.Context(), from, 0, globs...) {
		if err != nil {
			return
		}
		if e.Change == nil {
			continue
		}
		if _, err := later.Recheck(); err != nil {
			return
		}
		_ = s.server.ResourceUpdated(later.Context(), &sdk.ResourceUpdatedNotificationParams{URI: uri})
		if e.Change.Path == at && e.Change.After == nil {
			return // it is gone, and the client has been told that something changed
		}
	}
}
