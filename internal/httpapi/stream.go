package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/sse"
	"github.com/nestorhq/nestor/internal/store"
)

// stream sends events to one client. Each is sent at once; a client that does
// not read it in time loses the connection, and comes back with the id of the
// last event it got.
type stream struct {
	*sse.Writer
	kinds *store.Catalogue
}

// openStream sends the headers.
func openStream(w http.ResponseWriter, timeout time.Duration, kinds *store.Catalogue) (stream, error) {
	s := stream{sse.New(w, timeout), kinds}
	return s, s.Flush()
}

// begin writes an event up to its data. An empty id leaves the client's position
// as it is.
func (s stream) begin(name, id string) {
	s.Put("event: " + name + "\n")
	if id != "" {
		s.Put("id: " + id + "\n")
	}
	s.Put("data: ")
}

// send writes an event.
func (s stream) send(name, id string, data any) error {
	text, err := inLine(data)
	if err != nil {
		return err
	}
	s.begin(name, id)
	s.Put(text + "\n\n")
	return s.Flush()
}

// inLine is a value as JSON without line breaks.
func inLine(data any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(data)
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), err
}

// change tells of a change. Its document is shared with all who are told, and
// let go of while the client does not read.
func (s stream) change(ctx context.Context, e *feed.Event) error {
	if e.Change.After == nil {
		return s.send("change", e.Position.String(), s.newChangeEvent(e.Change))
	}
	about := s.newChangeEvent(e.Change)
	about.Document = nil // comes last
	head, err := inLine(about)
	if err != nil {
		return err
	}
	e.Release()
	s.begin("change", e.Position.String())
	s.Put(head[:len(head)-len("null}")])
	s.Document(func() (*nestor.Document, error) { return e.Document(ctx) }, "}}\n\n")
	return s.Flush()
}

// minRate is how many bytes a second a client must read of a snapshot at least.
const minRate = 64 << 10

// snapshot sends a chat as it is. It is kept until the client has read it, so
// that must not take for ever.
func (s stream) snapshot(id string, snap *snapshot, timeout time.Duration) error {
	s.Within(timeout + time.Duration(snap.size)*time.Second/minRate)
	s.begin("snapshot", id)
	s.Put(`{"chat":`)
	s.documents(snap.Chat)
	for _, list := range []struct {
		name string
		docs []*nestor.Document
	}{{"messages", snap.Messages}, {"tasks", snap.Tasks}, {"subAgents", snap.SubAgents}} {
		s.Put(`,"` + list.name + `":[`)
		s.documents(list.docs...)
		s.Put("]")
	}
	s.Put("}\n\n")
	return s.Flush()
}

func (s stream) documents(docs ...*nestor.Document) {
	for i, d := range docs {
		if i > 0 {
			s.Put(",")
		}
		s.Document(func() (*nestor.Document, error) { return d, nil }, "}")
	}
}

// beat keeps the connection alive and tells the client its position.
func (s stream) beat(id string) error {
	s.Put(":\nid: " + id + "\n\n")
	return s.Flush()
}

// resync asks the client to read everything anew. The empty id makes it forget
// its position.
func (s stream) resync(reason string) error {
	s.Put("id\n")
	return s.send("resync", "", map[string]string{"reason": reason})
}
