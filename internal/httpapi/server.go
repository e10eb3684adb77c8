// Package httpapi is Nestor's HTTP API: routes, who is asking, and errors as
// statuses. All that it remembers is short-lived, such as how many streams are
// open and who was refused of late: a restart forgets it and loses nothing. It
// makes no decision that the store or the access package could make.
package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/account/sharing"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/trigger"
)

// Options are what the API serves.
type Options struct {
	// Routes are those of modules.
	Routes   []Route
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
	Place sharing.Placer
	// UserBudget is what each user may use, to tell what is left of it. Defaults
	// to no bound.
	UserBudget nestor.Budget
	// Feed is where events come from. Without it there are none.
	Feed *feed.Feed
	// Gate knows who is asking, and Rules what they may do.
	Gate  *access.Gate
	Rules *rules.Engine
	// Hosts are the names under which browsers reach the server, besides those
	// of the machine itself.
	Hosts []string
	// UI answers what is not the API. Without it there is nothing.
	UI UI
	// Logins limits the attempts to log in from one address. Defaults to one
	// in two seconds, 20 at once.
	Logins access.LimiterOptions
	// Writes limits the changing requests of one user. Defaults to 100 a
	// second, 500 at once. Whoever has NESTOR_TOKEN is not limited.
	Writes access.LimiterOptions
	// Deltas limits what one user's programs say in drafts, apart from Writes.
	// Defaults to 500 a second, 1,000 at once.
	Deltas access.LimiterOptions
	// Drafts bounds the drafts of programs elsewhere.
	Drafts feed.RemoteOptions
	// Recheck is how often streams make sure that their reader may still
	// follow. Defaults to 1 second.
	Recheck time.Duration
	// Metrics serves /metrics, to callers on this machine and administrators.
	Metrics http.Handler
	// Ready reports why the server cannot do its work, for /readyz, which asks
	// every two seconds at most.
	Ready func(context.Context) error
	// MaxBody is the size limit of a request. Defaults to 2 MiB.
	MaxBody int64
	// MaxSnapshot is the size limit of a chat's snapshot. Defaults to 16 MiB.
	MaxSnapshot int
	// StreamsPerUser is how many streams one user may have open, of whatever
	// kind, and Streams how many there may be in all. Default to 256 and 4096.
	StreamsPerUser, Streams int
	// WriteTimeout is how long the client of a stream may take to read a piece of
	// what it is sent. Defaults to 10 seconds.
	WriteTimeout time.Duration
	// Stopping ends all streams when it ends, for they would hold up a server
	// that stops. Defaults to one that never ends.
	Stopping context.Context
	// Logger defaults to slog.Default().
	Logger *slog.Logger
}

type server struct {
	Options
	logins, writes, deltas *access.Limiter
	drafts                 *feed.Remote // nil without a feed
	streams                *web.Quota
	snapshots              *web.Quota    // in bytes
	reading                chan struct{} // has room for those who read snapshots
	replication            http.Handler
	failures               *web.Failures
	recent                 *recent
	mux                    *http.ServeMux
	description            func() []byte // in OpenAPI
}

// New returns the handler of all routes.
func New(opts Options) (http.Handler, error) {
	return newHandler(opts, append(areas(opts.Store.Catalogue()), extension(opts.Routes)))
}

// newHandler returns the handler of the routes of some areas.
func newHandler(opts Options, all []area) (http.Handler, error) {
	routes := routesOf(all)
	if err := check(routes); err != nil {
		return nil, err
	}
	if opts.MaxBody == 0 {
		opts.MaxBody = 2 << 20
	}
	if opts.MaxSnapshot == 0 {
		opts.MaxSnapshot = 16 << 20
	}
	if opts.StreamsPerUser == 0 {
		opts.StreamsPerUser = 256
	}
	if opts.Streams == 0 {
		opts.Streams = 4096
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
	if opts.Logins.PerSecond == 0 {
		opts.Logins = access.LimiterOptions{PerSecond: 0.5, Burst: 20}
	}
	if opts.Writes.PerSecond == 0 {
		opts.Writes = access.LimiterOptions{PerSecond: 100, Burst: 500}
	}
	if opts.Deltas.PerSecond == 0 {
		opts.Deltas = access.LimiterOptions{PerSecond: 500, Burst: 1000}
	}
	if opts.Recheck == 0 {
		opts.Recheck = time.Second
	}
	s := &server{Options: opts, failures: web.NewFailures(opts.Gate, opts.Logger)}
	s.logins, s.writes, s.deltas = access.NewLimiter(opts.Logins), access.NewLimiter(opts.Writes), access.NewLimiter(opts.Deltas)
	if opts.Feed != nil {
		s.drafts = feed.NewRemote(opts.Feed, opts.Drafts)
	}
	s.streams = web.NewQuota("streams", int64(opts.StreamsPerUser), int64(opts.Streams), 5*time.Second)
	s.snapshots = web.NewQuota("bytes of snapshots on their way", 2*int64(opts.MaxSnapshot), 4*int64(opts.MaxSnapshot), time.Second)
	s.reading = make(chan struct{}, snapshotReads)
	s.replication = s.newReplication()
	s.recent = newRecent(opts.Store, opts.Recheck/2)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", web.Ready(opts.Ready, opts.Logger))
	mux.HandleFunc("GET /metrics", s.metrics)
	for _, r := range routes {
		h := s.answer(r.do)
		if r.needs != nothing {
			h = s.guard(r, ids(r.pattern, h, s.failures.Answer))
		}
		mux.Handle(r.pattern, h)
	}
	mux.Handle("/api/", s.guard(route{needs: somebody}, s.answer((*server).noRoute)))
	mux.HandleFunc("/", s.page)
	s.mux = mux
	s.description = sync.OnceValue(func() []byte { return describe(all) })
	return web.NameRequests(web.Compress(web.Protect(mux, opts.Gate, opts.Hosts, s.failures.Answer))), nil
}

// metrics tell about everybody's work, so they are for who runs the server: a
// program on this machine, or an administrator.
func (s *server) metrics(w http.ResponseWriter, r *http.Request) {
	if !access.IsNear(r) {
		c, err := s.Gate.Authenticate(r.Context(), r)
		if err == nil {
			err = c.RequireAdmin()
		}
		if err != nil {
			s.failures.Answer(w, r, err)
			return
		}
	}
	s.Metrics.ServeHTTP(w, r)
}
