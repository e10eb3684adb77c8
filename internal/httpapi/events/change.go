package events

import (
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
)

// Change is a change as clients see it.
type Change struct {
	Type nestor.ChangeType `json:"type"`
	Path nestor.Path       `json:"path"`
	// Collection is the flat name of the document's kind.
	Collection string `json:"collection"`
	ID         string `json:"id"`
	Seq        int64  `json:"seq"`
	// Document is null for a delete.
	Document *nestor.Document `json:"document"`
}

// Delta is a delta with the ids that clients join it by.
type Delta struct {
	feed.Delta
	ID     string `json:"id"`
	ChatID string `json:"chatId,omitempty"`
}

func (w writer) newChange(c *nestor.Change) Change {
	return Change{
		Type: c.Type, Path: c.Path, Collection: w.kinds.Of(c.Path).Name, ID: c.Path.ID(), Seq: c.Seq, Document: c.After,
	}
}

func newDelta(d *feed.Delta) Delta {
	e := Delta{Delta: *d, ID: d.Path.ID()}
	if seg := strings.SplitN(string(d.Path), "/", 5); len(seg) >= 4 && seg[2] == "orch-chats" {
		e.ChatID = seg[3]
	}
	return e
}
