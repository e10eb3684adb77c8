package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi/web"
)

// changeEvent is a change as clients see it.
type changeEvent struct {
	Type nestor.ChangeType `json:"type"`
	Path nestor.Path       `json:"path"`
	// Collection is the flat name of the document's kind.
	Collection string `json:"collection"`
	ID         string `json:"id"`
	Seq        int64  `json:"seq"`
	// Document is null for a delete.
	Document *nestor.Document `json:"document"`
}

// deltaEvent is a delta with the ids that clients join it by.
type deltaEvent struct {
	feed.Delta
	ID     string `json:"id"`
	ChatID string `json:"chatId,omitempty"`
}

// chatEvents streams what happens in a chat and below it.
func (s *server) chatEvents(r *http.Request) (response, error) {
	if err := s.checkStream(r); err != nil {
		return response{}, err
	}
	p, err := chatPath(r)
	if err != nil {
		return response{}, err
	}
	from, resumed, err := position(r)
	if err != nil {
		return response{}, err
	}
	var snap *snapshot
	may := func(j *rules.Judge) error { return j.MayAt(rules.Read, p) }
	switch wanted := r.URL.Query().Get("snapshot"); {
	case wanted == "1" && !resumed:
		if snap, err = s.snapshot(r, p); err != nil {
			return response{}, err
		}
		from.Seq = snap.seq
	case wanted != "" && wanted != "0" && wanted != "1":
		return response{}, nestor.Errorf(nestor.CodeInvalid, "snapshot is 0 or 1")
	case resumed: // it may be told that the chat is gone
		if err := may(s.Rules.On(rules.Live(r.Context(), s.Store), callerOf(r))); err != nil {
			return response{}, err
		}
	default:
		if _, err := s.get(r, p); err != nil {
			return response{}, err
		}
	}
	return s.stream(r, following{from: from, snap: snap, may: may, globs: []nestor.Glob{nestor.Glob(p + "/**")}})
}

// maxGlobs bounds what one client follows.
const maxGlobs = 100

// events streams what happens to all documents that match one of the globs, by
// themselves those of the caller.
func (s *server) events(r *http.Request) (response, error) {
	if err := s.checkStream(r); err != nil {
		return response{}, err
	}
	from, _, err := position(r)
	if err != nil {
		return response{}, err
	}
	paths := r.URL.Query()["path"]
	if len(paths) == 0 {
		paths = []string{string(callerOf(r).Root()) + "/**"}
	}
	if len(paths) > maxGlobs {
		return response{}, nestor.Errorf(nestor.CodeInvalid, "one stream follows at most %d paths", maxGlobs)
	}
	var globs []nestor.Glob
	for _, text := range paths {
		g, err := nestor.ParseGlob(text)
		if err != nil {
			return response{}, err
		}
		globs = append(globs, g)
	}
	may := func(j *rules.Judge) error { return j.MayFollow(globs...) }
	if err := may(s.Rules.On(rules.Live(r.Context(), s.Store), callerOf(r))); err != nil {
		return response{}, err
	}
	shared := callerOf(r).Kind != access.AsLocal && !callerOf(r).Owns(globs...)
	return s.stream(r, following{from: from, may: may, globs: globs, shared: shared})
}

// position is where a client wants to go on, from now on if it does not say.
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

// checkStream reports why there is no stream for a request.
func (s *server) checkStream(r *http.Request) error {
	if s.Feed == nil {
		return nestor.Errorf(nestor.CodeUnavailable, "this server has no events")
	}
	return web.CheckSite(r, s.Hosts)
}

// following is what a stream is about.
type following struct {
	from feed.Position
	snap *snapshot // nil for none
	may  allowed
	// globs are the paths whose documents are followed. If they are shared with
	// the caller, and not their own, it depends on the caller's memberships what
	// they see there.
	globs  []nestor.Glob
	shared bool
}

func (f following) follows(p nestor.Path) bool {
	return slices.ContainsFunc(f.globs, func(g nestor.Glob) bool { return g.Match(string(p)) })
}

// stream answers with events, after the snapshot if there is one.
func (s *server) stream(r *http.Request, what following) (response, error) {
	from, snap, globs := what.from, what.snap, what.globs
	if from.Seq == feed.Live { // after all that the client can have seen, where the feed may not be yet
		var err error
		if from.Seq, err = s.Store.LastSeq(r.Context()); err != nil {
			return response{}, err
		}
	}
	return response{stream: func(w http.ResponseWriter, r *http.Request) {
		defer snap.sent()
		f, stop := s.watch(r, what.may)
		defer stop()
		out, err := openStream(w, s.WriteTimeout, s.Store.Catalogue())
		if err != nil {
			return // the client is gone, here and below
		}
		defer out.Close()
		if snap != nil {
			err := out.snapshot(from.String(), snap, s.WriteTimeout)
			snap.sent()
			if err != nil {
				return
			}
		}
		if what.shared {
			globs = append(slices.Clone(globs), f.current().Standing())
		}
		for e, err := range s.Feed.Events(f.ctx, from, globs...) {
			shown := true
			if err == nil && what.shared && e.Change != nil {
				var shifts bool
				if shifts, err = f.current().Shifts(e.Change); shifts && out.resync("what is shared with you is not the same as before") != nil {
					return
				}
				shown = what.follows(e.Change.Path)
			}
			if err == nil && shown {
				e, shown, err = f.shown(e)
			}
			switch {
			case nestor.CodeOf(err) == nestor.CodeTooOld:
				err = out.resync(err.Error())
			case err != nil:
				s.Logger.Error("a stream failed", "request", web.RequestID(r), "path", r.URL.Path, "error", err)
			case !shown, e.Change != nil && snap.covers(e.Change):
			case e.Change != nil:
				err = out.change(f.ctx, &e)
			case e.Delta != nil:
				err = out.send("delta", e.Position.String(), newDeltaEvent(e.Delta))
			default:
				err = out.beat(e.Position.String())
			}
			if err != nil {
				return
			}
			if snap != nil && e.Position.Seq >= snap.newest {
				snap = nil // it covers nothing that is to come
			}
		}
	}}, nil
}

func (s stream) newChangeEvent(c *nestor.Change) changeEvent {
	return changeEvent{
		Type: c.Type, Path: c.Path, Collection: s.kinds.Of(c.Path).Name, ID: c.Path.ID(), Seq: c.Seq, Document: c.After,
	}
}

func newDeltaEvent(d *feed.Delta) deltaEvent {
	e := deltaEvent{Delta: *d, ID: d.Path.ID()}
	if seg := strings.SplitN(string(d.Path), "/", 5); len(seg) >= 4 && seg[2] == "orch-chats" {
		e.ChatID = seg[3]
	}
	return e
}
