package httpapi

import (
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// snapshot is a chat as it is, to begin a stream with.
type snapshot struct {
	Chat      *nestor.Document   `json:"chat"`
	Messages  []*nestor.Document `json:"messages"`
	Tasks     []*nestor.Document `json:"tasks"`
	SubAgents []*nestor.Document `json:"subAgents"`

	// seq is a position of the log: the snapshot holds all changes until
	// then, and some of later ones.
	seq int64
	// newest is the latest change that the snapshot holds, and held the one of
	// each document.
	newest int64
	held   map[nestor.Path]int64
}

// snapshot reads a chat. What commits meanwhile is in the stream that goes on
// from seq, for that was read before.
func (s *server) snapshot(r *http.Request, chat nestor.Path) (*snapshot, error) {
	seq, err := s.Store.LastSeq(r.Context())
	if err != nil {
		return nil, err
	}
	var snap *snapshot
	err = s.view(r, func(r store.Reader) (err error) {
		snap = &snapshot{seq: seq, held: map[nestor.Path]int64{}}
		if snap.Chat, err = r.Get(chat); err != nil {
			return err
		}
		snap.hold(snap.Chat)
		size := 0
		for collection, list := range map[string]*[]*nestor.Document{
			"messages": &snap.Messages, "tasks": &snap.Tasks, "sub-agents": &snap.SubAgents,
		} {
			*list = []*nestor.Document{}
			for q := (store.Query{Collection: string(chat) + "/" + collection, Limit: store.MaxLimit}); ; {
				page, err := r.Query(q)
				if err != nil {
					return err
				}
				for _, d := range page.Items {
					snap.hold(d)
					size += len(d.Data)
				}
				if size > s.MaxSnapshot {
					return nestor.Errorf(nestor.CodeTooLarge, "the chat is too large for a snapshot: read its lists page by page")
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

func (s *snapshot) hold(d *nestor.Document) {
	s.held[d.Path] = d.Seq
	s.newest = max(s.newest, d.Seq)
}

// sent lets go of what only the snapshot itself needs.
func (s *snapshot) sent() { s.Chat, s.Messages, s.Tasks, s.SubAgents = nil, nil, nil, nil }

// covers reports whether the snapshot holds the document as the change left it,
// or newer.
func (s *snapshot) covers(c *nestor.Change) bool {
	return s != nil && c.Seq <= s.newest && c.Seq <= s.held[c.Path]
}
