package mcp

import (
	"context"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
)

// session is that of one client. It has a server of its own in the SDK, since that tells
// all sessions of a server which resources have changed.
type session struct {
	door   *Door
	user   string
	server *sdk.Server
	// ctx ends when the session does, and with it all that is followed for it.
	ctx    context.Context
	cancel context.CancelFunc

	// id is the client's name for it, once it has begun; open is how many requests use it,
	// and used when the last of them ended. The door guards them.
	id   string
	open int
	used time.Time

	mu         sync.Mutex
	subscribed map[string]context.CancelFunc
	follows    sync.WaitGroup
}

func newSession(d *Door, user string) *session {
	s := &session{door: d, user: user, open: 1, subscribed: map[string]context.CancelFunc{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.server = d.newServer(s)
	return s
}

// close ends the session from our side.
func (s *session) close() {
	s.cancel()
	for begun := range s.server.Sessions() {
		_ = begun.Close() // it is gone in any case
	}
}

// end stops what is still followed for the session, and waits for it.
func (s *session) end() {
	s.cancel()
	s.follows.Wait()
}

// instructions tell the model of a client what this server is.
const instructions = "Nestor runs agents. The tools ask, ask_ROLE, graph_ID and model_ID say something to one of them and return what came of it, " +
	"with the id of the run and a thread to go on in. If a run waits for somebody, its result says what is asked: call answer. " +
	"run_status tells how a run stands, also one whose call broke off, and run_cancel ends it."

// newServer makes the SDK's server of a session. Everything that it offers depends on who
// asks, so nothing is registered with it: methods go through dispatch.
func (d *Door) newServer(s *session) *sdk.Server {
	if d.opts.instead != nil {
		return d.opts.instead()
	}
	opts := &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{
			Tools: &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{}, Resources: &sdk.ResourceCapabilities{Subscribe: true},
			//lint:ignore SA1019 the versions that we speak have logs
			Logging: &sdk.LoggingCapabilities{},
		},
		CompletionHandler:  func(_ context.Context, r *sdk.CompleteRequest) (*sdk.CompleteResult, error) { return d.complete(r) },
		SubscribeHandler:   func(_ context.Context, r *sdk.SubscribeRequest) error { return s.subscribe(r) },
		UnsubscribeHandler: func(_ context.Context, r *sdk.UnsubscribeRequest) error { return s.unsubscribe(r) },
	}
	server := sdk.NewServer(&sdk.Implementation{Name: "nestor", Title: "Nestor", Version: version()}, opts)
	if s != nil {
		server.AddReceivingMiddleware(s.dispatch)
	}
	return server
}

// requestOf is the request by which something was asked.
func requestOf(r sdk.Request) (*httpapi.Request, error) {
	if extra := r.GetExtra(); extra != nil && extra.TokenInfo != nil {
		if req, ok := extra.TokenInfo.Extra[requestKey].(*httpapi.Request); ok {
			return req, nil
		}
	}
	return nil, nestor.Errorf(nestor.CodeInternal, "a call came without its request")
}
