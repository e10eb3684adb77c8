package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
)

// Positions in an event stream beside the ID of an event.
const (
	// Now begins with what happens next.
	Now = ""
	// Start begins with the oldest change that the server still has.
	Start = "0"
)

// Event is something that happened: a document changed, or somebody is writing
// one. Exactly one of Change and Delta is set.
type Event struct {
	// ID is where to go on after this event.
	ID     string
	Change *Change
	Delta  *Delta
}

// Change is a document that was written or deleted.
type Change struct {
	Type nestor.ChangeType `json:"type"`
	Path nestor.Path       `json:"path"`
	// Collection is the kind of document, such as messages or tasks.
	Collection string `json:"collection"`
	Seq        int64  `json:"seq"`
	// Document is null for a delete. Decode it by Collection.
	Document json.RawMessage `json:"document"`
}

// Decode fills v, a pointer to a struct such as [nestor.Task], with the
// document.
func (c *Change) Decode(v any) error { return json.Unmarshal(c.Document, v) }

// Delta is a piece of a message that is being written.
type Delta struct {
	// Path is that of the message that it becomes part of.
	Path       nestor.Path `json:"path"`
	TaskID     string      `json:"taskId"`
	SubAgentID string      `json:"subAgentId"`
	// Kind is text, reasoning, tool, restart, done or drop.
	Kind string `json:"kind"`
	// Text goes at Offset, in characters, of what was said of that kind.
	Text   string `json:"text"`
	Offset int    `json:"offset"`
	// Tool is the state of a call, for a delta of kind tool.
	Tool *struct {
		CallID string `json:"callId"`
		Name   string `json:"name"`
		Status string `json:"status"`
	} `json:"tool"`
}

// Events yields what happens in a chat after a position, until ctx ends or the
// caller stops. A connection that breaks is opened again, and the stream goes on
// exactly where it was. An error of [nestor.CodeTooOld] means that the server
// no longer has what was missed: read the chat anew and go on from [Now].
func (c *Client) Events(ctx context.Context, chatID, from string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for failures := 0; ; failures++ {
			n, stopped, err := c.follow(ctx, chatPath(chatID, "events"), &from, yield)
			if n > 0 {
				failures = 0
			}
			switch {
			case stopped || ctx.Err() != nil:
				return
			case err != nil && !retryable(err):
				yield(Event{}, err)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause(failures)):
			}
		}
	}
}

// pause grows to some seconds, and is random so that clients which lost their
// server together do not come back together.
func pause(failures int) time.Duration {
	most := min(100*time.Millisecond<<min(failures, 10), 5*time.Second)
	return most/2 + rand.N(most/2)
}

// follow reads one connection to its end and counts the events.
func (c *Client) follow(ctx context.Context, path string, from *string, yield func(Event, error) bool) (n int, stopped bool, err error) {
	header := http.Header{"Accept": {"text/event-stream"}}
	if *from != Now {
		path += "?from=" + url.QueryEscape(*from)
	}
	resp, err := c.send(ctx, http.MethodGet, path, nil, header)
	if err != nil {
		return 0, false, err
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	var name, data string
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return n, false, errOrBroken(err)
		}
		field, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			name = value
		case "data":
			data = value
		case "id":
			*from = value
		case "":
			if line != "\n" && line != "\r\n" || name == "" { // a comment, or nothing to tell
				continue
			}
			event, err := decodeEvent(name, data, *from)
			if err != nil {
				return n, false, err
			}
			n++
			if !yield(event, nil) {
				return n, true, nil
			}
			name, data = "", ""
		}
	}
}

func errOrBroken(err error) error {
	if err == nil {
		return nil
	}
	return nestor.Errorf(nestor.CodeUnavailable, "the stream broke: %w", err)
}

func decodeEvent(name, data, id string) (Event, error) {
	e := Event{ID: id}
	var into any
	switch name {
	case "change":
		e.Change = &Change{}
		into = e.Change
	case "delta":
		e.Delta = &Delta{}
		into = e.Delta
	case "resync":
		return e, nestor.Errorf(nestor.CodeTooOld, "the server no longer has what was missed: read the chat anew")
	default:
		return e, nestor.Errorf(nestor.CodeInternal, "an event %q is not known to this client", name)
	}
	if err := json.Unmarshal([]byte(data), into); err != nil {
		return e, nestor.Errorf(nestor.CodeInternal, "an event cannot be read: %w", err)
	}
	return e, nil
}
