package agent

import (
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/store"
)

// end brings a task and its agent to their end together, and tells the agent
// that waits for them, if one does. The chat hears of it through a trigger.
// agent is nil for a task that never got one. A task that has ended already
// stays as it is; with an agent that had not, somebody ended both since the
// agent was read, and the transaction is to run again.
func end(tx store.Tx, chat nestor.Path, agent *nestor.SubAgent, task *nestor.Task, status nestor.TaskStatus, text string) error {
	if !task.Status.CanBecome(status) {
		if agent != nil {
			return store.ErrRetry
		}
		return nil
	}
	task.Status, task.Question, task.Paused, task.EndedAt = status, "", false, now()
	if status == nestor.TaskSuccess {
		task.Result, task.Error = text, ""
	} else {
		task.Error = text
	}
	var used budget.Used
	if agent != nil {
		agent.Status, agent.Paused = agentStatus[status], nil
		if status == nestor.TaskSuccess {
			agent.Summary = excerpt(oneLine(text), 280)
		}
		used = rollUp(agent, task)
		if err := save(tx, agentPath(chat, agent.ID), agent); err != nil {
			return err
		}
	}
	if err := save(tx, taskPath(chat, task.ID), task); err != nil {
		return err
	}
	if task.ParentCallID != "" && status != nestor.TaskCancelled { // whoever cancels tells those above
		if err := answerParent(tx, chat, task); err != nil {
			return err
		}
	}
	return charge(tx, chat, task.AskedBy, used)
}

var agentStatus = map[nestor.TaskStatus]nestor.SubAgentStatus{
	nestor.TaskSuccess:   nestor.SubAgentCompleted,
	nestor.TaskFailed:    nestor.SubAgentFailed,
	nestor.TaskCancelled: nestor.SubAgentCancelled,
}

// answerParent gives the result of a task to the agent that created it: it has
// waited like for a tool. One that was answered already stays so.
func answerParent(tx store.Tx, chat nestor.Path, task *nestor.Task) error {
	if task.ParentCallID == "" {
		return nil
	}
	parent := agentPath(chat, task.ParentAgentID)
	call, err := store.Find[nestor.ToolCall](tx, parent.Child("tool-calls", task.ParentCallID))
	if err != nil || call == nil || call.Status.Ended() {
		return err
	}
	call.DurationMS = max(now()-call.StartedAt, 0)
	if task.Status == nestor.TaskSuccess {
		return finishCall(tx, parent, call, nestor.ToolCallSuccess, task.Result)
	}
	return finishCall(tx, parent, call, nestor.ToolCallFailed, "the agent failed: "+task.Error)
}

// finishCall writes the outcome of a call and the message that tells the model,
// and lets the next call go that waits for this one. A task that is the call has
// no model to tell: it ends. For every outcome but success text is the reason.
func finishCall(
	tx store.Tx, agent nestor.Path, call *nestor.ToolCall, status nestor.ToolCallStatus, text string, media ...nestor.Media,
) error {
	content := concluded(call, status, text)
	if err := save(tx, agent.Child("tool-calls", call.ID), call); err != nil {
		return err
	}
	if call.EndsTask {
		return endToolTask(tx, agent, call)
	}
	if err := answer(tx, agent, call.ID, call.ToolName, content, status == nestor.ToolCallFailed, media...); err != nil {
		return err
	}
	return release(tx, agent, call)
}

// concluded gives a call its outcome and returns what the model is told.
func concluded(call *nestor.ToolCall, status nestor.ToolCallStatus, text string) string {
	text = storable(text)
	call.Status, call.Held = status, false
	if status == nestor.ToolCallSuccess {
		call.Result, call.Error = text, ""
		return text
	}
	call.Error = text
	return text
}

// answer writes the message that answers a call, and says whether the call
// failed. There is one for each, so its id derives from the call.
func answer(tx store.Tx, agent nestor.Path, callID, name, content string, failed bool, media ...nestor.Media) error {
	_, err := tx.Create(agent.Child("messages", nestor.DeriveID("answer", callID)), nestor.SubAgentMessage{
		Role: nestor.RoleTool, Content: content, IsError: &failed, Media: media, ToolCallID: callID, Name: name,
	})
	return err
}

// release lets the call go that waits for one that ended.
func release(tx store.Tx, agent nestor.Path, ended *nestor.ToolCall) error {
	if ended.Next == "" {
		return nil
	}
	p := agent.Child("tool-calls", ended.Next)
	next, err := store.Find[nestor.ToolCall](tx, p)
	if err != nil || next == nil || !next.Held || next.Status.Ended() {
		return err
	}
	sub, err := get[nestor.SubAgent](tx, agent)
	if err != nil {
		return err
	}
	next.Held = false
	return begin(tx, agent, &sub, next)
}

// rollUp adds what an agent used since the last time to its task, and returns
// what is to be charged.
func rollUp(agent *nestor.SubAgent, task *nestor.Task) budget.Used {
	used := budget.Used{CostMicros: agent.CostMicros - task.CostMicros, Calls: agent.IterationCount - task.Steps}
	if u := agent.Usage; u != nil {
		used.Usage = *u
		if before := task.Usage; before != nil {
			used.Usage = nestor.Usage{
				InputTokens:       u.InputTokens - before.InputTokens,
				CachedInputTokens: u.CachedInputTokens - before.CachedInputTokens,
				OutputTokens:      u.OutputTokens - before.OutputTokens,
				ReasoningTokens:   u.ReasoningTokens - before.ReasoningTokens,
				Estimated:         u.Estimated && u.Tokens() > before.Tokens(),
			}
		}
	}
	task.Usage, task.CostMicros, task.Steps = agent.Usage, agent.CostMicros, agent.IterationCount
	used.Model = agent.Model
	return used
}

// charge adds what was used to the chat and to the day of who pays: of the
// askers the one who spoke last. It comes last in a transaction: everything that
// the user does at once waits for these.
func charge(tx store.Tx, chat nestor.Path, askers nestor.Askers, used budget.Used) error {
	if used.Calls == 0 && used.Usage == (nestor.Usage{}) {
		return nil
	}
	c, err := store.Find[nestor.Chat](tx, chat)
	if err != nil {
		return err
	}
	if c != nil { // else deleted meanwhile; whatever else is written will say so
		c.Usage = c.Usage.Add(&used.Usage)
		c.CostMicros += used.CostMicros
		if err := save(tx, chat, c); err != nil {
			return err
		}
	}
	return budget.Record(tx, time.Now(), askers.Or(chat.UserID()).Payer(), used)
}
