package toolrun

import (
	"context"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
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

// InitTool makes the call of a new task of type tool, or of one that is tried
// again, and sets the task running, in one transaction. A call that makes no sense
// fails the task.
func (runner *Runner) InitTool(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	p := job.Change.Path
	tools := runner.Toolbox.anyones(ctx)
	return func(tx store.Tx) error {
		task, err := store.Find[nestor.Task](tx, p)
		if err != nil || task == nil || task.Status != nestor.TaskPending || task.Type != nestor.TaskTool {
			return err
		}
		chat := chatdoc.ChatOf(p)
		agent, err := chatdoc.FindAgent(tx, chat, task)
		if err != nil {
			return err
		}
		request, err := toolRequest(tools, task)
		if err != nil {
			return lifecycle.End(tx, chat, agent, task, nestor.TaskFailed, err.Error())
		}
		if agent == nil {
			agent = &nestor.SubAgent{
				Meta: nestor.Meta{ID: job.DeriveID("agent")}, TaskID: task.ID, Role: toolRole, Tool: request.Name,
				ParentID: task.ParentAgentID, Depth: task.Depth,
			}
		}
		agent.Status, agent.AskedBy, agent.ToolCallID = nestor.SubAgentActive, task.AskedBy, job.DeriveID("call")
		path := chatdoc.AgentPath(chat, agent.ID)
		if err := chatdoc.Save(tx, path, agent); err != nil {
			return err
		}
		task.Status, task.SubAgentID, task.StartedAt, task.Error, task.EndedAt = nestor.TaskRunning, agent.ID, chatdoc.Now(), "", 0
		if err := chatdoc.Save(tx, p, task); err != nil {
			return err
		}
		return lifecycle.Admit(tx, tools, path, agent, &nestor.ToolCall{
			Meta: nestor.Meta{ID: agent.ToolCallID}, AskedBy: task.AskedBy, EndsTask: true,
			ToolName: request.Name, Args: conversation.Arguments(request), Status: nestor.ToolCallPending,
		})
	}, nil
}

// CheckTask reports why a task would fail before its tool is called, or its agent begins.
func (runner *Runner) CheckTask(ctx context.Context, task *nestor.Task) error {
	if task.Type != nestor.TaskTool {
		if _, err := controltool.NewForm(task.ResultSchema); task.ResultSchema != nil && err != nil {
			return nestor.Errorf(nestor.CodeOf(err), "%s", err).With("field", "resultSchema")
		}
		return nil
	}
	tools := runner.Toolbox.anyones(ctx)
	_, err := toolRequest(tools, task)
	if err == nil {
		return nil
	}
	field := "args"
	if _, known := tools.Lookup(strings.TrimPrefix(task.Name, "tool:")); !known {
		field = "name"
	}
	return nestor.Errorf(nestor.CodeInvalid, "%s", err).With("field", field)
}

// toolRequest is the call that a task asks for. The error says what is wrong with
// it, in words for the author of the task.
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
