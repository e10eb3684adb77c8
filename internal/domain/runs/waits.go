package runs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// WaitCode says what kind of thing is waited for.
type WaitCode string

// What a run waits for, what a person would want to know first.
const (
	// WaitOff: the trigger that would go on is switched off. Nothing happens by itself.
	WaitOff WaitCode = "off"
	// WaitRetry: an attempt failed, and there will be another one at Until.
	WaitRetry WaitCode = "retry"
	// WaitBudget: others have reserved what is left of a budget.
	WaitBudget WaitCode = "budget"
	// WaitPlace: the model connection has as many calls under way as it may have.
	WaitPlace WaitCode = "place"
	WaitModel WaitCode = "model"
	WaitTool  WaitCode = "tool"
	// WaitQueue: no worker has taken the job yet.
	WaitQueue WaitCode = "queue"
	// WaitTurn: what came before it in the chat, or in the agent, is done first.
	WaitTurn WaitCode = "turn"
	// WaitRestart: the server that worked on it ended, and another attempt is due.
	WaitRestart WaitCode = "restart"
	// WaitPerson, WaitDecision and WaitClient: somebody is to answer a question, to approve
	// a call, or to run one of the client's own tools.
	WaitPerson   WaitCode = "person"
	WaitDecision WaitCode = "decision"
	WaitClient   WaitCode = "client"
	WaitPaused   WaitCode = "paused"
	// WaitExecution: an execution of a graph waits for somebody.
	WaitExecution WaitCode = "execution"
	// WaitStage: any other stage is at work.
	WaitStage WaitCode = "stage"
)

var waitCodes = []WaitCode{
	WaitOff, WaitRetry, WaitBudget, WaitPlace, WaitModel, WaitTool, WaitQueue, WaitTurn, WaitRestart, WaitPerson, WaitDecision, WaitClient, WaitPaused, WaitExecution, WaitStage,
}

// Wait is one thing that a run waits for.
type Wait struct {
	Code WaitCode `json:"code"`
	// Text says it in words.
	Text string `json:"text"`
	// Since is from when on, and Until when it is over at the latest, in Unix milliseconds.
	Since int64 `json:"since,omitempty"`
	Until int64 `json:"until,omitempty"`
	// Model is known by the server that asks it, and missing if another one does.
	Model string `json:"model,omitempty"`
	Tool  string `json:"tool,omitempty"`
	// Trigger caused the job, or is switched off, and Stage is what its handler is called.
	Trigger string `json:"trigger,omitempty"`
	Stage   string `json:"stage,omitempty"`
	// TaskID, SubAgentID and Role say which agent it is about, and CallID which call of it.
	TaskID     string `json:"taskId,omitempty"`
	SubAgentID string `json:"subAgentId,omitempty"`
	Role       string `json:"role,omitempty"`
	CallID     string `json:"callId,omitempty"`
	// Helper: the agent is not the participant of the chat, but works for somebody in it.
	Helper bool `json:"helper,omitempty"`
	// Ahead is how many other jobs of the user wait for a worker, too.
	Ahead int `json:"ahead,omitempty"`
	// Attempt counts those that began, and Error is the failure of the last one.
	Attempt int    `json:"attempt,omitempty"`
	Error   string `json:"error,omitempty"`
}

// Waits are what a run waits for, what a person would want to know first.
type Waits struct {
	Status nestor.RunStatus `json:"status"`
	Waits  []Wait           `json:"waits"`
}

// Asking is a model call that a job of this process makes.
type Asking struct {
	Model string
	Since time.Time
	// Place: it waits for a place at the connection.
	Place bool
	// Again is when the provider is asked again after Failure, zero if it has not failed.
	Again   time.Time
	Failure error
}

// waits answers what a run waits for. A caller that may read the run and not its chat is
// told no more than the kinds of things.
func (r *Runs) waits(req *httpapi.Request) (any, error) {
	p, run, err := readable(req)
	if err != nil {
		return nil, err
	}
	found, err := r.Waits(req.Context(), p)
	if err != nil || run.ChatID == "" {
		return found, err
	}
	_, err = req.Get(nestor.Path("users/"+run.UserID).Child("orch-chats", run.ChatID))
	switch nestor.CodeOf(err) {
	case nestor.CodeNotFound, nestor.CodeForbidden:
		for i, w := range found.Waits {
			found.Waits[i] = Wait{Code: w.Code, Text: string(w.Code), Since: w.Since, Until: w.Until}
		}
		return found, nil
	}
	return found, err
}

// maxWaits is how many jobs of a run are looked at.
const maxWaits = 100

// Waits finds what a run waits for: in its jobs, if it has any, else in what it says that it
// waits for. It reads what lies at the paths of those, and searches nothing.
func (r *Runs) Waits(ctx context.Context, at nestor.Path) (Waits, error) {
	jobs, err := r.store.Jobs(ctx, store.JobFilter{Run: at, Limit: maxWaits})
	if err != nil {
		return Waits{}, err
	}
	found := Waits{Waits: []Wait{}}
	err = r.store.View(ctx, func(docs store.Reader) error {
		found.Waits = []Wait{}
		d, err := docs.Get(at)
		if err != nil {
			return err
		}
		run, err := nestor.As[nestor.Run](d)
		if err != nil {
			return err
		}
		found.Status = run.Status
		l := &lookout{r, docs, time.Now()}
		for i := range jobs {
			w, err := l.job(&jobs[i])
			if err != nil {
				return err
			}
			if w.Code != "" {
				found.Waits = append(found.Waits, w)
			}
		}
		if len(jobs) > 0 {
			return nil
		}
		more, err := l.resting(&run)
		found.Waits = append(found.Waits, more...)
		return err
	})
	if err != nil {
		return Waits{}, err
	}
	if err := r.countAhead(ctx, at, &found); err != nil {
		return Waits{}, err
	}
	slices.SortStableFunc(found.Waits, func(a, b Wait) int {
		return cmp.Or(slices.Index(waitCodes, a.Code)-slices.Index(waitCodes, b.Code), cmp.Compare(a.Since, b.Since))
	})
	for i := range found.Waits {
		found.Waits[i].Text = found.Waits[i].inWords()
	}
	return found, nil
}

// maxAhead bounds what counting costs.
const maxAhead = 1000

// countAhead counts the jobs that wait beside those of the run.
func (r *Runs) countAhead(ctx context.Context, at nestor.Path, found *Waits) error {
	own := 0
	for _, w := range found.Waits {
		if w.Code == WaitQueue || w.Code == WaitTurn || w.Code == WaitRetry || w.Code == WaitRestart || w.Code == WaitBudget {
			own++
		}
	}
	if !slices.ContainsFunc(found.Waits, func(w Wait) bool { return w.Code == WaitQueue }) {
		return nil
	}
	all, _, err := r.store.CountWaiting(ctx, at.Tenant(), maxAhead)
	for i := range found.Waits {
		if found.Waits[i].Code == WaitQueue {
			found.Waits[i].Ahead = max(0, all-own)
		}
	}
	return err
}

// inWords says what is waited for.
func (w *Wait) inWords() string {
	model := cmp.Or(w.Model, "the model")
	switch w.Code {
	case WaitOff:
		return fmt.Sprintf("the trigger %s is switched off", w.Trigger)
	case WaitRetry:
		return "it is tried again: " + w.Error
	case WaitBudget:
		return "it waits for the budget: " + w.Error
	case WaitPlace:
		return "it waits for a place at " + model
	case WaitModel:
		return "it waits for " + model
	case WaitTool:
		return "it waits for the tool " + w.Tool
	case WaitQueue:
		return fmt.Sprintf("it waits for a worker, beside %d other jobs", w.Ahead)
	case WaitTurn:
		return "it waits for what came before it"
	case WaitRestart:
		return "the server that worked on it ended; it is done again"
	case WaitPerson:
		return "it waits for an answer"
	case WaitDecision:
		return "it waits for a decision about " + w.Tool
	case WaitClient:
		return "it waits for the client to run " + w.Tool
	case WaitPaused:
		return "it is paused"
	case WaitExecution:
		return "it waits in a graph"
	}
	return "the stage " + cmp.Or(w.Stage, w.Trigger) + " is at work"
}
