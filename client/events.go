package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"strconv"
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

// After begins with what happened after a document was written, which its Seq
// says. A program that says something and follows from After(message.Seq) on
// misses nothing of the answer.
func After(seq int64) string { return strconv.FormatInt(seq, 10) }

// Event is something that happened: a document changed, somebody is writing one, or, if
// the client's TellRuns is set, a run began, waits or ended. Exactly one of Change, Delta
// and Run is set.
type Event struct {
	// ID is where to go on after this event.
	ID     string
	Change *Change
	Delta  *Delta
	Run    *RunEvent
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

// RunEvent is how a run of the chat stands now. One that waited and goes on is not told
// of: what goes on is.
type RunEvent struct {
	RunID  string           `json:"runId"`
	Status nestor.RunStatus `json:"status"`
}

// Delta is a piece of a message that is being written.
type Delta struct {
	// Path is that of the message that it becomes part of.
	Path       nestor.Path `json:"path"`
	TaskID     string      `json:"taskId"`
	SubAgentID string      `json:"subAgentId"`
	// Kind is text, reasoning, tool, restart, done or drop.
	Kind string `json:"kind"`
	// Text goes at Offset, in characters, of what was said so far in that kind.
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
// caller stops. A connection that breaks is opened again, and the stream goes
// on exactly where it was. An error of [nestor.CodeTooOld] means that the
// server no longer has what was missed: read the chat anew and go on from
// [Now].
//
// Deltas may be told anew, in larger pieces, or not at all if the message is
// there already. A program that sets a message's text from Offset on, and
// replaces it when the message comes as a change, always shows the right text.
func (c *Client) Events(ctx context.Context, chatID, from string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		err := c.follow(ctx, chatPath(chatID, "events"), from, func(m message, position string) error {
			event, known, err := m.event(position)
			if err == nil && known && (event.Run == nil || c.TellRuns) && !yield(event, nil) {
				return errStopped
			}
			return err
		})
		if err != nil {
			yield(Event{}, err)
		}
	}
}

// follow takes the messages of a stream, with the position after each, until ctx
// ends, take fails or the stream is not worth opening again. It returns no error if
// ctx has ended or take wanted no more.
func (c *Client) follow(ctx context.Context, path, from string, take func(m message, position string) error) error {
	for failures := 0; ; failures++ {
		told, err := c.connect(ctx, path, &from, take)
		if told {
			failures = 0
		}
		switch {
		case errors.Is(err, errStopped) || ctx.Err() != nil:
			return nil
		case !retryable(err):
			return err
		}
		pause := nestor.Backoff(firstPause, maxPause, failures+1)
		if wait, asked := nestor.WaitOf(err); asked {
			pause = max(pause, min(wait, c.Patience))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
}

// The pauses before a stream that broke is opened again.
const (
	firstPause = 100 * time.Millisecond
	maxPause   = 5 * time.Second
)

// silence is how long a stream may say nothing before it counts as broken. The
// server gives a sign of life every 15 seconds.
const silence = 45 * time.Second

var (
	// errStopped: the caller wants no more events.
	errStopped = errors.New("stopped")
	errSilent  = nestor.Errorf(nestor.CodeUnavailable, "the server says nothing")
	errTooOld  = nestor.Errorf(nestor.CodeTooOld, "the server no longer has what was missed: read it anew")
)

// connect reads one connection until it breaks, and moves from along. It
// reports whether the server told anything.
func (c *Client) connect(ctx context.Context, path string, from *string, take func(message, string) error) (told bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	alive := time.AfterFunc(silence, func() { cancel(errSilent) })
	defer alive.Stop()
	if *from != Now {
		path = withQuery(path, "from", *from)
	}
	resp, err := c.send(ctx, http.MethodGet, path, nil, http.Header{"Accept": {"text/event-stream"}})
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	for {
		m, err := readMessage(lines, func() { alive.Reset(silence) })
		if err != nil {
			return told, nestor.Errorf(nestor.CodeUnavailable, "the stream broke: %w", err)
		}
		told = true
		if m.hasID {
			*from = m.id
		}
		alive.Stop() // the caller may take its time
		if err := take(m, *from); err != nil {
			return told, err
		}
		alive.Reset(silence)
	}
}

// event decodes a message. It passes over events that this client does not
// know.
func (m message) event(position string) (e Event, known bool, err error) {
	e.ID = position
	var into any
	switch m.name {
	case "change":
		e.Change = &Change{}
		into = e.Change
	case "delta":
		e.Delta = &Delta{}
		into = e.Delta
	case "run_began", "run_waits", "run_ended":
		e.Run = &RunEvent{}
		into = e.Run
	case "resync":
		return e, false, errTooOld
	default:
		return e, false, nil
	}
	if err := json.Unmarshal([]byte(m.data), into); err != nil {
		return e, false, nestor.Errorf(nestor.CodeInternal, "an event cannot be read: %w", err)
	}
	return e, true, nil
}

// retryable reports whether a stream that failed is worth opening again.
func retryable(err error) bool {
	return errors.Is(err, nestor.ErrUnavailable) || errors.Is(err, nestor.ErrTimeout) || errors.Is(err, nestor.ErrRateLimited)
}
