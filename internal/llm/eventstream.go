package llm

import (
	"bufio"
	"bytes"
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
	lines *bufio.Scanner
	data  []byte
}

// NewEventStream reads the body of an answer, whose size [Endpoint] bounds.
func NewEventStream(body io.Reader) *EventStream {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 2*maxEvent)
	return &EventStream{lines: lines}
}

// Next moves to the next event that has data. It reports false when the stream
// has ended or broken off.
func (s *EventStream) Next() bool {
	s.data = s.data[:0]
	bare := false
	for s.lines.Scan() {
		line := s.lines.Bytes()
		switch {
		case len(line) == 0 && len(s.data) > 0:
			return true
		case bare || len(s.data) == 0 && bytes.HasPrefix(line, []byte("{")):
			bare = true
			s.add(line)
		case bytes.HasPrefix(line, []byte("data:")):
			s.add(bytes.TrimPrefix(line[len("data:"):], []byte(" ")))
		}
	}
	return s.lines.Err() == nil && len(s.data) > 0
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
func (s *EventStream) Err() error { return s.lines.Err() }
