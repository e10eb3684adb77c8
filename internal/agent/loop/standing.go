package loop

import (
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/ask"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
)

// A standing agent is the participant of its chat. Each of its steps becomes one
// message of the chat, in the transaction of the step and under the id that the reply
// has among the agent's own messages: what it says, its calls, its question or its
// answer.

// chatMessage is where the chat is told of this step.
func (s *step) chatMessage() nestor.Path { return s.chat.Child("messages", s.messagePath().ID()) }

// draft is the message that the reply becomes as it is streamed: that of the chat, for
// a standing agent, which then reads as any other answer there.
func (s *step) draft() feed.Draft {
	if s.agent.Standing {
		return feed.Draft{Path: s.chatMessage(), TaskID: s.agent.TaskID}
	}
	return feed.Draft{Path: s.messagePath(), TaskID: s.agent.TaskID, SubAgentID: s.agent.ID}
}

// tell writes what a standing agent said into its chat, as the answer to what it has
// seen. Half an answer leaves that open, and so do words before a refusal.
func (s *step) tell(tx store.Tx, r *ask.Reply, content string) error {
	switch {
	case !s.agent.Standing:
		return nil
	case content == "":
		r.Drop()
		return nil
	}
	_, err := tx.Create(s.chatMessage(), s.answering(content, s.told(r)))
	return err
}

// answering is what a standing agent says in its chat, as the answer to what it has seen.
func (s *step) answering(content string, meta *nestor.MessageMetadata) nestor.Message {
	var seen, unseen []string
	for _, id := range s.agent.Unanswered {
		if s.said.Has(id) {
			seen = append(seen, id)
		} else {
			unseen = append(unseen, id)
		}
	}
	m := nestor.Message{
		Role: nestor.RoleAssistant, Type: nestor.MessageText, Content: content, IsLLMMessage: new(true),
		TaskID: s.agent.TaskID, SubAgentID: s.agent.ID, Metadata: meta,
	}
	n := len(seen)
	switch {
	case n == 0 || meta.FinishReason == string(llm.ReasonRefusal):
	case meta.FinishReason == nestor.FinishInterrupted:
		m.RepliesTo = seen[n-1]
	default:
		m.RepliesTo, m.Answers, s.agent.Unanswered = seen[n-1], seen[:n-1], unseen
	}
	return m
}

// tellCalls tells the chat which tools a standing agent calls.
func (s *step) tellCalls(tx store.Tx, r *ask.Reply) error {
	if !s.agent.Standing {
		return nil
	}
	calls := conversation.Requests(r.Calls, s.callID)
	if s.end != nil {
		calls = slices.Delete(calls, s.end.call, s.end.call+1) // the chat is told what it says
	}
	_, err := tx.Create(s.chatMessage(), lifecycle.TellCalls(&s.agent, r.Text, calls, s.told(r)))
	return err
}

// tellEnd tells the chat the answer or the question of a standing agent that was kept
// until the calls beside it had ended.
func (s *step) tellEnd(tx store.Tx, e *ending, call *nestor.ToolCall) error {
	if !s.agent.Standing {
		return nil
	}
	_, err := tx.Create(s.chat.Child("messages", nestor.DeriveID("ending", call.ID)), s.answering(e.text(), &nestor.MessageMetadata{Model: s.agent.Model}))
	return err
}

// told is what the chat is told of how a reply was made. What it used, and what the
// model thought, stands in the agent's own message and counts there.
func (s *step) told(r *ask.Reply) *nestor.MessageMetadata {
	return &nestor.MessageMetadata{Model: r.Meta.Model, DurationMS: r.Meta.DurationMS, FinishReason: r.Meta.FinishReason}
}

// joined is what a reply says in its text and by a call.
func joined(text, called string) string {
	switch {
	case strings.Contains(called, text):
		return called
	case strings.Contains(text, called):
		return text
	}
	return text + "\n\n" + called
}
