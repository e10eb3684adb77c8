package replication

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"net/http"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store"
)

// Options are what replication works with.
type Options struct {
	Store store.Store
	Feed  Feed
	// Caller finds out who is asking. A stream asks again with every
	// heartbeat, so that it ends soon after a session does.
	Caller func(*http.Request) (Caller, error)
	// Fail answers a request with an error.
	Fail func(http.ResponseWriter, *http.Request, error)
	// Check refuses a push that lacks something. Defaults to nothing.
	Check func(r *http.Request, body []byte) error
	// BeforeDelete is called before a document is deleted for a client, outside of
	// any transaction. If it fails, the document is not deleted; if it does not,
	// the delete may still fail. Defaults to nothing.
	BeforeDelete func(*http.Request, nestor.Path) error
	// Standing finds the documents that decide what else a caller sees, and tells
	// which of their changes alter that. A stream about what is not the caller's
	// own follows them, too. Defaults to none.
	Standing func(Caller) (nestor.Glob, func(*nestor.Change) bool)
	// Heartbeat is how often a stream shows that it is alive. Defaults to 15
	// seconds.
	Heartbeat time.Duration
	// WriteTimeout is how long a client may take to accept a piece of what a
	// stream sends. Defaults to 30 seconds.
	WriteTimeout time.Duration
	// MaxRows is how many documents a push may have. Defaults to 1000.
	MaxRows int
	// MaxBody is the size limit of a push in bytes. Defaults to 8 MiB.
	MaxBody int64
	// Logger defaults to slog.Default().
	Logger *slog.Logger
}

// Caller is who is asking.
type Caller interface {
	// UserID is whose documents a scope is about when it names no user.
	UserID() string
	// MayRead reports whether the caller may see the document, which is nil
	// when it was deleted.
	MayRead(p nestor.Path, d *nestor.Document) bool
	// MayWrite returns an error when the caller may not replace one state of a
	// document by another. Before is nil for a create, after for a delete. It
	// runs inside the transaction: it must be quick and have no side effects.
	MayWrite(op nestor.ChangeType, p nestor.Path, before, after *nestor.Document) error
}

// Feed tells of changes as they happen.
type Feed interface {
	// Follow yields, in order, the changes after a position in the log whose paths
	// match one of the globs. While there are none it yields an event without a
	// change every beat. It ends with ctx or with an error.
	Follow(ctx context.Context, after int64, beat time.Duration, globs ...nestor.Glob) iter.Seq2[feed.Event, error]
}

type server struct {
	Options
	kinds *store.Catalogue
}

// New returns the handler of /{flat}/pull, /{flat}/push, /{flat}/stream,
// /stream and /schemas, where flat is a collection of the catalogue or
// documents. Mount it with the prefix stripped.
func New(opts Options) http.Handler {
	if opts.Heartbeat == 0 {
		opts.Heartbeat = 15 * time.Second
	}
	if opts.WriteTimeout == 0 {
		opts.WriteTimeout = 30 * time.Second
	}
	if opts.MaxRows == 0 {
		opts.MaxRows = 1000
	}
	if opts.MaxBody == 0 {
		opts.MaxBody = 8 << 20
	}
	if opts.Check == nil {
		opts.Check = func(*http.Request, []byte) error { return nil }
	}
	if opts.BeforeDelete == nil {
		opts.BeforeDelete = func(*http.Request, nestor.Path) error { return nil }
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	s := &server{opts, opts.Store.Catalogue()}
	mux := http.NewServeMux()
	for pattern, h := range map[string]handler{
		"GET /{flat}/pull":   s.pull,
		"POST /{flat}/push":  s.push,
		"GET /{flat}/stream": s.stream,
		"GET /stream":        s.stream,
		"GET /schemas":       s.schemas,
		"/":                  noRoute,
	} {
		mux.Handle(pattern, s.identified(h))
	}
	return mux
}

// handler answers a request, or returns an error before it has written anything.
type handler func(w http.ResponseWriter, r *http.Request, c Caller) error

func (s *server) identified(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := s.Caller(r)
		if err == nil {
			err = h(w, r, c)
		}
		if err != nil {
			s.Fail(w, r, err)
		}
	})
}

func (s *server) schemas(w http.ResponseWriter, _ *http.Request, _ Caller) error {
	all := map[string]json.RawMessage{}
	for _, c := range s.kinds.All() {
		if !c.Unfollowed && len(shapes(c)) > 0 {
			all[c.Name] = Schema(c)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	_ = writeJSON(w, text)
	return nil
}

func noRoute(_ http.ResponseWriter, r *http.Request, _ Caller) error {
	return nestor.Errorf(nestor.CodeNotFound, "there is no %s %s", r.Method, r.URL.Path)
}

// writeJSON answers. An error says that the client is gone, or was told why it gets nothing.
func writeJSON(w http.ResponseWriter, text []byte) error {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, err := w.Write(text)
	return err
}
