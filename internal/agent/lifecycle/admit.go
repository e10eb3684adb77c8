package lifecycle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
)

// Admit writes a call and sets it going, unless it is held; see
// [nestor.ToolCall.Held].
func Admit(tx store.Tx, tools *tool.Registry, path nestor.Path, agent *nestor.SubAgent, call *nestor.ToolCall) error {
	t, known := tools.Lookup(call.ToolName)
	switch {
	case controltool.Has(call.ToolName):
		call.Status = nestor.ToolCallRunning // no tool runner has to take it
	case known && t.Client:
		call.Status, call.Client, call.StartedAt = nestor.ToolCallRunning, true, chatdoc.Now() // the client runs it
	case known && t.NeedsApproval:
		call.Status = nestor.ToolCallAwaitingApproval
	}
	if known {
		call.Effect = string(t.Effect)
	}
	if !call.Held {
		return begin(tx, path, agent, call)
	}
	return chatdoc.Save(tx, path.Child("tool-calls", call.ID), call)
}

// begin writes a call that is not held, and does what the runtime does for it: a
// control call is carried out, and the chat is told of one that needs approval.
func begin(tx store.Tx, path nestor.Path, agent *nestor.SubAgent, call *nestor.ToolCall) error {
	if call.ToolName == controltool.CreateAgent {
		in, err := controltool.Decode(conversation.ArgumentText(call.Args), "type", "instruction")
		if err != nil {
			return err
		}
		return StartChild(tx, path, agent, call, in)
	}
	if err := chatdoc.Save(tx, path.Child("tool-calls", call.ID), call); err != nil || call.Status != nestor.ToolCallAwaitingApproval {
		return err
	}
	return chatdoc.Save(tx, chatdoc.ChatOf(path).Child("messages", nestor.DeriveID("approval", call.ID)), nestor.Message{
		Role: nestor.RoleSystem, Type: nestor.MessageStatus, Content: ApprovalNotice(call), TaskID: agent.TaskID, QuestionID: call.ID,
	})
}

// ApprovalNotice tells the chat that a call needs approval.
func ApprovalNotice(call *nestor.ToolCall) string {
	var args bytes.Buffer // as it is stored, without spaces
	if json.Compact(&args, call.Args) != nil {
		args.Reset()
		args.WriteString(conversation.ArgumentText(call.Args))
	}
	return fmt.Sprintf("The agent wants to call **%s** with `%s`. Approve, change or deny it.", call.ToolName, wording.Excerpt(args.String(), 500))
}

// StartChild gives a part of an agent's work to another one. The call stays open
// until that one's task ends; see AnswerParent.
func StartChild(tx store.Tx, path nestor.Path, agent *nestor.SubAgent, call *nestor.ToolCall, in map[string]string) error {
	chat, id := chatdoc.ChatOf(path), nestor.DeriveID("task", call.ID)
	parent, err := chatdoc.Get[nestor.Task](tx, chatdoc.TaskPath(chat, agent.TaskID))
	if err != nil {
		return err
	}
	call.Status, call.TaskID, call.StartedAt = nestor.ToolCallRunning, id, chatdoc.Now()
	if err := chatdoc.Save(tx, path.Child("tool-calls", call.ID), call); err != nil {
		return err
	}
	_, err = tx.Create(chatdoc.TaskPath(chat, id), nestor.Task{
		Type: nestor.TaskAgent, Name: "agent:" + strings.ToLower(in["type"]), Instruction: in["instruction"], Status: nestor.TaskPending,
		TriggerMessageID: parent.TriggerMessageID, ParentAgentID: agent.ID, ParentCallID: call.ID, Depth: parent.Depth + 1,
		AskedBy: agent.AskedBy, Title: in["title"], ResultSchema: controltool.FormIn(in),
	})
	return err
}
