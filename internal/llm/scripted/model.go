package scripted

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// Model plays a script. It is safe for concurrent use.
type Model struct {
	mu       sync.Mutex
	replies  []*reply
	requests []*llm.Request
}

// reply is one reply of the script.
type reply struct {
	name   string
	line   int
	when   []condition
	steps  []step
	repeat bool
	given  int
}

// step is one line of a reply: an event, a failure or a wait.
type step struct {
	event llm.Event
	err   error
	wait  time.Duration
}

// Name is "scripted".
func (m *Model) Name() string { return "scripted" }

// Generate gives the next reply for the request. The reply counts as given from
// the first event on, whether or not the caller hears the rest.
func (m *Model) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		r, round, err := m.take(req)
		if err != nil {
			yield(nil, err)
			return
		}
		calls := 0
		for _, s := range r.steps {
			if err := llm.Pause(ctx, s.wait, "the scripted reply"); err != nil {
				yield(nil, err)
				return
			}
			if call, ok := s.event.(llm.ToolCall); ok {
				calls++
				if call.ID == "" {
					call.ID = r.callID(round, calls)
				}
				s.event = call
			}
			if s.wait == 0 && !yield(s.event, s.err) {
				return
			}
		}
	}
}

// take records the request and finds its reply. Round is how often that has
// been given now.
func (m *Model) take(req *llm.Request) (r *reply, round int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, clone(req))
	for _, r := range m.replies {
		if (r.given == 0 || r.repeat) && r.matches(req) {
			r.given++
			return r, r.given, nil
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "the script has no reply for this request:\n%s\nreplies left:", describe(req))
	for _, r := range m.replies {
		if r.given == 0 || r.repeat {
			fmt.Fprintf(&b, "\n  %s", r)
		}
	}
	return nil, 0, nestor.Errorf(nestor.CodeInvalid, "%s", &b)
}

// Requests returns what the model was asked, in order.
func (m *Model) Requests() []*llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Finished returns an error that names the replies nobody asked for and shows
// what was asked instead. It is nil if there are none.
func (m *Model) Finished() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var left []string
	for _, r := range m.replies {
		if r.given == 0 && !r.repeat {
			left = append(left, r.String())
		}
	}
	if left == nil {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "nobody asked for:\n  %s\nasked was:", strings.Join(left, "\n  "))
	for i, req := range m.requests {
		fmt.Fprintf(&b, "\n%d.\n%s", i+1, describe(req))
	}
	return errors.New(b.String())
}

// String names the reply, where it stands and what it waits for.
func (r *reply) String() string {
	s := fmt.Sprintf("%q (line %d)", r.name, r.line)
	for _, c := range r.when {
		s += fmt.Sprintf(" when %s %s %q", c.subject, c.verb, c.text)
	}
	return s
}

func (r *reply) callID(round, call int) string {
	id := strings.ReplaceAll(r.name, " ", "-")
	if round > 1 {
		return fmt.Sprintf("%s-%d-%d", id, round, call)
	}
	return fmt.Sprintf("%s-%d", id, call)
}

// clone copies those parts of the request that its caller may change later.
func clone(req *llm.Request) *llm.Request {
	c := *req
	c.Messages = slices.Clone(req.Messages)
	for i, m := range c.Messages {
		c.Messages[i].Parts = slices.Clone(m.Parts)
	}
	c.Tools = slices.Clone(req.Tools)
	return &c
}
