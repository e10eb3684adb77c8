// Package need finds what a run waits for that somebody outside can give: an answer, a
// decision, the result of a client's tool, leave to go on. All doors read it here.
package need

import (
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Kind says what is needed.
type Kind string

// What runs need.
const (
	Resume   Kind = "resume"   // somebody paused it
	Answer   Kind = "question" // an answer to a question
	Approval Kind = "approval" // leave to make a call
	Unknown  Kind = "unknown"  // what to do about a call that may have taken effect
	Result   Kind = "result"   // the result of a call that the client makes
)

// Decisions are those that settle a call that needs this.
func (k Kind) Decisions() []nestor.DecisionAction { return decisions[k] }

var decisions = map[Kind][]nestor.DecisionAction{
	Approval: {nestor.Approve, nestor.Deny},
	Unknown:  {nestor.RetryCall, nestor.MarkDone, nestor.SkipCall},
	Result:   {nestor.GiveResult, nestor.FailCall},
}

// Need is one thing that a run needs.
type Need struct {
	Kind Kind
	// At is the task that was paused or asks, or the call.
	At nestor.Path
	// Role is the agent's.
	Role string
	// Standing: the agent is the participant of its chat, and is answered there.
	Standing bool
	Question string
	// Call is nil where no call is waited for.
	Call *nestor.ToolCall
}

// Of is what a run needs, in the order of the tasks that it waits for.
func Of(docs store.Reader, run *nestor.Run) (all []Need, err error) {
	for _, below := range run.WaitingFor {
		at := run.Of(below)
		if !store.Tasks.Has(at) {
			continue
		}
		task, err := store.Find[nestor.Task](docs, at)
		if err != nil {
			return nil, err
		}
		if task == nil {
			continue
		}
		if all, err = ofTask(docs, at, task, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func ofTask(docs store.Reader, at nestor.Path, task *nestor.Task, all []Need) ([]Need, error) {
	one := Need{At: at, Role: strings.TrimPrefix(task.Name, "agent:"), Standing: task.Standing}
	if task.Paused {
		one.Kind = Resume
		all = append(all, one)
	}
	if task.Status == nestor.TaskWaiting {
		one.Kind, one.Question = Answer, task.Question
		all = append(all, one)
	}
	if task.SubAgentID == "" {
		return all, nil
	}
	err := store.Each(docs, Calls(at.Parent().Child("sub-agents", task.SubAgentID)), func(p nestor.Path, c *nestor.ToolCall) {
		if kind, open := OfCall(c); open {
			all = append(all, Need{Kind: kind, At: p, Role: one.Role, Standing: task.Standing, Call: c})
		}
	})
	return all, err
}

// Calls finds those calls of an agent among which are all that need somebody.
func Calls(agent nestor.Path) store.Query {
	return store.Query{
		Collection: string(agent) + "/tool-calls", Limit: store.MaxLimit,
		Where: store.Where("status", store.In, []nestor.ToolCallStatus{nestor.ToolCallAwaitingApproval, nestor.ToolCallRunning, nestor.ToolCallUnknown}),
	}
}

// OfCall is what a call needs, or needed before it was settled, and whether it still
// does. One that waits for the call before it does not yet.
func OfCall(c *nestor.ToolCall) (kind Kind, open bool) {
	switch {
	case c.Client:
		return Result, c.Status == nestor.ToolCallRunning && !c.Held
	case c.Status == nestor.ToolCallUnknown:
		return Unknown, true
	}
	return Approval, c.Status == nestor.ToolCallAwaitingApproval && !c.Held
}
