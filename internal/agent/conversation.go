package agent

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
)

// conversation is an agent's messages, in the order of the log. Who speaks to an
// agent writes its document, too, so that is the order in which they came to
// light; the times of two transactions say nothing about that.
type conversation []nestor.SubAgentMessage

func readConversation(r store.Reader, agent nestor.Path) (conversation, error) {
	said, err := all[nestor.SubAgentMessage](r, messagesOf(agent))
	slices.SortFunc(said, func(a, b nestor.SubAgentMessage) int { return cmp.Compare(a.Seq, b.Seq) })
	return said, err
}

// waits reports whether a tool call of the agent is unanswered. The model is not
// asked before all are: no request with an open call ever leaves.
func (c conversation) waits() bool {
	for i := len(c) - 1; i >= 0; i-- {
		if c[i].Role == nestor.RoleAssistant { // so what it said before is answered
			return slices.ContainsFunc(c[i].ToolCalls, func(t nestor.ToolRequest) bool { return !c.answers(t.ID) })
		}
	}
	return false
}

func (c conversation) answers(callID string) bool {
	for i := range c {
		if c[i].ToolCallID == callID {
			return true
		}
	}
	return false
}

func (c conversation) has(id string) bool {
	for i := range c {
		if c[i].ID == id {
			return true
		}
	}
	return false
}

// system is the agent's instructions.
func (c conversation) system() string {
	for _, m := range c {
		if m.Role == nestor.RoleSystem && m.Type != nestor.MessageError && m.Type != nestor.MessageSummary {
			return m.Content
		}
	}
	return ""
}

// turns is the conversation as a model is shown it: ordered, with the latest
// summary in place of what it covers. newest is the last of the messages, "" if
// that is what the model said itself: then there is nothing new for it.
func (c conversation) turns() (turns []condense.Turn, newest string) {
	turns = c.ordered()
	if n := len(turns); n > 0 && turns[n-1].Message.Role != llm.RoleAssistant {
		newest = turns[n-1].ID
	}
	for i := len(c) - 1; i >= 0; i-- {
		if c[i].Type == nestor.MessageSummary {
			return summarized(turns, &c[i]), newest
		}
	}
	return turns, newest
}

// ordered is all that was said: tool results right after their calls and in
// their order, and what came while the model was speaking after what it said.
func (c conversation) ordered() []condense.Turn {
	results := make(map[string]*nestor.SubAgentMessage, len(c)/2)
	for i := range c {
		if m := &c[i]; m.Role == nestor.RoleTool {
			results[m.ToolCallID] = m
		}
	}
	turns := make([]condense.Turn, 0, len(c))
	for i := range c {
		m := &c[i]
		switch {
		case m.Role == nestor.RoleUser:
			turns = append(turns, condense.Turn{ID: m.ID, Message: userTurn(m.Content)})
		case m.Role == nestor.RoleAssistant:
			late := unseenBy(turns, m.RepliesTo)
			kept := slices.Clone(turns[late:])
			turns = append(turns[:late], condense.Turn{ID: m.ID, Message: assistantTurn(m.Content, m.ToolCalls, m.Metadata)})
			for _, call := range m.ToolCalls {
				if result, ok := results[call.ID]; ok {
					turns = append(turns, condense.Turn{ID: result.ID, Message: toolTurn(call, result.Content)})
				}
			}
			turns = append(turns, kept...)
		}
	}
	return turns
}

// unseenBy is where the messages of users that a reply did not know begin.
func unseenBy(turns []condense.Turn, seen string) int {
	i := len(turns)
	for i > 0 && turns[i-1].Message.Role == llm.RoleUser && turns[i-1].ID != seen {
		i--
	}
	if i == 0 || turns[i-1].ID != seen {
		return len(turns) // it is not told what the reply knew
	}
	return i
}

func summarized(turns []condense.Turn, summary *nestor.SubAgentMessage) []condense.Turn {
	through := slices.IndexFunc(turns, func(t condense.Turn) bool { return t.ID == summary.RepliesTo })
	return append([]condense.Turn{condense.SummaryTurn(summary.ID, summary.Content)}, turns[through+1:]...)
}

func userTurn(text string) llm.Message {
	return llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: text}}}
}

func toolTurn(call nestor.ToolRequest, content string) llm.Message {
	return llm.Message{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{
		CallID: call.ID, Name: call.Function.Name, Content: content, IsError: strings.HasPrefix(content, errorPrefix),
	}}}
}

// errorPrefix begins the result of a failed call, as [tool.Result.Text] has it.
const errorPrefix = "Error: "

func assistantTurn(text string, calls []nestor.ToolRequest, meta *nestor.MessageMetadata) llm.Message {
	m := llm.Message{Role: llm.RoleAssistant}
	for _, block := range reasoningOf(meta) {
		m.Parts = append(m.Parts, block)
	}
	if text != "" {
		m.Parts = append(m.Parts, llm.Text{Text: text})
	}
	for _, c := range calls {
		m.Parts = append(m.Parts, llm.ToolCall{
			ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments, Signature: c.Signature,
		})
	}
	return m
}

func reasoningOf(meta *nestor.MessageMetadata) []llm.Reasoning {
	if meta == nil || len(meta.Reasoning) == 0 {
		return nil
	}
	var blocks []llm.Reasoning
	if json.Unmarshal(meta.Reasoning, &blocks) != nil {
		return nil // somebody else's; not worth failing for
	}
	return blocks
}
