package mcp

import (
	"encoding/json"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs/need"
	"github.com/nestorhq/nestor/internal/store"
)

// wait is something that a run waits for.
type wait struct {
	// ID is that of the task or call.
	ID   string          `json:"id"`
	Kind need.Kind       `json:"kind"`
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
		needs, err := need.Of(docs, run)
		for _, n := range needs {
			all = append(all, waitFor(n))
		}
		return err
	})
	return run, all, err
}

func waitFor(n need.Need) wait {
	w := wait{ID: n.At.ID(), Kind: n.Kind, Role: n.Role, at: n.At, standing: n.Standing}
	if n.Call != nil {
		w.Tool, w.Args = n.Call.ToolName, n.Call.Args
	}
	switch n.Kind {
	case need.Resume:
		w.Text = "it was paused"
	case need.Answer:
		w.Text = n.Question
	case need.Approval:
		w.Text = "May " + w.Role + " call " + w.Tool + " with " + line(string(w.Args)) + "?"
	case need.Unknown:
		w.Text = "It is not known whether " + w.Tool + " took effect: retry, done or skip?"
	case need.Result:
		w.Text = "What is the result of " + w.Tool + " with " + line(string(w.Args)) + "?"
	}
	return w
}
