package httpapi_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// events reads a stream as a browser does.
type events struct {
	testing.TB
	body   *bufio.Reader
	cancel func()
	id     string // of the last event
}

type event struct {
	name, id, data string
}

// follow opens a stream. All that was written before is in the past by then.
func (a *api) follow(path string, header ...string) *events {
	a.Helper()
	a.mark()
	res := a.request("GET", path, "", header...)
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		text, _ := io.ReadAll(res.Body)
		a.Fatalf("%s: %d %s", path, res.StatusCode, text)
	}
	return &events{TB: a.TB, body: bufio.NewReader(res.Body), cancel: func() { res.Body.Close() }}
}

// block reads up to the next empty line. A block without an event is a
// heartbeat.
func (s *events) block() (e event, err error) {
	for {
		line, err := s.body.ReadString('\n')
		if err != nil {
			return e, err
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "\n":
			return e, nil
		case field == "event":
			e.name = value
		case field == "data":
			e.data += value
		case field == "id":
			e.id, s.id = value, value
		}
	}
}

// next reads the next event that is not a heartbeat.
func (s *events) next() event {
	s.Helper()
	for {
		e, err := s.block()
		if err != nil {
			s.Fatalf("the stream ended: %v", err)
		}
		if e.name != "" {
			return e
		}
	}
}

// line is the next event in short.
func (s *events) line() string {
	s.Helper()
	e := s.next()
	var d struct {
		Type, ID, Kind, Text, Collection string
		Offset                           int
	}
	if err := json.Unmarshal([]byte(e.data), &d); err != nil {
		s.Fatal(err)
	}
	switch e.name {
	case "change":
		return d.Type + " " + d.Collection + " " + d.ID
	case "delta":
		return strings.TrimSpace(fmt.Sprintf("%s %s %d %s", d.ID, d.Kind, d.Offset, d.Text))
	}
	return e.name
}

func (s *events) want(lines ...string) {
	s.Helper()
	for _, want := range lines {
		if got := s.line(); got != want {
			s.Fatalf("got %s, want %s", got, want)
		}
	}
}

// live waits until the stream has caught up.
func (s *events) live() *events {
	s.Helper()
	if e, err := s.block(); err != nil || e.name != "" || e.id == "" {
		s.Fatalf("the first thing told is %+v, %v", e, err)
	}
	return s
}

func (s *events) ended() {
	s.Helper()
	e, err := s.block()
	if err == nil && e == (event{}) {
		e, err = s.block() // a server that stops says when to come again
	}
	if !errors.Is(err, io.EOF) {
		s.Errorf("the stream goes on with %+v, %v", e, err)
	}
}
