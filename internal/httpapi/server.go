// Package httpapi is Nestor's HTTP API: routes, who is asking, and errors as
// statuses. It holds no state and makes no decision that the store or the
// access package could make.
package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/trigger"
)

// Options are what the API serves.
type Options struct {
	Store    store.Store
	Triggers *trigger.Set
	// Models are the model connections.
	Models *connection.Connections
	// Tools are all tools that agents can have.
	Tools Tools
	// Agents carry out what people want of running agents. Without it nobody
	// can be told anything.
	Agents Agents
	// Place says which account and project a new chat of a user belongs to,
	// in the transaction that creates it. Without it chats belong to none.
	Place func(tx store.Tx, userID, projectID string) (accountID, project string, err error)
	// Feed is where events come from. Without it there are none.
	Feed *feed.Feed
	// Key checks the tokens that webhook receivers write back with.
	Key *access.Key
	// Token is the bearer token of the person who runs the server.
	Token string
	// Metrics serves /metrics.
	Metrics http.Handler
	// Ready reports why the server cannot do its work, for /readyz.
	Ready func(context.Context) error
	// MaxBody is the size limit of a request. Defaults to 2 MiB.
	MaxBody int64
	// MaxSnapshot is the size limit of a chat's snapshot. Defaults to 16 MiB.
	MaxSnapshot int
	// WriteTimeout is how long the client of a stream may take to read what it
	// is sent. Defaults to 10 seconds.
	WriteTimeout time.Duration
	// Stopping ends all streams when it ends, for they would hold up a server
	// that stops. Defaults to one that never ends.
	Stopping context.Context
	// Logger defaults to slog.Default().
	Logger *slog.Logger
}

type server struct{ Options }

// New returns the handler of all routes.
func New(opts Options) http.Handler {
	if opts.MaxBody == 0 {
		opts.MaxBody = 2 << 20
	}
	if opts.MaxSnapshot == 0 {
		opts.MaxSnapshot = 16 << 20
	}
	if opts.WriteTimeout == 0 {
		opts.WriteTimeout = 10 * time.Second
	}
	if opts.Stopping == nil {
		opts.Stopping = context.Background()
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	s := &server{opts}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", s.readyz)
	mux.Handle("GET /metrics", opts.Metrics)
	for pattern, h := range s.routes() {
		mux.Handle(pattern, s.guard(h))
	}
	return mux
}

// handler answers a request with a value to encode, or an error.
type handler func(r *http.Request) (response, error)

type response struct {
	status int // 200 unless set
	body   any // nil: no content
	etag   string
	stream func(http.ResponseWriter, *http.Request) // instead of a body
}

// guard finds out who is asking, bounds the body and writes the answer.
func (s *server) guard(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		caller, err := s.identify(r)
		if err != nil {
			w.Header().Set("WWW-Authenticate", `Bearer realm="nestor"`)
			s.fail(w, r, err)
			return
		}
		r = r.WithContext(context.WithValue(r.Context(), callerKey{}, caller))
		r.Body = http.MaxBytesReader(w, r.Body, s.MaxBody)
		res, err := h(r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		if res.stream != nil {
			res.stream(w, r)
			return
		}
		write(w, res)
	})
}

func (s *server) readyz(w http.ResponseWriter, r *http.Request) {
	if err := s.Ready(r.Context()); err != nil {
		s.Logger.Warn("not ready", "error", err)
		http.Error(w, "not ready", http.StatusServiceUnavailable)
		return
	}
	w.Write([]byte("ready\n"))
}

func noRoute(r *http.Request) (response, error) {
	return response{}, nestor.Errorf(nestor.CodeNotFound, "there is no %s %s", r.Method, r.URL.Path)
}
