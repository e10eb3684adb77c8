package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"
)

// stream writes server-sent events. Each is sent at once; a client that does not
// read it in time loses the connection, and comes back with the id of the last
// event it got.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	buffer  bytes.Buffer
}

// openStream sends the headers. From here on the stream's timeout counts, not
// the one that the server has for ordinary answers.
func openStream(w http.ResponseWriter, timeout time.Duration) (*stream, error) {
	s := &stream{w: w, control: http.NewResponseController(w), timeout: timeout}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would collect events
	return s, s.flush()
}

// send writes an event. An empty id leaves the client's position as it is.
func (s *stream) send(name, id string, data any) error {
	s.buffer.WriteString("event: " + name + "\n")
	if id != "" {
		s.buffer.WriteString("id: " + id + "\n")
	}
	s.buffer.WriteString("data: ")
	enc := json.NewEncoder(&s.buffer) // in one line, which it ends
	enc.SetEscapeHTML(false)
	if err := enc.Encode(data); err != nil {
		return err
	}
	s.buffer.WriteString("\n")
	return s.flush()
}

// beat keeps the connection alive and tells the client its position.
func (s *stream) beat(id string) error {
	s.buffer.WriteString(":\nid: " + id + "\n\n")
	return s.flush()
}

// resync asks the client to read everything anew. The empty id makes it forget
// its position.
func (s *stream) resync(reason string) error {
	s.buffer.WriteString("id\n")
	return s.send("resync", "", map[string]string{"reason": reason})
}

func (s *stream) flush() error {
	if err := s.control.SetWriteDeadline(time.Now().Add(s.timeout)); err != nil {
		return err
	}
	_, err := s.buffer.WriteTo(s.w)
	if err != nil {
		return err
	}
	return s.control.Flush()
}

// close gives the end of the response its time.
func (s *stream) close() { _ = s.control.SetWriteDeadline(time.Now().Add(s.timeout)) }
