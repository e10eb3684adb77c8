package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/worker"
)

// Guards decide about the calls of a reply before any stage sees them, so that
// they hold whoever runs tools: a call that makes no sense is answered, one that
// needs approval waits for it, and control calls are carried out here. What is
// left is pending, which is what the tool runner, or who takes its place, sees.

// guard answers the calls of a reply that must not be run at all.
func (s *step) guard(r *reply) {
	for i, c := range r.calls {
		if _, done := s.done[i]; done {
			continue
		}
		if err := s.refuse(c); err != nil {
			if s.done == nil {
				s.done = map[int]doneCall{}
			}
			s.done[i] = doneCall{started: now(), Result: tool.Result{
				Status: nestor.ToolCallFailed, Code: nestor.CodeOf(err), Error: err.Error(),
			}}
		}
	}
}

// refuse reports why a call cannot be carried out. Its error is for the model.
func (s *step) refuse(c llm.ToolCall) error {
	arguments := argumentText(arguments(c))
	if isControl(c.Name) {
		_, err := understandControl(c.Name, arguments, s.role, s.agent.Depth)
		return err
	}
	return s.tools.Check(c.Name, arguments)
}

// admit sets a call going that is not to wait for another one, or writes one that
// is: see [nestor.ToolCall.Held].
func admit(tx store.Tx, tools *tool.Registry, path nestor.Path, agent *nestor.SubAgent, call *nestor.ToolCall) error {
	t, known := tools.Lookup(call.ToolName)
	switch {
	case isControl(call.ToolName):
		call.Status = nestor.ToolCallRunning // it is ours from the start
	case known && t.NeedsApproval:
		call.Status = nestor.ToolCallAwaitingApproval
	}
	if known {
		call.Effect = string(t.Effect)
	}
	if !call.Held {
		return begin(tx, path, agent, call)
	}
	return save(tx, path.Child("tool-calls", call.ID), call)
}

// begin writes a call whose turn has come, with what the runtime does for it: a
// control call is carried out, and the chat is told of one that needs approval.
func begin(tx store.Tx, path nestor.Path, agent *nestor.SubAgent, call *nestor.ToolCall) error {
	if call.ToolName == createAgentTool {
		in, err := decode(argumentText(call.Args), "type", "instruction")
		if err != nil {
			return err
		}
		return startChild(tx, path, agent, call, in)
	}
	if err := save(tx, path.Child("tool-calls", call.ID), call); err != nil || call.Status != nestor.ToolCallAwaitingApproval {
		return err
	}
	return save(tx, chatOf(path).Child("messages", nestor.DeriveID("approval", call.ID)), nestor.Message{
		Role: nestor.RoleSystem, Type: nestor.MessageStatus, Content: approvalNotice(call), TaskID: agent.TaskID,
	})
}

func approvalNotice(call *nestor.ToolCall) string {
	var args bytes.Buffer // as it is stored, without spaces
	if json.Compact(&args, call.Args) != nil {
		args.Reset()
		args.WriteString(argumentText(call.Args))
	}
	return fmt.Sprintf("The agent wants to call **%s** with `%s`. Approve, change or deny it.", call.ToolName, excerpt(args.String(), 500))
}

// startChild gives a part of an agent's work to another one. The call stays open
// until that one's task ends; see answerParent.
func startChild(tx store.Tx, path nestor.Path, agent *nestor.SubAgent, call *nestor.ToolCall, in map[string]string) error {
	chat, id := chatOf(path), nestor.DeriveID("task", call.ID)
	parent, err := get[nestor.Task](tx, taskPath(chat, agent.TaskID))
	if err != nil {
		return err
	}
	call.Status, call.TaskID, call.StartedAt = nestor.ToolCallRunning, id, now()
	if err := save(tx, path.Child("tool-calls", call.ID), call); err != nil {
		return err
	}
	_, err = tx.Create(taskPath(chat, id), nestor.Task{
		Type: nestor.TaskAgent, Name: "agent:" + strings.ToLower(in["type"]), Instruction: in["instruction"], Status: nestor.TaskPending,
		TriggerMessageID: parent.TriggerMessageID, ParentAgentID: agent.ID, ParentCallID: call.ID, Depth: parent.Depth + 1,
		AskedBy: agent.AskedBy,
	})
	return err
}

// callEnded lets the call go that waits for one that ended, if who ended it has
// not: that is a program that takes the place of the tool runner.
func (a *Runner) callEnded(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	path := job.Change.Path
	return func(tx store.Tx) error {
		call, err := store.Find[nestor.ToolCall](tx, path)
		if err != nil || call == nil || !call.Status.Ended() || call.Status == nestor.ToolCallCancelled {
			return err
		}
		return release(tx, path.Parent(), call)
	}, nil
}
