package events

import (
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/chatfork"
	"github.com/nestorhq/nestor/internal/store"
)

// snapshot is a chat as it is, to begin a stream with.
type snapshot struct {
	Chat      *nestor.Document   `json:"chat"`
	Messages  []*nestor.Document `json:"messages"`
	Tasks     []*nestor.Document `json:"tasks"`
	SubAgents []*nestor.Document `json:"subAgents"`

	// seq is a position of the log: the snapshot holds all changes up to it, and
	// some later ones.
	seq int64
	// newest is the position of the latest change in the snapshot, and held has
	// that of each document.
	newest int64
	held   map[nestor.Path]int64

	size     int
	giveBack func() // tells that the documents are not kept any more
}

// snapshot reads a chat in order to send it, unless too much of what was read
// is still to be sent.
func (s *Streams) snapshot(r *http.Request, chat nestor.Path) (*snapshot, error) {
	user := access.CallerIn(r.Context()).UserID
	done, err := s.Answers.Read(r.Context(), user)
	if err != nil {
		return nil, err
	}
	defer done()
	snap, err := s.readSnapshot(r, chat)
	if err == nil {
		snap.giveBack, err = s.Answers.Hold(user, int64(snap.size))
	}
	return snap, err
}

// readSnapshot reads a chat. It reads seq first: what commits meanwhile comes
// with the stream, which goes on from seq.
func (s *Streams) readSnapshot(r *http.Request, chat nestor.Path) (*snapshot, error) {
	seq, err := s.Store.LastSeq(r.Context())
	if err != nil {
		return nil, err
	}
	var snap *snapshot
	caller := access.CallerIn(r.Context())
	err = s.Store.View(r.Context(), func(all store.Reader) (err error) {
		r := s.Rules.Reader(all, caller)
		snap = &snapshot{seq: seq, held: map[nestor.Path]int64{}}
		if snap.Chat, err = r.Get(chat); err != nil {
			return err
		}
		snap.hold(snap.Chat)
		for collection, list := range map[string]*[]*nestor.Document{
			"messages": &snap.Messages, "tasks": &snap.Tasks, "sub-agents": &snap.SubAgents,
		} {
			*list = []*nestor.Document{}
			if collection == "messages" {
				if *list, err = s.readShared(all, snap); err != nil {
					return err
				}
			}
			for q := (store.Query{Collection: string(chat) + "/" + collection, Limit: store.MaxLimit}); ; {
				page, err := r.Query(q)
				if err != nil {
					return err
				}
				for _, d := range page.Items {
					snap.hold(d)
				}
				if snap.size > s.MaxSnapshot {
					return errTooLarge
				}
				*list = append(*list, page.Items...)
				if q.Cursor = page.Next; q.Cursor == "" {
					break
				}
			}
		}
		return nil
	})
	return snap, err
}

var errTooLarge = nestor.Errorf(nestor.CodeTooLarge, "the chat is too large for a snapshot: read its lists page by page")

// readShared reads the messages that a fork shares with the chat it came from. Who may
// read the fork may read them.
func (s *Streams) readShared(all store.Reader, snap *snapshot) ([]*nestor.Document, error) {
	list := []*nestor.Document{}
	chat, err := nestor.As[nestor.Chat](snap.Chat)
	if err != nil {
		return nil, err
	}
	err = chatfork.EachShared(all, &chat, func(d *nestor.Document) error {
		if snap.hold(d); snap.size > s.MaxSnapshot {
			return errTooLarge
		}
		list = append(list, d)
		return nil
	})
	return list, err
}

func (s *snapshot) hold(d *nestor.Document) {
	s.held[d.Path] = d.Seq
	s.size += len(d.Data)
	s.newest = max(s.newest, d.Seq)
}

// sent lets go of what only the snapshot itself needs.
func (s *snapshot) sent() {
	if s != nil {
		s.Chat, s.Messages, s.Tasks, s.SubAgents = nil, nil, nil, nil
		s.giveBack()
	}
}

// covers reports whether the snapshot holds the document as the change left it,
// or newer.
func (s *snapshot) covers(c *nestor.Change) bool {
	return s != nil && c.Seq <= s.newest && c.Seq <= s.held[c.Path]
}
