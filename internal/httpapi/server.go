package httpapi

import (
	"cmp"
	"net/http"
	"sync"
	"time"

	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi/events"
	"github.com/nestorhq/nestor/internal/httpapi/web"
)

type server struct {
	Options
	logins, writes, deltas *access.Limiter
	strangers              *access.Limiter
	drafts                 *feed.Remote // nil without a feed
	streams                *web.Quota
	answers                *web.Answers
	events                 *events.Streams
	replication            http.Handler
	failures               *web.Failures
	mux                    *http.ServeMux
	description            func() []byte // in OpenAPI
}

// New returns the handler of all routes.
func New(opts Options) (http.Handler, error) {
	return newHandler(opts, append(areas(opts.Store.Catalogue()), extension(opts.Routes, opts.Schemas)))
}

// newHandler returns the handler of the routes of some areas.
func newHandler(opts Options, all []area) (http.Handler, error) {
	routes := routesOf(all)
	if err := cmp.Or(check(routes), checkDoors(opts.Doors), checkPrefix(opts, routes)); err != nil {
		return nil, err
	}
	opts = opts.withDefaults()
	s := &server{Options: opts, failures: web.NewFailures(opts.Gate, opts.Logger)}
	s.logins, s.writes, s.deltas = access.NewLimiter(opts.Logins), access.NewLimiter(opts.Writes), access.NewLimiter(opts.Deltas)
	s.strangers = access.NewLimiter(opts.Strangers)
	if opts.Feed != nil {
		s.drafts = feed.NewRemote(opts.Feed, opts.Drafts)
	}
	s.streams = web.NewQuota("streams", int64(opts.StreamsPerUser), int64(opts.Streams), 5*time.Second)
	s.answers = web.NewAnswers(2*int64(opts.MaxSnapshot), 8*int64(opts.MaxSnapshot), opts.WriteTimeout)
	s.events = events.New(events.Options{
		Store: opts.Store, Feed: opts.Feed, Answers: s.answers, Gate: opts.Gate, Rules: opts.Rules, Tells: opts.Tells, Hosts: opts.Hosts, Recheck: opts.Recheck,
		MaxSnapshot: opts.MaxSnapshot, WriteTimeout: opts.WriteTimeout, Stopping: opts.Stopping, Logger: opts.Logger,
	})
	s.replication = s.newReplication()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", web.Ready(opts.Ready, opts.Logger))
	mux.HandleFunc("GET /metrics", s.metrics)
	schemas := schemasOf(all)
	for _, r := range routes {
		do := r.do
		if r.isList() {
			do = reading(do)
		}
		h := s.answer(do, r.Upload)
		if r.Body != nil {
			h = complete(r.Body, schemas, h)
		}
		h = parameters(r.Query, h, s.failures.Answer)
		if r.needs == nothing {
			h = s.uncalled(h, s.failures.Answer)
		} else {
			h = s.guard(r, ids(r.pattern, h, s.failures.Answer))
		}
		mux.Handle(r.pattern, h)
	}
	for _, d := range opts.Doors {
		mux.Handle(d.Pattern, s.door(d))
	}
	mux.Handle("/api/", s.guard(route{needs: somebody}, s.answer((*server).noRoute, 0)))
	mux.HandleFunc("/", s.page)
	s.mux = mux
	s.description = sync.OnceValue(func() []byte { return describe(all, opts.Public) })
	return opts.Public.Strip(web.NameRequests(web.Compress(web.Recover(web.Protect(mux, opts.Gate, opts.Hosts, s.failures.Answer), s.failures)))), nil
}

// metrics tell about everybody's work, so they are for whoever runs the server:
// a program on this machine, or an administrator.
func (s *server) metrics(w http.ResponseWriter, r *http.Request) {
	if !s.Gate.IsNear(r) {
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
