package turn

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/domain/runs/need"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// ID is what clients know a call by, or the question of an agent: it says where the
// document lies.
func ID(agent, call string) string { return agent + "." + call }

// Wait is something that a run needs of somebody.
type Wait struct {
	ID   string
	Kind need.Kind
	// Open: nobody has dealt with it yet.
	Open bool
	// AgentID is who asks or calls. Text is the question, Tool and Args are the call.
	AgentID string
	Text    string
	Tool    string
	Args    json.RawMessage
	// Run is the run that waits.
	Run  nestor.Path
	at   nestor.Path // of the call
	task nestor.Path // of who asks
}

// Find is what an id of the client stands for in a thread.
func (t *Thread) Find(id string) (w Wait, err error) {
	unknown := nestor.Errorf(nestor.CodeNotFound, "nothing in this thread waits under the id %.100q", id)
	agentID, callID, ok := strings.Cut(id, ".")
	if !ok || t.New || nestor.CheckID(agentID) != nil || nestor.CheckID(callID) != nil {
		return w, unknown
	}
	at := t.Chat.Child("sub-agents", agentID)
	err = t.req.View(func(docs store.Reader) error {
		w = Wait{ID: id, AgentID: agentID, at: at.Child("tool-calls", callID)}
		d, err := docs.Get(at)
		if err != nil {
			return err
		}
		agent, err := nestor.As[nestor.SubAgent](d)
		if err != nil {
			return err
		}
		w.Run, w.task = store.RunAt(at, agent.RunID), t.Chat.Child("tasks", agent.TaskID)
		if agent.QuestionCallID == callID {
			w.Kind, w.Text, w.Open = need.Answer, agent.Question, agent.Status == nestor.SubAgentWaiting
			return nil
		}
		if d, err = docs.Get(w.at); err != nil {
			return err
		}
		call, err := nestor.As[nestor.ToolCall](d)
		if err != nil {
			return err
		}
		w.Run, w.Tool, w.Args = store.RunAt(at, call.RunID), call.ToolName, call.Args
		w.Kind, w.Open = need.OfCall(&call)
		return nil
	})
	if errors.Is(err, nestor.ErrNotFound) {
		err = unknown
	}
	return w, err
}

// Answer is what a client says about something that a run waits for.
type Answer struct {
	// Yes approves a call, or has one of unknown effect made again.
	Yes bool
	// Text is the answer to a question, why a call is denied, or the result of a call
	// that the client ran; Failed says that it failed.
	Text   string
	Failed bool
	// Args are the arguments that the call gets instead of the model's.
	Args json.RawMessage
}

// Settle takes an answer. What somebody dealt with before stays as it is.
func (w *Wait) Settle(req *httpapi.Request, a Answer) error {
	if !w.Open {
		return nil
	}
	d := nestor.Decision{Reason: a.Text, Args: a.Args}
	switch w.Kind {
	case need.Answer:
		return req.Steer(w.task, a.Text)
	case need.Result:
		if d.Action = nestor.GiveResult; a.Failed {
			d.Action = nestor.FailCall
		}
	case need.Unknown:
		if d.Action = nestor.SkipCall; a.Yes {
			d.Action, d.Reason = nestor.RetryCall, ""
		}
	default:
		if d.Action = nestor.Deny; a.Yes {
			d.Action, d.Reason = nestor.Approve, ""
		}
	}
	return req.Decide(w.at, d)
}

// waits are what a run asked for so far, by id, in the order of asking.
type waits []string

func (w *waits) note(e *runs.Event) {
	switch e.Type {
	case runs.Question, runs.Approval, runs.ClientCall:
		*w = append(*w, ID(e.AgentID, e.CallID))
	}
}
