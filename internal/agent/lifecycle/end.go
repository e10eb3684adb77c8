package lifecycle

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/billing"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/store"
)

// End brings a task and its agent to their end together, and tells the agent that
// waits for them, if one does. The chat hears of it through a trigger. agent is
// nil for a task that never got one. A task that has ended already stays as it
// is. If it has an agent, somebody ended both after the agent was read: the
// transaction runs again.
func End(tx store.Tx, chat nestor.Path, agent *nestor.SubAgent, task *nestor.Task, status nestor.TaskStatus, text string) error {
	return end(tx, chat, agent, task, status, "", text)
}

// EndUndone ends both when the agent says in its answer that the task could not be
// done: for whoever waits that is no success.
func EndUndone(tx store.Tx, chat nestor.Path, agent *nestor.SubAgent, task *nestor.Task, answer string) error {
	return end(tx, chat, agent, task, nestor.TaskFailed, nestor.TaskCouldNot, answer)
}

func end(
	tx store.Tx, chat nestor.Path, agent *nestor.SubAgent, task *nestor.Task, status nestor.TaskStatus, outcome nestor.TaskOutcome, text string,
) error {
	if !task.Status.CanBecome(status) {
		if agent != nil {
			return store.ErrRetry
		}
		return nil
	}
	task.Status, task.Outcome, task.Question, task.Paused, task.EndedAt = status, outcome, "", false, chatdoc.Now()
	if status == nestor.TaskSuccess {
		task.Result, task.Error = text, ""
	} else {
		task.Error = text
	}
	var used budget.Used
	if agent != nil {
		agent.Status, agent.Paused = agentStatus[status], nil
		if status == nestor.TaskSuccess || outcome != "" {
			agent.Summary = wording.Excerpt(wording.OneLine(text), 280)
		}
		used = billing.RollUp(agent, task)
		if err := chatdoc.Save(tx, chatdoc.AgentPath(chat, agent.ID), agent); err != nil {
			return err
		}
	}
	if err := chatdoc.Save(tx, chatdoc.TaskPath(chat, task.ID), task); err != nil {
		return err
	}
	if task.ParentCallID != "" && status != nestor.TaskCancelled { // whoever cancels tells those above
		if err := AnswerParent(tx, chat, task); err != nil {
			return err
		}
	}
	return billing.Charge(tx, chat, task.AskedBy, used)
}

var agentStatus = map[nestor.TaskStatus]nestor.SubAgentStatus{
	nestor.TaskSuccess:   nestor.SubAgentCompleted,
	nestor.TaskFailed:    nestor.SubAgentFailed,
	nestor.TaskCancelled: nestor.SubAgentCancelled,
}

// AnswerParent gives the result of a task to the agent that created it, as the
// result of the call that waits for it. A call that has ended stays as it is. One that is a
// task itself waits for its tool and for no other task; so one end never leads to another.
func AnswerParent(tx store.Tx, chat nestor.Path, task *nestor.Task) error {
	if task.ParentCallID == "" {
		return nil
	}
	parent := chatdoc.AgentPath(chat, task.ParentAgentID)
	call, err := store.Find[nestor.ToolCall](tx, parent.Child("tool-calls", task.ParentCallID))
	if err != nil || call == nil || call.Status.Ended() || call.EndsTask {
		return err
	}
	call.DurationMS = max(chatdoc.Now()-call.StartedAt, 0)
	switch {
	case task.Status == nestor.TaskSuccess:
		return FinishCall(tx, parent, call, nestor.ToolCallSuccess, task.Result)
	case task.Outcome == nestor.TaskCouldNot:
		return FinishCall(tx, parent, call, nestor.ToolCallFailed, "could not: "+task.Error)
	}
	return FinishCall(tx, parent, call, nestor.ToolCallFailed, "the agent failed: "+task.Error)
}
