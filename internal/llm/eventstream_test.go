package llm

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestAnEventStreamYieldsTheDataOfEachEvent(t *testing.T) {
	for _, tt := range []struct {
		name, stream string
		want         []string
	}{
		{"one line each", "data: a\n\ndata:b\n\n", []string{"a", "b"}},
		{"lines that end as on Windows", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"a", "b"}},
		{"several lines", "data: a\ndata: b\n\n", []string{"a\nb"}},
		{"one space is not data, two are", "data:  a\n\n", []string{" a"}},
		{"names, ids, comments and signs of life", ": hello\n\nevent: x\nid: 7\nretry: 5\ndata: a\n\n\n\n:\n\n", []string{"a"}},
		{"fields that nobody knows", "database: no\n\ndata: a\n\n", []string{"a"}},
		{"a last event without its empty line", "data: a\n\ndata: b", []string{"a", "b"}},
		{"an object that is not an event", "data: a\n\n{\n \"error\": \"b\"\n}\n\ndata: c\n\n", []string{"a", "{\n \"error\": \"b\"\n}", "c"}},
		{"nothing", "", nil},
		{"only signs of life", ": ping\n\n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, events := range []*EventStream{
				NewEventStream(strings.NewReader(tt.stream)),
				NewEventStream(iotest.OneByteReader(strings.NewReader(tt.stream))),
			} {
				var got []string
				for events.Next() {
					got = append(got, string(events.Data()))
				}
				if !slices.Equal(got, tt.want) || events.Err() != nil {
					t.Errorf("got %q, %v, want %q", got, events.Err(), tt.want)
				}
			}
		})
	}
}

// An event as large as an answer may have comes through; the stream's own bound
// is not met before.
func TestTheLargestEventIsRead(t *testing.T) {
	large := bytes.Repeat([]byte("x"), maxEvent)
	events := NewEventStream(bytes.NewReader(slices.Concat([]byte("data: "), large, []byte("\n\n"))))
	if !events.Next() || !bytes.Equal(events.Data(), large) {
		t.Errorf("%d bytes came, %v", len(events.Data()), events.Err())
	}
}

func TestAStreamThatBreaksOffYieldsNoHalfEvent(t *testing.T) {
	events := NewEventStream(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("data: a\n\n"))))
	if events.Next() || events.Err() == nil {
		t.Errorf("got %q, %v", events.Data(), events.Err())
	}
}

func TestALineWithoutEndIsGivenUp(t *testing.T) {
	events := NewEventStream(io.MultiReader(strings.NewReader("data: "), endless{}))
	if events.Next() || !errors.Is(events.Err(), bufio.ErrTooLong) {
		t.Errorf("%d bytes came, %v", len(events.Data()), events.Err())
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// The lines of one event count together: a stream without an empty line would fill the
// memory.
func TestAnEventOfLinesWithoutEndIsGivenUp(t *testing.T) {
	line := []byte("data: " + strings.Repeat("x", 1<<20) + "\n")
	for _, begins := range []string{"", "{\n"} {
		events := NewEventStream(io.MultiReader(strings.NewReader(begins), bytes.NewReader(bytes.Repeat(line, 2*maxEvent>>20+1))))
		if events.Next() || !errors.Is(events.Err(), bufio.ErrTooLong) {
			t.Errorf("%d bytes came, %v", len(events.Data()), events.Err())
		}
	}
}
