// Package sse writes server-sent events to clients that may be slow.
//
// A client that does not read holds up nobody and takes a fixed amount of
// memory, however much it is sent: everything goes out in pieces of [Piece]
// bytes, each of which must be read in its time.
package sse

import (
	"errors"
	"net/http"
	"time"

	"github.com/nestorhq/nestor"
)

// Piece is how many bytes a client is sent at a time. As much is kept for a
// client that does not read.
const Piece = 16 << 10

// idle is the size of a buffer that a stream keeps while nothing happens.
const idle = 2 << 10

// Writer writes to one client. After an error, which every later [Writer.Flush]
// returns, nothing more is written.
type Writer struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	until   time.Time
	buffer  []byte
	err     error
}

// New prepares the answer. From the first Flush on the timeout counts for every
// piece, instead of the server's timeout for ordinary answers.
func New(w http.ResponseWriter, timeout time.Duration) *Writer {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy that gathers would hold everything up
	return &Writer{w: w, control: http.NewResponseController(w), timeout: timeout}
}

// Within bounds the time for all that is written until the next Flush returns.
func (w *Writer) Within(d time.Duration) { w.until = time.Now().Add(d) }

// Put adds a part of an event. It is for parts that are small, or for this
// client alone: they are kept until they are written.
func (w *Writer) Put(part string) {
	for part != "" && w.err == nil {
		part = part[copied(w, part):]
		w.writeFull()
	}
}

// Document adds the JSON form of a document with end instead of its last brace.
// It asks for the document with every piece, so that it is not kept for a
// client that does not read.
func (w *Writer) Document(get func() (*nestor.Document, error), end string) {
	for done, more := 0, true; more && w.err == nil; w.writeFull() {
		done, more = w.copyDocument(get, end, done)
	}
}

// copyDocument copies as much of a document as fits, after what was copied
// before, and reports how much is copied now and whether there is more.
func (w *Writer) copyDocument(get func() (*nestor.Document, error), end string, done int) (int, bool) {
	d, err := get()
	if err != nil {
		w.err = err
		return done, false
	}
	head, fields, tail := d.Parts()
	tail = append(tail[:len(tail)-1], end...)
	begin := 0
	for _, part := range [][]byte{head, fields, tail} {
		if at := done - begin; at >= 0 && at < len(part) {
			done += copied(w, part[at:])
		}
		begin += len(part)
	}
	return done, done < begin
}

// copied adds as much of s as fits into the buffer, and returns how much that
// is.
func copied[T string | []byte](w *Writer, s T) int {
	n := min(len(s), Piece-len(w.buffer))
	w.buffer = append(w.buffer, s[:n]...)
	return n
}

func (w *Writer) writeFull() {
	if len(w.buffer) == Piece {
		w.write()
	}
}

func (w *Writer) write() {
	if w.err != nil {
		return
	}
	w.deadline()
	if w.err == nil && len(w.buffer) > 0 {
		_, w.err = w.w.Write(w.buffer)
	}
	w.buffer = w.buffer[:0]
	if cap(w.buffer) > idle {
		w.buffer = nil
	}
}

// Flush sends all that was added.
func (w *Writer) Flush() error {
	w.write()
	if w.err == nil {
		w.err = w.control.Flush()
	}
	w.until = time.Time{}
	return w.err
}

// Close gives the end of the response its time.
func (w *Writer) Close() { w.deadline() }

// deadline says until when the client must have read what is written next.
// Where no deadline can be set, as behind a middleware, the server's own holds.
func (w *Writer) deadline() {
	t := time.Now().Add(w.timeout)
	if !w.until.IsZero() && w.until.Before(t) {
		t = w.until
	}
	if err := w.control.SetWriteDeadline(t); err != nil && !errors.Is(err, http.ErrNotSupported) {
		w.err = err
	}
}
