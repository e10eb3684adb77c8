package events

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/sse"
	"github.com/nestorhq/nestor/internal/store"
)

// writer sends events to one client. Each is sent at once; a client that does
// not read it in time loses the connection, and comes back with the id of the
// last event it got.
type writer struct {
	*sse.Writer
	kinds *store.Catalogue
}

// openWriter sends the headers.
func openWriter(to http.ResponseWriter, timeout time.Duration, kinds *store.Catalogue) (writer, error) {
	w := writer{sse.New(to, timeout), kinds}
	return w, w.Flush()
}

// begin writes an event up to its data. An empty id leaves the client's position
// as it is.
func (w writer) begin(name, id string) {
	w.Put("event: " + name + "\n")
	if id != "" {
		w.Put("id: " + id + "\n")
	}
	w.Put("data: ")
}

// send writes an event.
func (w writer) send(name, id string, data any) error {
	text, err := inLine(data)
	if err != nil {
		return err
	}
	w.begin(name, id)
	w.Put(text + "\n\n")
	return w.Flush()
}

// comeBack ends the stream of a server that stops: the client is to open it again
// soon, at the server that takes its place or at another one. Those of one server
// do not all come at once.
func (w writer) comeBack() error {
	w.Put("retry: " + strconv.Itoa(100+rand.IntN(900)) + "\n\n")
	return w.Flush()
}

// inLine is a value as JSON without line breaks.
func inLine(data any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(data)
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), err
}

// change tells of a change. All readers share its document; while the client
// does not read, the document need not be in memory.
func (w writer) change(ctx context.Context, e *feed.Event) error {
	if e.Change.After == nil {
		return w.send("change", e.Position.String(), w.newChange(e.Change))
	}
	about := w.newChange(e.Change)
	about.Document = nil // comes last
	head, err := inLine(about)
	if err != nil {
		return err
	}
	e.Release()
	w.begin("change", e.Position.String())
	w.Put(head[:len(head)-len("null}")])
	w.Document(func() (*nestor.Document, error) { return e.Document(ctx) }, "}}\n\n")
	return w.Flush()
}

// minRate is how many bytes a second a client must read of a snapshot at least.
const minRate = 64 << 10

// snapshot sends a chat as it is. It is in memory until the client has read it,
// so the client must not be too slow.
func (w writer) snapshot(id string, snap *snapshot, timeout time.Duration) error {
	w.Within(timeout + time.Duration(snap.size)*time.Second/minRate)
	w.begin("snapshot", id)
	w.Put(`{"chat":`)
	w.documents(snap.Chat)
	for _, list := range []struct {
		name string
		docs []*nestor.Document
	}{{"messages", snap.Messages}, {"tasks", snap.Tasks}, {"subAgents", snap.SubAgents}} {
		w.Put(`,"` + list.name + `":[`)
		w.documents(list.docs...)
		w.Put("]")
	}
	w.Put("}\n\n")
	return w.Flush()
}

func (w writer) documents(docs ...*nestor.Document) {
	for i, d := range docs {
		if i > 0 {
			w.Put(",")
		}
		w.Document(func() (*nestor.Document, error) { return d, nil }, "}")
	}
}

// beat keeps the connection alive and tells the client its position.
func (w writer) beat(id string) error {
	w.Put(":\nid: " + id + "\n\n")
	return w.Flush()
}

// resync asks the client to read everything anew. The empty id makes it forget
// its position.
func (w writer) resync(reason string) error {
	w.Put("id\n")
	return w.send("resync", "", map[string]string{"reason": reason})
}
