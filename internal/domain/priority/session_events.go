package priority

import (
	"bytes"
	"encoding/json"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/analyst"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// AnalysisStatus is the event that tells how far a session is.
type AnalysisStatus struct {
	SessionID         string                   `json:"session_id"`
	Status            record.SessionStatus     `json:"status"`
	Partial           bool                     `json:"partial"`
	FailedTools       []string                 `json:"failed_tools"`
	Error             *string                  `json:"error"`
	Notices           []string                 `json:"notices"`
	ExecutionMetadata record.ExecutionMetadata `json:"execution_metadata"`
}

// TaskProgress is the event that tells what is known about a task.
type TaskProgress struct {
	TaskID      string `json:"task_id"`
	Done        bool   `json:"done"`
	ChatID      string `json:"chat_id,omitempty"`
	AgentTaskID string `json:"agent_task_id,omitempty"`
	Status      string `json:"status,omitempty"`
	Result      string `json:"result,omitempty"`
}

// deleted is the status of a session that is no more, in events.
const deleted record.SessionStatus = "deleted"

// sessionEvents tells what a session does. The status of its end comes last, after
// the plan; with ?follow=1 the stream goes on, for changes of the plan and what
// becomes of its tasks.
func (p *Priority) sessionEvents(r *httpapi.Request) (any, error) {
	at := sessionAt(r)
	told := teller{follow: r.URL.Query().Get("follow") == "1"}
	return httpapi.Stream{
		Path: at,
		Also: []nestor.Glob{nestor.Glob(ownOf(r) + "/processed-documents/*/task-states/*")},
		First: func() (first []httpapi.Event, err error) {
			err = r.View(func(docs store.Reader) error {
				s, err := read[record.AgentSession](docs, at)
				if err != nil {
					return err
				}
				trace, err := store.Find[record.ReasoningTrace](docs, analyst.TraceOf(at))
				if trace == nil { // somebody deleted it alone
					trace = &record.ReasoningTrace{}
				}
				first = append(told.ended(trace, &record.ReasoningTrace{}), told.session(s, &record.AgentSession{})...)
				return err
			})
			return first, err
		},
		Of: told.change,
	}, nil
}

// read decodes the document at p, which must be there.
func read[T any](r store.Reader, p nestor.Path) (*T, error) {
	d, err := r.Get(p)
	if err != nil {
		return nil, err
	}
	v, err := nestor.As[T](d)
	return &v, err
}

// teller words what happens to a session.
type teller struct{ follow bool }

// change is what a change of a session, or of what lies below it, means.
func (t teller) change(c *nestor.Change) ([]httpapi.Event, error) {
	switch {
	case record.Sessions.Has(c.Path) && c.After == nil:
		return []httpapi.Event{{Name: "status", Data: AnalysisStatus{
			SessionID: c.Path.ID(), Status: deleted, FailedTools: []string{}, Notices: []string{},
			ExecutionMetadata: record.ExecutionMetadata{ToolCallCount: map[string]int{}},
		}, Last: true}}, nil
	case record.Sessions.Has(c.Path):
		now, before, err := both[record.AgentSession](c)
		if err != nil {
			return nil, err
		}
		return t.session(now, before), nil
	case record.Traces.Has(c.Path) && c.After != nil:
		now, before, err := both[record.ReasoningTrace](c)
		if err != nil {
			return nil, err
		}
		return t.ended(now, before), nil
	case record.TaskStates.Has(c.Path) && c.After != nil:
		s, err := nestor.As[record.TaskState](c.After)
		return []httpapi.Event{{Name: "task", Data: TaskProgress{s.ID, s.Done, s.ChatID, s.AgentTaskID, s.Status, s.Result}}}, err
	}
	return nil, nil
}

// both are the document as it is after a change and as it was before, empty for a
// new one.
func both[T any](c *nestor.Change) (now, before *T, err error) {
	before = new(T)
	if c.Before != nil {
		if err := c.Before.Decode(before); err != nil {
			return nil, nil, err
		}
	}
	now = new(T)
	return now, before, c.After.Decode(now)
}

// ended are the steps that have ended since.
func (t teller) ended(now, before *record.ReasoningTrace) (events []httpapi.Event) {
	for _, step := range now.Steps[min(len(before.Steps), len(now.Steps)):] {
		events = append(events, httpapi.Event{Name: "step_ended", Data: step})
	}
	return events
}

// session is what is new about a session.
func (t teller) session(now, before *record.AgentSession) (events []httpapi.Event) {
	if now.Doing != nil && (before.Doing == nil || before.Doing.StepNumber != now.Doing.StepNumber) {
		events = append(events, httpapi.Event{Name: "step_began", Data: *now.Doing})
	}
	if now.PrioritizedPlan != nil && !same(now.PrioritizedPlan, before.PrioritizedPlan) {
		events = append(events, httpapi.Event{Name: "plan", Data: *now.PrioritizedPlan})
	}
	if now.Status != before.Status {
		shown := showSummary(now)
		events = append(events, httpapi.Event{Name: "status", Last: !analyst.Active(now) && !t.follow, Data: AnalysisStatus{
			SessionID: now.ID, Status: now.Status, Partial: shown.Partial, FailedTools: shown.FailedTools, Error: shown.Error,
			Notices: shown.Notices, ExecutionMetadata: shown.ExecutionMetadata,
		}})
	}
	return events
}

func same(a, b *record.PrioritizedTaskPlan) bool {
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}
