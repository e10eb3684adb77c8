package conversation

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"
	"unique"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
)

// Messages are an agent's messages, in the order of the log. Everybody who speaks
// to an agent writes its document, too, so this is the order in which they were
// committed; the times of two transactions do not tell it.
type Messages []*Utterance

// Utterance is a message, and what a model is shown of it.
type Utterance struct {
	nestor.SubAgentMessage
	turn condense.Turn
	// answer is the turn as the answer to its call; see answering.
	answer atomic.Pointer[condense.Turn]
}

// refused reports whether the message is what a model said before it declined.
// People see it; the model is asked as if it had said nothing.
func (u *Utterance) refused() bool {
	return u.Metadata != nil && u.Metadata.FinishReason == string(llm.ReasonRefusal)
}

// NewUtterance is a message with what a model is shown of it.
func NewUtterance(m nestor.SubAgentMessage) *Utterance {
	u := &Utterance{SubAgentMessage: m, turn: condense.Turn{ID: m.ID}}
	switch m.Role {
	case nestor.RoleSystem:
		u.Content = unique.Make(m.Content).Value() // agents of a role have the same
	case nestor.RoleUser:
		u.turn.Message = Spoken("", m.Content, m.Parts)
	case nestor.RoleAssistant:
		if isInterrupted(m.Metadata) {
			m.Content += interruptedMark
		}
		u.turn.Message = AssistantTurn(m.Content, m.ToolCalls, m.Metadata)
	case nestor.RoleTool:
		u.turn.Message = toolTurn(m.ToolCallID, m.Name, &m)
	}
	return u
}

// ReadMessages reads all that was said to an agent and by it.
func ReadMessages(r store.Reader, agent nestor.Path) (Messages, error) {
	messages, err := chatdoc.All[nestor.SubAgentMessage](r, chatdoc.MessagesOf(agent))
	slices.SortFunc(messages, func(a, b nestor.SubAgentMessage) int { return cmp.Compare(a.CreatedSeq, b.CreatedSeq) })
	said := make(Messages, len(messages))
	for i, m := range messages {
		said[i] = NewUtterance(m)
	}
	return said, err
}

// Waits reports whether a tool call of the agent is unanswered. The model is not
// asked before all are: no request with an open call ever leaves.
func (c Messages) Waits() bool { return len(c.Open()) > 0 }

// Open are the tool calls that are unanswered.
func (c Messages) Open() (open []nestor.ToolRequest) {
	for i := len(c) - 1; i >= 0; i-- {
		if c[i].Role != nestor.RoleAssistant || c[i].refused() {
			continue
		}
		for _, t := range c[i].ToolCalls {
			if !c.answers(t.ID) {
				open = append(open, t)
			}
		}
		return open // it was asked again, so all before is answered
	}
	return nil
}

// CallsOf are the ids of the calls that a message asks for.
func (c Messages) CallsOf(message string) (ids []string) {
	for _, m := range c {
		if m.ID == message {
			for _, t := range m.ToolCalls {
				ids = append(ids, t.ID)
			}
		}
	}
	return ids
}

// SpokenAfter reports whether somebody spoke to the agent after a message.
func (c Messages) SpokenAfter(message string) bool {
	at := slices.IndexFunc(c, func(m *Utterance) bool { return m.ID == message })
	return slices.ContainsFunc(c[at+1:], func(m *Utterance) bool { return m.Role == nestor.RoleUser })
}

func (c Messages) answers(callID string) bool {
	for i := range c {
		if c[i].ToolCallID == callID {
			return true
		}
	}
	return false
}

// Has reports whether there is a message of this id.
func (c Messages) Has(id string) bool {
	for i := range c {
		if c[i].ID == id {
			return true
		}
	}
	return false
}

func (c Messages) interrupted(id string) bool {
	return slices.ContainsFunc(c, func(u *Utterance) bool { return u.ID == id && isInterrupted(u.Metadata) })
}

// System is the agent's instructions: the latest, if they changed.
func (c Messages) System() string {
	for _, m := range slices.Backward(c) {
		if m.Role == nestor.RoleSystem && m.Type != nestor.MessageError && m.Type != nestor.MessageSummary {
			return m.Content
		}
	}
	return ""
}

// Turns is the conversation as a model is shown it: ordered, with the latest
// summary in place of what it covers. newest is the last of the messages, "" if
// that is what the model said itself: then there is nothing new for it, unless
// it was interrupted. Then it is asked to go on.
func (c Messages) Turns() (turns []condense.Turn, newest string) {
	turns = c.ordered()
	if n := len(turns); n > 0 {
		last := turns[n-1]
		switch {
		case last.Message.Role != llm.RoleAssistant:
			newest = last.ID
		case c.interrupted(last.ID):
			newest = last.ID
			turns = append(turns, condense.Turn{ID: last.ID, Message: UserTurn("Go on.")})
		}
	}
	for i := len(c) - 1; i >= 0; i-- {
		if c[i].Type == nestor.MessageSummary {
			return c.summarized(turns, c[i]), newest
		}
	}
	return turns, newest
}

// ordered is all that was said: tool results right after their calls and in
// their order, and what came while the model was speaking after what it said.
func (c Messages) ordered() []condense.Turn {
	results := make(map[string]*Utterance, len(c)/2)
	for _, u := range c {
		if u.Role == nestor.RoleTool {
			results[u.ToolCallID] = u
		}
	}
	turns := make([]condense.Turn, 0, len(c))
	for _, u := range c {
		switch u.Role {
		case nestor.RoleUser:
			turns = append(turns, u.turn)
		case nestor.RoleAssistant:
			if u.refused() {
				continue
			}
			late := unseenBy(turns, u.RepliesTo)
			kept := slices.Clone(turns[late:])
			turns = append(turns[:late], u.turn)
			for _, call := range u.ToolCalls {
				if result, ok := results[call.ID]; ok {
					turns = append(turns, result.answering(call))
				}
			}
			turns = append(turns, kept...)
		}
	}
	return turns
}

// answering is the result of a call: under the id that the provider knows, and
// with the tool's name, which its writer may have left out. It is made once, so
// that a provider sees the same parts at every step and can keep what it made of
// them.
func (u *Utterance) answering(call nestor.ToolRequest) condense.Turn {
	if u.Name == call.Function.Name && call.ProviderID == "" {
		return u.turn
	}
	if made := u.answer.Load(); made != nil {
		return *made
	}
	made := condense.Turn{ID: u.ID, Message: toolTurn(call.ID, call.Function.Name, &u.SubAgentMessage)}
	result := made.Message.Parts[0].(llm.ToolResult)
	result.ProviderID = call.ProviderID
	made.Message.Parts[0] = result
	u.answer.CompareAndSwap(nil, &made)
	return *u.answer.Load()
}

// unseenBy is the index of the first message of a user that a reply did not know.
func unseenBy(turns []condense.Turn, seen string) int {
	i := len(turns)
	for i > 0 && turns[i-1].Message.Role == llm.RoleUser && turns[i-1].ID != seen {
		i--
	}
	if i == 0 || turns[i-1].ID != seen {
		return len(turns) // nobody noted what the reply knew
	}
	return i
}

// Spoken is what a person says in a message, below a text. The files of its parts are
// yet to be loaded.
func Spoken(before, content string, parts []nestor.Part) llm.Message {
	if len(parts) == 0 {
		return UserTurn(before + content)
	}
	m := llm.Message{Role: llm.RoleUser}
	if before != "" {
		m.Parts = append(m.Parts, llm.Text{Text: strings.TrimSpace(before)})
	}
	for _, p := range parts {
		if p.Type == nestor.PartText {
			m.Parts = append(m.Parts, llm.Text{Text: p.Text})
		} else {
			m.Parts = append(m.Parts, attachedFile(p))
		}
	}
	return m
}

func attachedFile(p nestor.Part) llm.Media {
	return llm.Media{MIMEType: p.MediaType, Name: p.Name, FileID: p.FileID}
}

// UserTurn is what a person says, or the runtime in the role of one.
func UserTurn(text string) llm.Message {
	return llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: text}}}
}

func toolTurn(callID, name string, m *nestor.SubAgentMessage) llm.Message {
	content, failed := m.Outcome()
	result := llm.ToolResult{CallID: callID, Name: name, Content: content, IsError: failed}
	for _, one := range m.Media {
		data := one.Bytes()
		if !failed && len(data) > 0 && one.MIMEType != "" { // other programs write results, too
			result.Media = append(result.Media, llm.Media{MIMEType: one.MIMEType, Data: data, Name: one.Name})
		}
	}
	for _, p := range m.Parts {
		if !failed && p.FileID != "" {
			result.Media = append(result.Media, attachedFile(p))
		}
	}
	return llm.Message{Role: llm.RoleTool, Parts: []llm.Part{result}}
}

// AssistantTurn is what the model said itself.
func AssistantTurn(text string, calls []nestor.ToolRequest, meta *nestor.MessageMetadata) llm.Message {
	m := llm.Message{Role: llm.RoleAssistant}
	for _, block := range reasoningOf(meta) {
		m.Parts = append(m.Parts, block)
	}
	if text != "" {
		m.Parts = append(m.Parts, llm.Text{Text: text})
	}
	for _, c := range calls {
		m.Parts = append(m.Parts, llm.ToolCall{
			ID: c.ID, ProviderID: c.ProviderID, Name: c.Function.Name, Arguments: c.Function.Arguments, Signature: c.Signature,
		})
	}
	return m
}

// longResult is from how many bytes on a result may be taken out of a conversation. It is well
// below what is.
const longResult = 2_000

// Long reports whether results may have been taken out of the conversation.
func (c Messages) Long() bool {
	return slices.ContainsFunc(c, func(u *Utterance) bool {
		return u.Type == nestor.MessageSummary || u.Role == nestor.RoleTool && len(u.Content) >= longResult
	})
}
