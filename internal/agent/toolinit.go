package agent

import (
	"context"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/worker"
)

// A task of type tool is one call. Its sub-agent has no model and no messages:
// the call passes the guards and the tool runner as every other does, and the
// task ends with it.

// toolRole is the role of such a sub-agent, for those who read its document.
const toolRole = "tool"

// initTool makes the call of a new task of type tool, or of one that is tried
// again, and sets the task running, in one transaction. A call that makes no sense
// fails the task.
func (a *Runner) initTool(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	p := job.Change.Path
	tools := a.Toolbox.anyones(ctx)
	return func(tx store.Tx) error {
		task, err := store.Find[nestor.Task](tx, p)
		if err != nil || task == nil || task.Status != nestor.TaskPending || task.Type != nestor.TaskTool {
			return err
		}
		chat := chatOf(p)
		agent, err := findAgent(tx, chat, task)
		if err != nil {
			return err
		}
		request, err := toolRequest(tools, task)
		if err != nil {
			return end(tx, chat, agent, task, nestor.TaskFailed, err.Error())
		}
		if agent == nil {
			agent = &nestor.SubAgent{
				Meta: nestor.Meta{ID: job.DeriveID("agent")}, TaskID: task.ID, Role: toolRole, Tool: request.Name,
				ParentID: task.ParentAgentID, Depth: task.Depth,
			}
		}
		agent.Status, agent.AskedBy, agent.ToolCallID = nestor.SubAgentActive, task.AskedBy, job.DeriveID("call")
		path := agentPath(chat, agent.ID)
		if err := save(tx, path, agent); err != nil {
			return err
		}
		task.Status, task.SubAgentID, task.StartedAt, task.Error, task.EndedAt = nestor.TaskRunning, agent.ID, now(), "", 0
		if err := save(tx, p, task); err != nil {
			return err
		}
		return admit(tx, tools, path, agent, &nestor.ToolCall{
			Meta: nestor.Meta{ID: agent.ToolCallID}, AskedBy: task.AskedBy, EndsTask: true,
			ToolName: request.Name, Args: arguments(request), Status: nestor.ToolCallPending,
		})
	}, nil
}

// CheckTask reports why a task of type tool would fail before its tool is called.
func (a *Runner) CheckTask(ctx context.Context, task *nestor.Task) error {
	if task.Type != nestor.TaskTool {
		return nil
	}
	if _, err := toolRequest(a.Toolbox.anyones(ctx), task); err != nil {
		return nestor.Errorf(nestor.CodeInvalid, "%s", err)
	}
	return nil
}

// toolRequest is the call that a task asks for. The error says what is wrong with
// it, in words for who wrote the task.
func toolRequest(tools *tool.Registry, task *nestor.Task) (llm.ToolCall, error) {
	name, ok := strings.CutPrefix(task.Name, "tool:")
	if !ok || name == "" {
		return llm.ToolCall{}, nestor.Errorf(nestor.CodeInvalid, "the name of a task of type tool is tool: and a tool, such as tool:calculator, not %.100q", task.Name)
	}
	text := string(task.Args)
	if t, known := tools.Lookup(name); known && (text == "" || text == "null") {
		text = t.FromText(task.Instruction)
	}
	c := llm.ToolCall{Name: name, Arguments: text}
	return c, tools.Check(name, text)
}

// endToolTask ends a task with the call that it is. Nothing happens if the task
// has ended already, or goes on with another call since.
func endToolTask(tx store.Tx, path nestor.Path, call *nestor.ToolCall) error {
	agent, err := store.Find[nestor.SubAgent](tx, path)
	if err != nil || agent == nil || agent.ToolCallID != call.ID || agent.Status != nestor.SubAgentActive {
		return err
	}
	chat := chatOf(path)
	task, err := store.Find[nestor.Task](tx, taskPath(chat, agent.TaskID))
	if err != nil || task == nil || task.Status != nestor.TaskRunning {
		return err
	}
	switch call.Status {
	case nestor.ToolCallSuccess:
		return end(tx, chat, agent, task, nestor.TaskSuccess, call.Result)
	case nestor.ToolCallCancelled:
		return end(tx, chat, agent, task, nestor.TaskCancelled, call.Error)
	}
	return end(tx, chat, agent, task, nestor.TaskFailed, call.Error)
}

// taskCallEnded ends a task with its call if who ended the call has not: that is a
// program that takes the place of the tool runner.
func (a *Runner) taskCallEnded(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	path := job.Change.Path
	return func(tx store.Tx) error {
		call, err := store.Find[nestor.ToolCall](tx, path)
		if err != nil || call == nil || !call.EndsTask || !call.Status.Ended() {
			return err
		}
		return endToolTask(tx, path.Parent(), call)
	}, nil
}

// assignment says what a task is about.
func assignment(task *nestor.Task) string {
	if task.Type != nestor.TaskTool {
		return task.Instruction
	}
	what := task.Instruction
	if len(task.Args) > 0 {
		what = string(task.Args)
	}
	return strings.TrimSpace(strings.TrimPrefix(task.Name, "tool:") + " " + what)
}
