package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// The handlers of what agents do for nodes.
const (
	AgentEndedStage = "node-agent-ended"
	StopAgentStage  = "node-agent-stop"
	PauseAgentStage = "node-agent-pause"
)

// AgentChat begins the ids of chats in which agents work for nodes. By it a reaction
// tells their tasks from all others without reading anything.
const AgentChat = "graph-"

// agentChatOf is the id of the chat in which an agent works for a resolution, in one of its
// attempts. waitsFor finds the resolution by it.
func agentChatOf(resolution nestor.Path, attempt int) string {
	return fmt.Sprintf("%s%s-%s-%d", AgentChat, resolution.Parent().ID(), resolution.ID(), attempt)
}

// waitsFor is the resolution that waits for the agent of a chat, "" if none does.
func waitsFor(chat nestor.Path) nestor.Path {
	parts := strings.Split(strings.TrimPrefix(chat.ID(), AgentChat), "-")
	if len(parts) < 3 {
		return ""
	}
	last := len(parts) - 2
	return record.ExecutionAt(chat.UserID(), strings.Join(parts[:last], "-")).Child("resolutions", parts[last])
}

// agentTaskStart begins the id of the one task in such a chat that a node waits for. The
// rest is that of the chat: clients keep the tasks of all chats by their ids.
const agentTaskStart = "errand-"

// taskIn is where that task lies.
func taskIn(chat nestor.Path) nestor.Path {
	return chat.Child("tasks", agentTaskStart+strings.TrimPrefix(chat.ID(), AgentChat))
}

var agentReactions = []nestor.Trigger{{
	ID: "node-agent-ended", Collection: "users/*/orch-chats/*/tasks", Events: []nestor.ChangeType{nestor.Update, nestor.Delete},
	Condition: "event.path.contains('/orch-chats/" + AgentChat + "') && event.path.contains('/tasks/" + agentTaskStart + "') && " +
		"(event.type == 'delete' || event.document.data.status != event.before.data.status && event.document.data.status in ['success', 'failed', 'cancelled'])",
	Action: "POST /webhook/" + AgentEndedStage,
}, {
	ID: "node-agent-unwanted", Collection: "users/*/agent-graph-executions/*/resolutions", Events: []nestor.ChangeType{nestor.Update, nestor.Delete},
	Condition: "event.type == 'delete' && has(event.before.data.chatId) && event.before.data.status == 'running' || " +
		"event.type == 'update' && event.document.data.status == 'cancelled' && event.before.data.status == 'running' && has(event.document.data.chatId)",
	Action: "POST /webhook/" + StopAgentStage,
}, {
	ID: "node-agent-paused", Collection: "users/*/agent-graph-executions/*/resolutions", Events: []nestor.ChangeType{nestor.Update},
	Condition: "event.document.data.status == 'running' && has(event.document.data.chatId) && has(event.document.data.paused) != has(event.before.data.paused)",
	Action:    "POST /webhook/" + PauseAgentStage,
}}

// delegate gives the work of a turn to an agent, in a chat of its own. The resolution
// goes on to run until the agent's task ends.
func (e *Engine) delegate(t *turn) worker.Effect {
	if t.resolution.ChatID != "" {
		return nil // an earlier run of this job did
	}
	err := e.complete(t)
	var errand Errand
	if err == nil {
		errand, err = e.types[t.node.NodeID].Errand(e.call(t))
	}
	if err != nil {
		return e.finish(t, nil, t.failure(err))
	}
	return func(tx store.Tx) error {
		r, err := store.Find[record.Resolution](tx, t.path)
		if err != nil || r == nil || r.Status != record.ResolutionRunning || r.Paused || r.ChatID != "" || r.RetryTime != t.resolution.RetryTime {
			return err
		}
		r.ChatID, r.RetryTime = agentChatOf(t.path, r.AttemptAt(0)), 0
		chat := chatOf(t.path, r.ChatID)
		if err := account.NewChat(tx, chat, t.execution.Name+": "+t.node.ID); err != nil {
			return err
		}
		if _, err := tx.Create(taskIn(chat), nestor.Task{
			Type: nestor.TaskAgent, Name: "agent:" + errand.Role, Status: nestor.TaskPending, Instruction: errand.Instruction, ResultSchema: errand.ResultSchema,
		}); err != nil {
			return err
		}
		_, err = tx.Put(t.path, r, store.AnyVersion)
		return err
	}
}

func chatOf(resolution nestor.Path, id string) nestor.Path {
	return record.Of(resolution.UserID()).Child("orch-chats", id)
}

// AgentEnded finishes the resolution that waits for a task of an agent.
func (e *Engine) AgentEnded(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	return func(tx store.Tx) error {
		at := job.Change.Path
		resolution := waitsFor(at.Parent())
		if resolution == "" {
			return nil
		}
		t, err := e.readAt(tx, resolution, e.asker.NewBill(job.ID, at.UserID()))
		if err != nil || t == nil || t.resolution.ChatID != at.Parent().ID() {
			return err
		}
		task, err := store.Find[nestor.Task](tx, at)
		if err != nil {
			return err
		}
		if task != nil && !task.Status.Ended() {
			return nil // somebody has it go on
		}
		out, failure := outcome(t, task)
		if task != nil && task.Status == nestor.TaskFailed && t.again(0, failure) {
			_, err := tx.Put(t.path, t.resolution, store.AnyVersion)
			return err
		}
		return e.merge(tx, t, out, failure)
	}, nil
}

// outcome is what the end of an agent's task means for its node.
func outcome(t *turn, task *nestor.Task) (map[string]json.RawMessage, *record.Failure) {
	switch {
	case task == nil:
		return nil, t.failure(nestor.Errorf(nestor.CodeCancelled, "the task of the agent was deleted"))
	case task.Status == nestor.TaskCancelled:
		return nil, t.failure(nestor.Errorf(nestor.CodeCancelled, "the task of the agent was cancelled"))
	case task.Outcome == nestor.TaskCouldNot: // another attempt is no better
		return nil, t.failure(nestor.Errorf(nestor.CodeInvalid, "the agent could not do it: %s", task.Error))
	case task.Status == nestor.TaskFailed:
		return nil, t.failure(nestor.Errorf(nestor.CodeUnavailable, "the agent failed: %s", task.Error))
	}
	result := Outputs{"done": true, "text": task.Result}
	if task.ResultSchema != nil {
		result["value"] = json.RawMessage(task.Result)
	}
	out, err := encode(result)
	if err != nil {
		return nil, t.failure(err)
	}
	return out, nil
}

// AgentUnwanted stops an agent whose node was cancelled or deleted.
func (e *Engine) AgentUnwanted(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	at := job.Change.Path
	was := job.Change.Before // of a resolution that was deleted
	if job.Change.Type != nestor.Delete {
		err := e.Store.View(ctx, func(docs store.Reader) (err error) {
			was, err = store.FindDocument(docs, at)
			return err
		})
		if err != nil || was == nil {
			return nil, err // if it was deleted since, another job stops its agent
		}
	}
	r, err := nestor.As[record.Resolution](was)
	if err != nil {
		return nil, err
	}
	err = e.StopAgent(ctx, taskIn(chatOf(at, r.ChatID)), at.UserID())
	if errors.Is(err, nestor.ErrNotFound) {
		err = nil // its chat was deleted
	}
	return nil, err
}
