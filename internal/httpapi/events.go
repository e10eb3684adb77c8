package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store"
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
	p, err := chatPath(r)
	if err != nil {
		return response{}, err
	}
	from, resumed, err := position(r)
	if err != nil {
		return response{}, err
	}
	var snap *snapshot
	switch r.URL.Query().Get("snapshot") {
	case "", "0":
		if _, err := s.get(r, p); err != nil && !resumed {
			return response{}, err
		}
	case "1":
		// A client that reconnects asks for the same address.
		if !resumed {
			if snap, err = s.snapshot(r.Context(), p); err != nil {
				return response{}, err
			}
			from.Seq = snap.seq
		}
	default:
		return response{}, nestor.Errorf(nestor.CodeInvalid, "snapshot is 0 or 1")
	}
	return s.stream(r, from, snap, nestor.Glob(p+"/**"))
}

// maxGlobs bounds what one client follows.
const maxGlobs = 100

// events streams what happens to all documents of the caller that match one of
// the globs.
func (s *server) events(r *http.Request) (response, error) {
	from, _, err := position(r)
	if err != nil {
		return response{}, err
	}
	root := string(callerOf(r).root())
	paths := r.URL.Query()["path"]
	if len(paths) == 0 {
		paths = []string{root + "/**"}
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
		if text != root && !strings.HasPrefix(text, root+"/") {
			return response{}, nestor.Errorf(nestor.CodeForbidden, "you can follow %s and what lies below it, not %s", root, text)
		}
		globs = append(globs, g)
	}
	return s.stream(r, from, nil, globs...)
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

// stream answers with events, after the snapshot if there is one.
func (s *server) stream(r *http.Request, from feed.Position, snap *snapshot, globs ...nestor.Glob) (response, error) {
	if s.Feed == nil {
		return response{}, nestor.Errorf(nestor.CodeUnavailable, "this server has no events")
	}
	if from.Seq == feed.Live { // after all that the client can have seen, where the feed may not be yet
		var err error
		if from.Seq, err = s.Store.LastSeq(r.Context()); err != nil {
			return response{}, err
		}
	}
	return response{stream: func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := callerOf(r).limit(r.Context())
		defer cancel()
		defer context.AfterFunc(s.Stopping, cancel)()
		out, err := openStream(w, s.WriteTimeout)
		if err != nil {
			return // the client is gone, here and below
		}
		defer out.close()
		if snap != nil {
			if out.send("snapshot", from.String(), snap) != nil {
				return
			}
			snap.sent()
		}
		for e, err := range s.Feed.Events(ctx, from, globs...) {
			switch {
			case nestor.CodeOf(err) == nestor.CodeTooOld:
				err = out.resync(err.Error())
			case err != nil:
				s.Logger.Error("a stream failed", "path", r.URL.Path, "error", err)
			case e.Change != nil && snap.covers(e.Change):
			case e.Change != nil:
				err = out.send("change", e.Position.String(), newChangeEvent(e.Change))
			case e.Delta != nil:
				err = out.send("delta", e.Position.String(), newDeltaEvent(e.Delta))
			default:
				err = out.beat(e.Position.String())
			}
			if err != nil {
				return
			}
		}
	}}, nil
}

func newChangeEvent(c *nestor.Change) changeEvent {
	return changeEvent{
		Type: c.Type, Path: c.Path, Collection: store.CollectionOf(c.Path).Name, ID: c.Path.ID(), Seq: c.Seq, Document: c.After,
	}
}

func newDeltaEvent(d *feed.Delta) deltaEvent {
	e := deltaEvent{Delta: *d, ID: d.Path.ID()}
	if seg := strings.SplitN(string(d.Path), "/", 5); len(seg) >= 4 && seg[2] == "orch-chats" {
		e.ChatID = seg[3]
	}
	return e
}
