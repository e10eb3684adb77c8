package mcp

import (
	"encoding/json"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// The kinds of what runs wait for.
const (
	forAnswer   = "question"
	forApproval = "approval"
	forUnknown  = "unknown" // nobody knows whether a call took effect
	forResult   = "result"  // of a tool that the client of the chat runs
	forResume   = "resume"  // somebody paused it
)

// wait is something that a run waits for.
type wait struct {
	// ID is that of the task or call.
	ID   string          `json:"id"`
	Kind string          `json:"kind"`
	Text string          `json:"text"`
	Role string          `json:"role,omitempty"`
	Tool string          `json:"tool,omitempty"`
	Args json.RawMessage `json:"arguments,omitempty"`

	at nestor.Path // the task or call
	// standing: the agent is the participant of its chat, and is answered there.
	standing bool
}

// waits are what a run waits for, as far as the caller may see it, and the run that waits:
// this one, or the one that it ends with. Nil waits for nobody.
func (c *call) waits(run *nestor.Run) (waiting *nestor.Run, all []wait, err error) {
	if run.JoinedTo != "" && !run.Status.Ended() {
		other, err := c.door.opts.Runs().Result(c.req.Context(), nestor.Path("users/"+run.UserID).Child("runs", run.JoinedTo), 0)
		if err != nil {
			return nil, nil, err
		}
		run = &other.Run
	}
	if run.Status != nestor.RunWaiting {
		return nil, nil, nil
	}
	err = c.req.View(func(docs store.Reader) error {
		all = nil
		for _, below := range run.WaitingFor {
			at := run.Of(below)
			if !store.Tasks.Has(at) {
				continue
			}
			found, err := waitsOfTask(docs, at)
			if err != nil {
				return err
			}
			all = append(all, found...)
		}
		return nil
	})
	return run, all, err
}

// waitsOfTask is what a task waits for. One that waits for a task below it has nothing of
// its own.
func waitsOfTask(docs store.Reader, at nestor.Path) (all []wait, err error) {
	task, err := store.Find[nestor.Task](docs, at)
	if err != nil || task == nil {
		return nil, err
	}
	if task.Paused {
		all = append(all, wait{ID: task.ID, Kind: forResume, Text: "it was paused", at: at})
	}
	if task.SubAgentID == "" {
		return all, nil
	}
	agentAt := at.Parent().Child("sub-agents", task.SubAgentID)
	agent, err := store.Find[nestor.SubAgent](docs, agentAt)
	if err != nil || agent == nil {
		return all, err
	}
	if agent.Status == nestor.SubAgentWaiting {
		all = append(all, wait{ID: task.ID, Kind: forAnswer, Text: agent.Question, Role: agent.Role, at: at, standing: agent.Standing})
	}
	page, err := docs.Query(store.Query{
		Collection: string(agentAt) + "/tool-calls", Limit: store.MaxLimit,
		Where: store.Where("status", store.In, []nestor.ToolCallStatus{nestor.ToolCallAwaitingApproval, nestor.ToolCallRunning, nestor.ToolCallUnknown}),
	})
	if err != nil {
		return all, err
	}
	for _, d := range page.Items {
		tool, err := nestor.As[nestor.ToolCall](d)
		if err != nil {
			return all, err
		}
		if tool.Held || tool.Status == nestor.ToolCallRunning && !tool.Client {
			continue
		}
		w := wait{ID: tool.ID, Kind: forApproval, Role: agent.Role, Tool: tool.ToolName, Args: tool.Args, at: d.Path}
		w.Text = "May " + agent.Role + " call " + tool.ToolName + " with " + line(string(tool.Args)) + "?"
		switch tool.Status {
		case nestor.ToolCallUnknown:
			w.Kind, w.Text = forUnknown, "It is not known whether "+tool.ToolName+" took effect: retry, done or skip?"
		case nestor.ToolCallRunning:
			w.Kind, w.Text = forResult, "What is the result of "+tool.ToolName+" with "+line(string(tool.Args))+"?"
		}
		all = append(all, w)
	}
	return all, nil
}
