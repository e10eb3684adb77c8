package lifecycle

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/store"
)

// A standing agent answers in its chat itself: the chat is told of its calls and of
// their results in the transactions that write them. What is long is shortened there,
// since the whole is in the call.

// told is how much of a result, and of the arguments of a call, a chat is told.
const told = 1_000

// TellCalls is a message about the calls of a reply, as a chat is told of them.
func TellCalls(agent *nestor.SubAgent, text string, calls []nestor.ToolRequest, meta *nestor.MessageMetadata) nestor.Message {
	short := make([]nestor.ToolRequest, len(calls))
	for i, c := range calls {
		if short[i] = c; len(c.Function.Arguments) > told {
			short[i].Function.Arguments = ""
		}
		short[i].Signature, short[i].ProviderID = "", "" // only the agent's own conversation needs them
	}
	return nestor.Message{
		Role: nestor.RoleAssistant, Type: nestor.MessageToolCall, Content: text, ToolCalls: short,
		TaskID: agent.TaskID, SubAgentID: agent.ID, IsLLMMessage: new(false), Metadata: meta,
	}
}

// TellResult tells the chat what came of a call, with its files, if it is to be told and
// was not. The call is changed, not written.
func TellResult(tx store.Tx, agent nestor.Path, call *nestor.ToolCall, files ...nestor.Part) error {
	if !call.Untold || !call.Status.Ended() {
		return nil
	}
	call.Untold = false
	sub, err := store.Find[nestor.SubAgent](tx, agent)
	if err != nil || sub == nil {
		return err
	}
	content := call.Result
	if call.Status != nestor.ToolCallSuccess {
		content = call.Error
	}
	return chatdoc.Save(tx, chatdoc.ChatOf(agent).Child("messages", nestor.DeriveID("result", call.ID)), nestor.Message{
		Role: nestor.RoleTool, Type: nestor.MessageToolResult, Content: wording.Excerpt(content, told), Parts: files, ToolCallID: call.ID,
		TaskID: sub.TaskID, SubAgentID: sub.ID, IsLLMMessage: new(false),
	})
}
