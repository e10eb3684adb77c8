package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
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
	// AnswerQuestion gives the agent of a task the answer to its question, and returns the
	// message of the chat that has it. Fresh is false if there was a message with its id:
	// then nothing is said.
	AnswerQuestion(ctx context.Context, task nestor.Path, a nestor.Answer) (d *nestor.Document, fresh bool, err error)
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

// toWork is agents for what has agents work on: what the chat's account has to pay for.
func (s *server) toWork(r *http.Request, below ...string) (Agents, nestor.Path, error) {
	agents, p, err := s.agents(r, below...)
	if err == nil {
		err = s.paysFor(r, p)
	}
	return agents, p, err
}

// paysFor reports why the caller may not have work done in the chat that p lies in.
func (s *server) paysFor(r *http.Request, p nestor.Path) error {
	return s.Store.View(r.Context(), func(all store.Reader) error { return account.PaysIn(all, p, callerOf(r).UserID) })
}

// controlTask does something to a task and answers with the task as it is then.
func controlTask(do func(Agents, context.Context, nestor.Path, string) error) handler {
	return control((*server).agents, do)
}

// workOnTask is controlTask for what has its agent work on.
func workOnTask(do func(Agents, context.Context, nestor.Path, string) error) handler {
	return control((*server).toWork, do)
}

func control(may func(*server, *http.Request, ...string) (Agents, nestor.Path, error), do func(Agents, context.Context, nestor.Path, string) error) handler {
	return func(s *server, r *http.Request) (response, error) {
		agents, p, err := may(s, r, "tasks", r.PathValue("task"))
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
	agents, p, err := s.toWork(r, "tasks", r.PathValue("task"))
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
	if err := s.mayName(r, p.Parent(), req.Content.parts); err != nil {
		return response{}, err
	}
	d, err := agents.Steer(r.Context(), p, speaker(r), req.Content.text, req.Content.parts...)
	res := document(d)
	res.status = http.StatusCreated
	return res, err
}

type newAnswer struct {
	ID string `json:"id,omitempty"`
	// QuestionID is the question that is answered: that of the task which waits.
	QuestionID string `json:"questionId"`
	// Content is a text, or a list of parts.
	Content content `json:"content"`
}

// answerTask gives a waiting agent the answer to its question. A request that is
// repeated finds the message of the first one.
func (s *server) answerTask(r *http.Request) (response, error) {
	agents, p, err := s.toWork(r, "tasks", r.PathValue("task"))
	if err != nil {
		return response{}, err
	}
	var req newAnswer
	if err := web.Read(r, &req); err != nil {
		return response{}, err
	}
	if err := checkText("questionId", req.QuestionID); err != nil {
		return response{}, err
	}
	if err := req.Content.check(); err != nil {
		return response{}, err
	}
	messages := string(p.Parent()) + "/messages"
	id, _, err := newID(r, messages, req.ID)
	if err != nil {
		return response{}, err
	}
	if err := checkReach(r, p.Parent().Child("messages", id)); err != nil {
		return response{}, err
	}
	if err := s.mayName(r, p.Parent(), req.Content.parts); err != nil {
		return response{}, err
	}
	a := nestor.Answer{ID: id, QuestionID: req.QuestionID, By: speaker(r), Content: req.Content.text, Parts: req.Content.parts}
	d, fresh, err := agents.AnswerQuestion(r.Context(), p, a)
	if err != nil {
		return response{}, err
	}
	res := document(d)
	if res.status = http.StatusCreated; !fresh {
		res.status = http.StatusOK
		err = req.same(d, p.ID(), a.By)
	}
	return res, err
}

// same fails unless a message is the answer that an equal request of the same person
// gave.
func (a *newAnswer) same(d *nestor.Document, task, by string) error {
	sent := map[string]any{"role": string(nestor.RoleUser), "taskId": task, "questionId": a.QuestionID, "authorId": by}
	if len(a.Content.parts) == 0 { // what the text of parts is, the store finds
		sent["content"] = a.Content.text
	}
	if err := says(d, sent); err != nil {
		return err
	}
	return a.Content.same(d)
}

type newDecision struct {
	Action nestor.DecisionAction `json:"action"`
	Args   json.RawMessage       `json:"args,omitempty"`
	Reason string                `json:"reason,omitempty"`
}

func (s *server) decide(r *http.Request) (response, error) {
	agents, p, err := s.toWork(r, "sub-agents", r.PathValue("agent"), "tool-calls", r.PathValue("call"))
	if err != nil {
		return response{}, err
	}
	if err := mayDecide(r); err != nil {
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
