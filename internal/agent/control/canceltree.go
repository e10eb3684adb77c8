package control

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
	"github.com/nestorhq/nestor/internal/store"
)

// cancelListed cancels a task that a query found. It is read once more: what
// was only listed may change before it is written, and this task may have been
// cancelled with the one above it.
func cancelListed(tx store.Tx, chat nestor.Path, id, reason string) error {
	task, err := chatdoc.Get[nestor.Task](tx, chatdoc.TaskPath(chat, id))
	if err != nil || task.Status.Ended() {
		return err
	}
	return cancelTree(tx, chat, &task, reason)
}

// cancelTree cancels a task, its agent with its open calls, and all tasks below, each after
// those that its agent created. Each is met once, so documents that lie in a circle are all
// cancelled, too.
func cancelTree(tx store.Tx, chat nestor.Path, top *nestor.Task, reason string) error {
	met := map[string]bool{top.ID: true}
	first, err := enter(tx, chat, top, reason)
	if err != nil {
		return err
	}
	for path := []*branch{first}; len(path) > 0; {
		last := path[len(path)-1]
		if len(last.children) == 0 {
			if err := lifecycle.End(tx, chat, last.agent, last.task, nestor.TaskCancelled, reason); err != nil {
				return err
			}
			path = path[:len(path)-1]
			continue
		}
		id := last.children[0]
		if last.children = last.children[1:]; met[id] {
			continue
		}
		met[id] = true
		task, err := chatdoc.Get[nestor.Task](tx, chatdoc.TaskPath(chat, id))
		if err != nil {
			return err
		}
		if task.Status.Ended() {
			continue
		}
		next, err := enter(tx, chat, &task, reason)
		if err != nil {
			return err
		}
		path = append(path, next)
	}
	return nil
}

// branch is a task that is being cancelled.
type branch struct {
	task     *nestor.Task
	agent    *nestor.SubAgent // nil if it has none yet
	children []string         // tasks of the agent that are left to cancel
}

// enter cancels the open calls of a task's agent, and lists the tasks that the agent created.
func enter(tx store.Tx, chat nestor.Path, task *nestor.Task, reason string) (*branch, error) {
	agent, err := chatdoc.FindAgent(tx, chat, task)
	if err != nil || agent == nil {
		return &branch{task: task}, err
	}
	path := chatdoc.AgentPath(chat, agent.ID)
	calls, err := chatdoc.All[nestor.ToolCall](tx, chatdoc.CallsOf(path))
	if err != nil {
		return nil, err
	}
	for _, listed := range calls {
		if listed.Status.Ended() {
			continue
		}
		if err := cancelCall(tx, agent, path.Child("tool-calls", listed.ID), reason); err != nil {
			return nil, err
		}
	}
	below := chatdoc.TasksOf(chat)
	below.Where = store.Where("parentAgentId", store.Eq, agent.ID)
	children, err := chatdoc.All[nestor.Task](tx, below)
	if err != nil {
		return nil, err
	}
	b := &branch{task: task, agent: agent}
	for _, listed := range children {
		if !listed.Status.Ended() {
			b.children = append(b.children, listed.ID)
		}
	}
	return b, nil
}

// cancelCall cancels a call of an agent. The participant of a chat may go on later, so
// its conversation and the chat are told what came of the call.
func cancelCall(tx store.Tx, agent *nestor.SubAgent, p nestor.Path, reason string) error {
	call, err := chatdoc.Get[nestor.ToolCall](tx, p)
	if err != nil || call.Status.Ended() {
		return err
	}
	call.Status, call.Error = nestor.ToolCallCancelled, reason
	if agent.Standing {
		call.Held = false
		if err := lifecycle.TellResult(tx, p.Parent(), &call); err != nil {
			return err
		}
		if err := lifecycle.Answer(tx, p.Parent(), call.ID, call.ToolName, "The call was "+reason+".", true); err != nil {
			return err
		}
	}
	return chatdoc.Save(tx, p, call)
}
