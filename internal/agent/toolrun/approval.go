package toolrun

import (
	"cmp"
	"context"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
	"github.com/nestorhq/nestor/internal/store"
)

// Decide carries out what a person or their client says about a call that waits: one that
// needs approval, one that the client runs, or one of unknown effect. The decision is recorded with who and when.
// Arguments that do not fit the tool are refused, and the call goes on waiting.
func (runner *Runner) Decide(ctx context.Context, path nestor.Path, d nestor.Decision) error {
	if err := runner.fitting(ctx, path, d); err != nil {
		return err
	}
	return runner.Store.Update(ctx, func(tx store.Tx) error {
		call, err := chatdoc.Get[nestor.ToolCall](tx, path)
		if err != nil {
			return err
		}
		if err := decidable(&call, d); err != nil {
			return err
		}
		if err := lifecycle.ResumeRun(tx, chatdoc.ChatOf(path), call.RunID); err != nil {
			return err
		}
		d.At = chatdoc.Now()
		call.Decisions = append(call.Decisions, d)
		agent := path.Parent()
		if len(d.Args) > 0 || d.Reason != "" {
			if err := hasSay(tx, agent, d.By); err != nil {
				return err
			}
		}
		switch d.Action {
		case nestor.Approve, nestor.RetryCall:
			if len(d.Args) > 0 {
				call.Args = d.Args
			}
			call.Status = nestor.ToolCallPending
			return chatdoc.Save(tx, path, call)
		case nestor.GiveResult, nestor.FailCall:
			call.DurationMS = d.At - call.StartedAt
			if d.Action == nestor.FailCall {
				return lifecycle.FinishCall(tx, agent, &call, nestor.ToolCallFailed, cmp.Or(d.Reason, "the client says that it failed"))
			}
			return lifecycle.FinishCall(tx, agent, &call, nestor.ToolCallSuccess, d.Reason)
		case nestor.MarkDone:
			return lifecycle.FinishCall(tx, agent, &call, nestor.ToolCallSuccess, cmp.Or(d.Reason, "Done, says the user."))
		case nestor.SkipCall:
			return lifecycle.FinishCall(tx, agent, &call, nestor.ToolCallSkipped, cmp.Or(d.Reason, "Skipped by the user. Whether the call took effect is not known."))
		}
		return lifecycle.FinishCall(tx, agent, &call, nestor.ToolCallFailed, "the user denied this call: "+cmp.Or(d.Reason, "no reason was given"))
	})
}

// fitting checks the arguments of a decision against the tool as the agent has
// it. A tool that only another program knows is that program's to check.
func (runner *Runner) fitting(ctx context.Context, path nestor.Path, d nestor.Decision) error {
	if len(d.Args) == 0 {
		return nil
	}
	var call nestor.ToolCall
	var agent nestor.SubAgent
	err := runner.Store.View(ctx, func(r store.Reader) (err error) {
		if call, err = chatdoc.Get[nestor.ToolCall](r, path); err != nil {
			return err
		}
		agent, err = chatdoc.Get[nestor.SubAgent](r, path.Parent())
		return err
	})
	if err != nil {
		return err
	}
	if err := decidable(&call, d); err != nil {
		return err
	}
	t, ok := runner.Toolbox.Of(ctx, &agent).Lookup(call.ToolName)
	if !ok {
		return nil
	}
	return t.Check(conversation.ArgumentText(d.Args))
}

// hasSay records that an agent is shown a person's own words or arguments. From
// then on its work has no rights that this person lacks.
func hasSay(tx store.Tx, path nestor.Path, by string) error {
	agent, err := chatdoc.Get[nestor.SubAgent](tx, path)
	if err != nil {
		return err
	}
	askers := agent.AskedBy.Or(path.UserID())
	if slices.Contains(askers, by) {
		return nil
	}
	agent.AskedBy = askers.Joined(by)
	return chatdoc.Save(tx, path, agent)
}

// decidable reports whether a decision fits the call as it stands.
func decidable(call *nestor.ToolCall, d nestor.Decision) error {
	fitting := map[nestor.ToolCallStatus][]nestor.DecisionAction{
		nestor.ToolCallAwaitingApproval: {nestor.Approve, nestor.Deny},
		nestor.ToolCallUnknown:          {nestor.RetryCall, nestor.MarkDone, nestor.SkipCall},
	}[call.Status]
	if call.Client && call.Status == nestor.ToolCallRunning {
		fitting = []nestor.DecisionAction{nestor.GiveResult, nestor.FailCall}
	}
	switch {
	case call.Held:
		return nestor.Errorf(nestor.CodeInvalid, "call %s waits for the one before it: there is nothing to decide yet", call.ID)
	case fitting == nil:
		return nestor.Errorf(nestor.CodeInvalid, "call %s is %s: there is nothing to decide", call.ID, call.Status)
	case !slices.Contains(fitting, d.Action):
		return nestor.Errorf(nestor.CodeInvalid, "call %s is %s: decide one of %v, not %q", call.ID, call.Status, fitting, d.Action)
	case d.By == "":
		return nestor.Errorf(nestor.CodeInvalid, "a decision says who made it")
	}
	return nil
}
