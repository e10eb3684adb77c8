package events

import (
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi/web"
)

// Told is a stream that tells in events of its own what happens to a document
// and to those below it.
type Told struct {
	Path nestor.Path
	// Also are globs over the paths of more documents that the stream tells of.
	Also []nestor.Glob
	// First returns the events that a client gets first which does not resume: how
	// things are now. A change of the last moment may be told again after them.
	First func() ([]Event, error)
	// Of returns the events that tell of a change, none if there is nothing to
	// tell.
	Of func(*nestor.Change) ([]Event, error)
	// Said, if set, returns the events that tell of what is being said.
	Said func(*feed.Delta) []Event
	// From is the position in the log from which a client is told that does not
	// resume. Defaults to now.
	From int64
}

// Event is a part of a stream. After the Last one the stream ends.
type Event struct {
	Name string
	Data any
	Last bool
}

// Told streams what a route has to tell. A client that resumes gets what came
// after the last event that it saw, as in all streams.
func (s *Streams) Told(r *http.Request, what Told) (Stream, error) {
	from, resumed, err := position(r)
	if err != nil {
		return nil, err
	}
	var first []Event
	if !resumed {
		if from.Seq = what.From; from.Seq == 0 {
			if from.Seq, err = s.Store.LastSeq(r.Context()); err != nil {
				return nil, err
			}
		}
		if what.First != nil {
			if first, err = what.First(); err != nil {
				return nil, err
			}
		}
	}
	return func(w http.ResponseWriter, r *http.Request) {
		f, stop := s.watch(r, func(j *rules.Judge) error { return j.MayAt(rules.Read, what.Path) })
		defer stop()
		out, err := openWriter(w, s.WriteTimeout, s.Store.Catalogue())
		if err != nil {
			return // the client is gone, here and below
		}
		defer out.Close()
		if ended, err := out.tell(from, first); ended || err != nil {
			return
		}
		globs := append(what.Also, nestor.Glob(what.Path+"/**"))
		follow := s.Feed.Follow(f.ctx, from.Seq, 0, globs...)
		if what.Said != nil {
			follow = s.Feed.Events(f.ctx, from, globs...)
		}
		for e, err := range follow {
			var events []Event
			shown := err == nil && (e.Change != nil || e.Delta != nil)
			if shown {
				e, shown, err = f.shown(e)
			}
			switch {
			case err != nil || !shown:
			case e.Delta != nil:
				events = what.Said(e.Delta)
			default:
				events, err = what.Of(e.Change)
			}
			var ended bool
			switch {
			case nestor.CodeOf(err) == nestor.CodeTooOld:
				err = out.resync(err.Error())
			case err != nil:
				s.Logger.Error("a stream failed", "request", web.RequestID(r), "path", r.URL.Path, "error", err)
			case e.Change == nil && e.Delta == nil:
				err = out.beat(e.Position.String())
			default:
				ended, err = out.tell(e.Position, events)
			}
			if ended || err != nil {
				return
			}
		}
	}, nil
}

// before sends events that come with a change, before it: a client that loses the
// connection in between gets them again.
func (w writer) before(events []Event) error {
	for _, e := range events {
		if err := w.send(e.Name, "", e.Data); err != nil {
			return err
		}
	}
	return nil
}

// tell sends the events of one change, and reports whether they ended the
// stream. Only the last has the position: a client that loses the connection
// before it gets all of them again.
func (w writer) tell(at feed.Position, events []Event) (ended bool, err error) {
	for i, e := range events {
		id := ""
		if i == len(events)-1 {
			id = at.String()
		}
		if err := w.send(e.Name, id, e.Data); err != nil || e.Last {
			return true, err
		}
	}
	return false, nil
}
