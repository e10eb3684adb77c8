package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi/web"
)

// Agents are the running agents, as people influence them. Every call may be
// repeated. Paths are those of documents; by is the user who makes the call.
type Agents interface {
	// CheckTask reports why a task would fail, as far as that is known before it
	// is carried out.
	CheckTask(ctx context.Context, task *nestor.Task) error
	// Cancel ends a task and everything below it.
	Cancel(ctx context.Context, task nestor.Path, by string) error
	// Pause lets a task's agent rest after the step it is in.
	Pause(ctx context.Context, task nestor.Path, by string) error
	// Resume lets a paused agent go on.
	Resume(ctx context.Context, task nestor.Path, by string) error
	// Retry lets a failed task go on from its last good step.
	Retry(ctx context.Context, task nestor.Path, by string) error
	// Steer says something to a task's agent and returns the message.
	Steer(ctx context.Context, task nestor.Path, by, content string, parts ...nestor.Part) (*nestor.Document, error)
	// SteerAs does so with an id for the message. A message that is there is returned,
	// and nothing is said again.
	SteerAs(ctx context.Context, task nestor.Path, by, id, content string, parts ...nestor.Part) (*nestor.Document, error)
	// Stop ends the answer that is under way in a chat and all its tasks.
	Stop(ctx context.Context, chat nestor.Path, by string) error
	// Reserves reports whether agents have a tool of this name that is none of their role's,
	// such as final_answer.
	Reserves(tool string) bool
	// Decide takes a person's decision about a tool call that waits for one.
	Decide(ctx context.Context, call nestor.Path, d nestor.Decision) error
}

// agents returns the agents, and the path of the document in the request's URL
// as [inChat] does, if the caller may act on that document.
func (s *server) agents(r *http.Request, below ...string) (Agents, nestor.Path, error) {
	p, err := inChat(r, below...)
	if err != nil {
		return nil, "", err
	}
	if err := s.checkAct(r, p); err != nil {
		return nil, "", err
	}
	if s.Agents == nil {
		return nil, "", nestor.Errorf(nestor.CodeUnavailable, "this server runs no agents")
	}
	return s.Agents, p, nil
}

// controlTask does something to a task and answers with the task as it is then.
func controlTask(do func(Agents, context.Context, nestor.Path, string) error) handler {
	return func(s *server, r *http.Request) (response, error) {
		agents, p, err := s.agents(r, "tasks", r.PathValue("task"))
		if err != nil {
			return response{}, err
		}
		if err := do(agents, r.Context(), p, callerOf(r).UserID); err != nil {
			return response{}, err
		}
		return s.get(r, p)
	}
}

func (s *server) stopChat(r *http.Request) (response, error) {
	agents, p, err := s.agents(r)
	if err != nil {
		return response{}, err
	}
	return response{}, agents.Stop(r.Context(), p, callerOf(r).UserID)
}

type steering struct {
	// Content is a text, or a list of parts.
	Content content `json:"content"`
}

func (s *server) steerTask(r *http.Request) (response, error) {
	agents, p, err := s.agents(r, "tasks", r.PathValue("task"))
	if err != nil {
		return response{}, err
	}
	var req steering
	if err := web.Read(r, &req); err != nil {
		return response{}, err
	}
	if err := req.Content.check(); err != nil {
		return response{}, err
	}
	d, err := agents.Steer(r.Context(), p, callerOf(r).UserID, req.Content.text, req.Content.parts...)
	res := document(d)
	res.status = http.StatusCreated
	return res, err
}

type newDecision struct {
	Action nestor.DecisionAction `json:"action"`
	Args   json.RawMessage       `json:"args,omitempty"`
	Reason string                `json:"reason,omitempty"`
}

func (s *server) decide(r *http.Request) (response, error) {
	agents, p, err := s.agents(r, "sub-agents", r.PathValue("agent"), "tool-calls", r.PathValue("call"))
	if err != nil {
		return response{}, err
	}
	var req newDecision
	if err := web.Read(r, &req); err != nil {
		return response{}, err
	}
	switch req.Action {
	case nestor.Approve, nestor.Deny, nestor.RetryCall, nestor.MarkDone, nestor.SkipCall, nestor.GiveResult, nestor.FailCall:
	default:
		return response{}, nestor.Errorf(nestor.CodeInvalid, "action is one of approve, deny, result, fail, retry, done, skip, not %.100q", req.Action)
	}
	if string(req.Args) == "null" {
		req.Args = nil
	}
	err = agents.Decide(r.Context(), p, nestor.Decision{
		Action: req.Action, By: callerOf(r).UserID, At: nestor.Millis(time.Now()), Args: req.Args, Reason: req.Reason,
	})
	if err != nil {
		return response{}, err
	}
	return s.get(r, p)
}
