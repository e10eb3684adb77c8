package loop

import (
	"context"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
	"github.com/nestorhq/nestor/internal/agent/toolrun"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
)

// localTime is how long the results of local tools are waited for.
const localTime = 20 * time.Millisecond

// doneCall is a call with its result.
type doneCall struct {
	effect  tool.Effect
	started int64
	files   []nestor.Part
	tool.Result
}

// runLocal runs the calls of a reply whose tools are pure and wait for nothing
// outside of the process, such as a calculation. Their results are committed
// with the reply itself, which saves a job and a commit for each. A call that
// takes longer than expected, and what comes after it, is left to the tool runner
// like all others: being pure it may be run again.
func (l *Loop) runLocal(ctx context.Context, s *step) map[int]doneCall {
	if s.last || s.role.Sequential || l.Local != nil && !l.Local() {
		return nil
	}
	whole := ctx
	ctx, cancel := context.WithTimeout(ctx, localTime)
	defer cancel()
	done := map[int]doneCall{}
	for i, c := range s.calls {
		t, ok := s.tools.Lookup(c.Name)
		if !ok || !t.Local || t.Effect != tool.Pure || t.NeedsApproval {
			continue
		}
		d := doneCall{effect: t.Effect, started: chatdoc.Now(), Result: s.tools.Execute(ctx, s.toolCall(i, c))}
		if ctx.Err() != nil {
			break
		}
		d.files = l.Files.Keep(whole, s.path, &d.Result)
		done[i] = d
	}
	return done
}

func (s *step) toolCall(i int, c llm.ToolCall) tool.Call {
	id := s.callID(i)
	return tool.Call{
		Scope: toolrun.Scope(&s.agent, s.path, s.agent.AskedBy),
		ID:    id, Name: c.Name, Arguments: conversation.ArgumentText(conversation.Arguments(c)), IdempotencyKey: id,
	}
}

// record writes the call as it came out, and the message that tells the model.
func (d doneCall) record(tx store.Tx, agent nestor.Path, call nestor.ToolCall) error {
	call.StartedAt, call.DurationMS = d.started, d.Duration.Milliseconds()
	call.Effect = string(d.effect)
	content := lifecycle.Concluded(&call, d.Status, d.Said())
	if err := lifecycle.TellResult(tx, agent, &call, d.files...); err != nil {
		return err
	}
	if _, err := tx.Create(agent.Child("tool-calls", call.ID), call); err != nil {
		return err
	}
	return lifecycle.Answer(tx, agent, call.ID, call.ToolName, content, d.Status == nestor.ToolCallFailed, d.files...)
}
