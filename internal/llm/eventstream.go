package llm

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// EventStream reads the data of server-sent events. Names and ids of events are
// left out: the formats that are read with it say everything in the data.
//
// It is lenient in two ways, since servers and proxies are not exact. A JSON
// object that stands in the stream without being an event is data, too: some
// servers report an error so. And the last event counts even if the stream ends
// without the empty line behind it.
type EventStream struct {
	body *bufio.Reader
	long []byte // a line that is longer than the buffer of body
	data []byte
	err  error
}

// NewEventStream reads the body of an answer, whose size [Endpoint] bounds.
func NewEventStream(body io.Reader) *EventStream { return &EventStream{body: bufio.NewReader(body)} }

// Next moves to the next event that has data. It reports false when the stream
// has ended or broken off.
func (s *EventStream) Next() bool {
	s.data = s.data[:0]
	bare := false
	for {
		line, ok := s.line()
		if !ok {
			return s.err == nil && len(s.data) > 0
		}
		switch {
		case len(line) == 0 && len(s.data) > 0:
			return true
		case len(s.data)+len(line) > 2*maxEvent: // an event of very many lines
			s.err = bufio.ErrTooLong
			return false
		case bare || len(s.data) == 0 && bytes.HasPrefix(line, []byte("{")):
			bare = true
			s.add(line)
		case bytes.HasPrefix(line, []byte("data:")):
			s.add(bytes.TrimPrefix(line[len("data:"):], []byte(" ")))
		}
	}
}

// line reads a line, without its end. It is good until the next one.
func (s *EventStream) line() ([]byte, bool) {
	s.long = s.long[:0]
	for {
		part, err := s.body.ReadSlice('\n')
		if err == nil && len(s.long) == 0 {
			return trimEnd(part), true
		}
		s.long = append(s.long, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull) && len(s.long) < 2*maxEvent:
			continue
		case errors.Is(err, bufio.ErrBufferFull):
			s.err = bufio.ErrTooLong
			return nil, false
		case errors.Is(err, io.EOF):
			return trimEnd(s.long), len(s.long) > 0
		}
		s.err = err
		return trimEnd(s.long), err == nil
	}
}

// trimEnd takes away what ends a line.
func trimEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}

func (s *EventStream) add(line []byte) {
	if len(s.data) > 0 {
		s.data = append(s.data, '\n')
	}
	s.data = append(s.data, line...)
}

// Data is that of the event. It is good until the next call of Next.
func (s *EventStream) Data() []byte { return s.data }

// Err says why the stream broke off. It is nil at the end.
func (s *EventStream) Err() error { return s.err }
