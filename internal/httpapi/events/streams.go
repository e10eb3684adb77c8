// Package events streams what happens to documents: to each caller what they
// may see, for as long as they may, from where they left off.
package events

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/account/sharing"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

// Options are what streams need.
type Options struct {
	Store store.Store
	// Feed is where events come from. Without it there are none.
	Feed *feed.Feed
	// Answers bounds what is kept of snapshots on their way.
	Answers *web.Answers
	Gate    *access.Gate
	Rules   *rules.Engine
	// Hosts are the names of the server, see [web.CheckSite].
	Hosts []string
	// Tells returns what is told of a change beside the change itself. Nil tells nothing.
	Tells func(*nestor.Change) ([]Event, error)
	// Recheck is how often streams make sure that their reader may still follow.
	Recheck time.Duration
	// MaxSnapshot is the size limit of a chat's snapshot.
	MaxSnapshot int
	// WriteTimeout is how long a client may take to read a piece of what it is
	// sent.
	WriteTimeout time.Duration
	// Stopping ends all streams when it ends.
	Stopping context.Context
	Logger   *slog.Logger
}

// Streams are those of a server.
type Streams struct {
	Options
	recent *recent
}

// Stream answers a request that has been checked.
type Stream = func(http.ResponseWriter, *http.Request)

// New returns the streams of a server. All options must be set, except for Feed and Tells.
func New(opts Options) *Streams {
	return &Streams{Options: opts, recent: newRecent(opts.Store, opts.Recheck/2)}
}

// InChat streams what happens in a chat and below it.
func (s *Streams) InChat(r *http.Request, p nestor.Path) (Stream, error) {
	from, resumed, err := position(r)
	if err != nil {
		return nil, err
	}
	var snap *snapshot
	may := func(j *rules.Judge) error { return j.MayAt(rules.Read, p) }
	switch wanted := r.URL.Query().Get("snapshot"); {
	case wanted == "1" && !resumed:
		if snap, err = s.snapshot(r, p); err != nil {
			return nil, err
		}
		from.Seq = snap.seq
	case wanted != "" && wanted != "0" && wanted != "1":
		return nil, nestor.Errorf(nestor.CodeInvalid, "snapshot is 0 or 1")
	case resumed: // a client that resumes may be told that the chat is gone
		if err := may(s.Rules.On(rules.Live(r.Context(), s.Store), access.CallerIn(r.Context()))); err != nil {
			return nil, err
		}
	default:
		err := sharing.View(r.Context(), s.Store, s.Rules, func(tx store.Reader) error {
			_, err := tx.Get(p)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	what := following{from: from, snap: snap, may: may, globs: []nestor.Glob{nestor.Glob(p + "/**")}}
	if s.Tells != nil {
		what.chat, what.globs = p, append(what.globs, nestor.Glob(p.Tenant()+"/runs/*"))
	}
	return s.open(r, what)
}

// maxGlobs bounds what one client follows.
const maxGlobs = 100

// OfDocuments streams what happens to the documents that match one of the globs
// in the request. Without a glob they are all of the caller's.
func (s *Streams) OfDocuments(r *http.Request) (Stream, error) {
	from, _, err := position(r)
	if err != nil {
		return nil, err
	}
	caller := access.CallerIn(r.Context())
	paths := r.URL.Query()["path"]
	if len(paths) == 0 {
		paths = []string{string(caller.Root()) + "/**"}
	}
	if len(paths) > maxGlobs {
		return nil, nestor.Errorf(nestor.CodeInvalid, "one stream follows at most %d paths", maxGlobs)
	}
	var globs []nestor.Glob
	for _, text := range paths {
		g, err := nestor.ParseGlob(text)
		if err != nil {
			return nil, err
		}
		globs = append(globs, g)
	}
	may := func(j *rules.Judge) error { return j.MayFollow(globs...) }
	if err := may(s.Rules.On(rules.Live(r.Context(), s.Store), caller)); err != nil {
		return nil, err
	}
	shared := caller.Kind != access.AsLocal && !caller.Owns(globs...)
	return s.open(r, following{from: from, may: may, globs: globs, shared: shared})
}

// position is where a client wants to go on. Defaults to now.
func position(r *http.Request) (p feed.Position, resumed bool, err error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = r.URL.Query().Get("from")
	}
	if text == "" {
		return feed.Position{Seq: feed.Live}, false, nil
	}
	p, err = feed.ParsePosition(text)
	return p, true, err
}

// Check reports why there is no stream for a request.
func (s *Streams) Check(r *http.Request) error {
	if s.Feed == nil {
		return nestor.Errorf(nestor.CodeUnavailable, "this server has no events")
	}
	return web.CheckSite(r, s.Hosts)
}
