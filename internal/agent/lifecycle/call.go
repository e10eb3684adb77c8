package lifecycle

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/store"
)

// FinishCall writes the outcome of a call and the message that tells the model,
// and lets the next call go that waits for this one. A task that is the call has
// no model to tell: it ends. For every outcome but success text is the reason.
func FinishCall(
	tx store.Tx, agent nestor.Path, call *nestor.ToolCall, status nestor.ToolCallStatus, text string, files ...nestor.Part,
) error {
	content := Concluded(call, status, text)
	if err := TellResult(tx, agent, call, files...); err != nil {
		return err
	}
	if err := chatdoc.Save(tx, agent.Child("tool-calls", call.ID), call); err != nil {
		return err
	}
	if call.EndsTask {
		return EndToolTask(tx, agent, call)
	}
	if err := Answer(tx, agent, call.ID, call.ToolName, content, status == nestor.ToolCallFailed, files...); err != nil {
		return err
	}
	return ReleaseNext(tx, agent, call)
}

// Concluded gives a call its outcome and returns what the model is told.
func Concluded(call *nestor.ToolCall, status nestor.ToolCallStatus, text string) string {
	text = wording.Storable(text)
	call.Status, call.Held = status, false
	if status == nestor.ToolCallSuccess {
		call.Result, call.Error = text, ""
		return text
	}
	call.Error = text
	return text
}

// Answer writes the message that answers a call with the files that came with the
// result, and says whether the call failed. There is one for each, so its id derives from the call.
func Answer(tx store.Tx, agent nestor.Path, callID, name, content string, failed bool, files ...nestor.Part) error {
	_, err := tx.Create(agent.Child("messages", nestor.DeriveID("answer", callID)), nestor.SubAgentMessage{
		Role: nestor.RoleTool, Content: content, IsError: &failed, Parts: files, ToolCallID: callID, Name: name,
	})
	return err
}

// ReleaseNext lets the call go that waits for one that ended.
func ReleaseNext(tx store.Tx, agent nestor.Path, ended *nestor.ToolCall) error {
	if ended.Next == "" {
		return nil
	}
	p := agent.Child("tool-calls", ended.Next)
	next, err := store.Find[nestor.ToolCall](tx, p)
	if err != nil || next == nil || !next.Held || next.Status.Ended() {
		return err
	}
	sub, err := chatdoc.Get[nestor.SubAgent](tx, agent)
	if err != nil {
		return err
	}
	next.Held = false
	return begin(tx, agent, &sub, next)
}

// EndToolTask ends a task with the call that it is. Nothing happens if the task
// has ended already, or goes on with another call since.
func EndToolTask(tx store.Tx, path nestor.Path, call *nestor.ToolCall) error {
	agent, err := store.Find[nestor.SubAgent](tx, path)
	if err != nil || agent == nil || agent.ToolCallID != call.ID || agent.Status != nestor.SubAgentActive {
		return err
	}
	chat := chatdoc.ChatOf(path)
	task, err := store.Find[nestor.Task](tx, chatdoc.TaskPath(chat, agent.TaskID))
	if err != nil || task == nil || task.Status != nestor.TaskRunning {
		return err
	}
	switch call.Status {
	case nestor.ToolCallSuccess:
		return End(tx, chat, agent, task, nestor.TaskSuccess, call.Result)
	case nestor.ToolCallCancelled:
		return End(tx, chat, agent, task, nestor.TaskCancelled, call.Error)
	}
	return End(tx, chat, agent, task, nestor.TaskFailed, call.Error)
}
