package events

import (
	"net/http"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi/web"
)

// following is what a stream is about.
type following struct {
	from feed.Position
	snap *snapshot // nil for none
	may  allowed
	// globs match the documents that are followed. They are shared if they are not
	// the caller's own: then the caller's memberships decide what they see there.
	globs  []nestor.Glob
	shared bool
	// chat, if set, is the chat whose runs are told of, beside the documents. Who may
	// read the chat may know when a run of it begins and ends.
	chat nestor.Path
}

// isRun reports whether a change is to be told as that of a run of the chat. The run's
// document, which is its user's, is not shown.
func (f following) isRun(c *nestor.Change) bool {
	return f.chat != "" && c.Path.Collection() == f.chat.Tenant()+"/runs"
}

// ofChat reports whether a run is of the chat.
func (f following) ofChat(c *nestor.Change) bool {
	var run struct {
		ChatID string `json:"chatId"`
	}
	return c.After != nil && c.After.Decode(&run) == nil && run.ChatID == f.chat.ID()
}

func (f following) follows(p nestor.Path) bool {
	return slices.ContainsFunc(f.globs, func(g nestor.Glob) bool { return g.Match(string(p)) })
}

// open answers with events, after the snapshot if there is one.
func (s *Streams) open(r *http.Request, what following) (Stream, error) {
	from, snap, globs := what.from, what.snap, what.globs
	if from.Seq == feed.Live { // the feed may be behind what the client has seen
		var err error
		if from.Seq, err = s.Store.LastSeq(r.Context()); err != nil {
			return nil, err
		}
	}
	return func(w http.ResponseWriter, r *http.Request) {
		defer snap.sent()
		f, stop := s.watch(r, what.may)
		defer stop()
		out, err := openWriter(w, s.WriteTimeout, s.Store.Catalogue())
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
			var told []Event
			isRun := err == nil && e.Change != nil && what.isRun(e.Change)
			if isRun {
				shown = what.ofChat(e.Change)
			} else if err == nil && shown {
				e, shown, err = f.shown(e)
			}
			if err == nil && shown && e.Change != nil && s.Tells != nil {
				told, err = s.Tells(e.Change)
			}
			switch {
			case nestor.CodeOf(err) == nestor.CodeTooOld:
				err = out.resync(err.Error())
			case err != nil:
				s.Logger.Error("a stream failed", "request", web.RequestID(r), "path", r.URL.Path, "error", err)
			case !shown, e.Change != nil && snap.covers(e.Change):
			case isRun:
				_, err = out.tell(e.Position, told)
			case e.Change != nil:
				if err = out.before(told); err == nil {
					err = out.change(f.ctx, &e)
				}
			case e.Delta != nil:
				err = out.send("delta", e.Position.String(), newDelta(e.Delta))
			default:
				err = out.beat(e.Position.String())
			}
			if err != nil {
				return
			}
			if snap != nil && e.Position.Seq >= snap.newest {
				snap = nil // all that comes is newer
			}
		}
		if s.Stopping.Err() != nil {
			_ = out.comeBack() // a client that is gone needs no hint
		}
	}, nil
}
