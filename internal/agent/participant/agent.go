package participant

import (
	"cmp"
	_ "embed"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/store"
)

// toAgent gives the open messages to the agent of a role that stands for it in this
// chat. There is one for each role; it is made with the first message, and each
// message begins another run of its task or steers the one under way.
func (h *Handover) toAgent(tx store.Tx, to *handed, name string, r role.Role) error {
	at := chatdoc.AgentPath(to.path, nestor.DeriveID("participant", name))
	agent, err := store.Find[nestor.SubAgent](tx, at)
	if err != nil {
		return err
	}
	if agent == nil {
		if agent, err = to.begin(tx, at, name, r); err != nil {
			return err
		}
	} else if child, err := waitingBelow(tx, to.path, agent); err != nil {
		return err
	} else if child != "" {
		return h.answerChild(tx, to, child)
	}
	before := to.meanwhile(agent)
	if err := to.instruct(tx, at, r); err != nil {
		return err
	}
	for i := range to.dialogue.Open {
		m := &to.dialogue.Open[i]
		note := func(a *nestor.SubAgent) {
			a.ModelConnectionID, a.ClientTools = cmp.Or(r.ModelConnectionID, to.chat.ModelConnectionID), to.chat.ClientTools
			a.Unanswered = append(a.Unanswered, m.ID)
			for _, said := range slices.Concat(to.dialogue.History, to.dialogue.Open) {
				a.SeenSeq = max(a.SeenSeq, said.CreatedSeq)
			}
		}
		if err := h.deliver(tx, to, at, m, before, note); err != nil {
			return err
		}
		before = ""
	}
	return nil
}

// begin makes the agent and its task.
func (t *handed) begin(tx store.Tx, at nestor.Path, name string, r role.Role) (*nestor.SubAgent, error) {
	first := &t.dialogue.Open[0]
	task := nestor.DeriveID("participant-task", name)
	if _, err := tx.Create(chatdoc.TaskPath(t.path, task), nestor.Task{
		Type: nestor.TaskAgent, Name: nestor.KindAgent + ":" + name, Instruction: wording.Excerpt(first.Content, mostOfOne), Status: nestor.TaskRunning, Standing: true,
		SubAgentID: at.ID(), TriggerMessageID: first.ID, AskedBy: t.dialogue.Authors(t.path), StartedAt: chatdoc.Now(), Budget: r.Budget,
	}); err != nil {
		return nil, err
	}
	if _, err := tx.Create(at, nestor.SubAgent{
		TaskID: task, AskedBy: t.dialogue.Authors(t.path), Role: name, Status: nestor.SubAgentActive, Standing: true, IterationLimit: r.MaxIterations,
		Work: &nestor.AgentWork{},
	}); err != nil {
		return nil, err
	}
	return store.Find[nestor.SubAgent](tx, at)
}

// instruct writes the agent's instructions and the chat's system prompt, if they are
// not those that the agent has.
func (t *handed) instruct(tx store.Tx, at nestor.Path, r role.Role) error {
	text := r.System(&t.chat, time.Now(), strings.TrimSpace(chatPrompt))
	q := chatdoc.MessagesOf(at)
	q.Where = store.Where("role", store.Eq, string(nestor.RoleSystem))
	said, err := chatdoc.All[nestor.SubAgentMessage](tx, q)
	if err != nil {
		return err
	}
	var told conversation.Messages
	for _, m := range said {
		told = append(told, conversation.NewUtterance(m))
	}
	slices.SortFunc(told, func(a, b *conversation.Utterance) int { return cmp.Compare(a.CreatedSeq, b.CreatedSeq) })
	if told.System() == text {
		return nil
	}
	_, err = tx.Create(at.Child("messages", t.job.DeriveID("system")), nestor.SubAgentMessage{Role: nestor.RoleSystem, Content: text})
	return err
}

// deliver gives an agent a message of a person below a text, under the id that it has
// in the chat.
func (h *Handover) deliver(tx store.Tx, to *handed, agent nestor.Path, m *nestor.Message, before string, note func(*nestor.SubAgent)) error {
	parts := m.Parts
	if len(parts) > 0 && before != "" {
		parts = append([]nestor.Part{{Type: nestor.PartText, Text: before}}, parts...)
	}
	author := cmp.Or(m.AuthorID, to.path.UserID())
	if _, err := lifecycle.Deliver(tx, h.Roles, agent, m.ID, lifecycle.Said{
		Content: before + m.Content, Parts: parts, Name: m.AuthorID, Author: m.AuthorID, Person: true, Askers: nestor.Askers{author}, Run: to.job.Run, Note: note,
	}); err != nil {
		return err
	}
	return to.mark(tx, m, "")
}

// waitingBelow is an agent that works for this one and waits for an answer of a
// person, "" if none does. It goes before: nothing else goes on until it has its
// answer.
func waitingBelow(tx store.Tx, chat nestor.Path, standing *nestor.SubAgent) (string, error) {
	if standing.Status != nestor.SubAgentActive {
		return "", nil
	}
	q := chatdoc.TasksOf(chat)
	q.Where = store.Where("status", store.Eq, string(nestor.TaskWaiting))
	waiting, err := chatdoc.All[nestor.Task](tx, q)
	if err != nil {
		return "", err
	}
	for i := range waiting {
		below := false
		err := chatdoc.EachAbove(tx, chat, &waiting[i], func(above *nestor.SubAgent, _ *nestor.Task) (bool, error) {
			below = above.ID == standing.ID
			return !below, nil
		})
		switch {
		case below:
			return waiting[i].SubAgentID, nil
		case err != nil && !errors.Is(err, nestor.ErrInvalid): // a task in a circle works for nobody
			return "", err
		}
	}
	return "", nil
}

// answerChild gives the open messages to an agent that waits for an answer.
func (h *Handover) answerChild(tx store.Tx, to *handed, id string) error {
	for i := range to.dialogue.Open {
		m := &to.dialogue.Open[i]
		if err := h.deliver(tx, to, chatdoc.AgentPath(to.path, id), m, "", nil); err != nil {
			return err
		}
	}
	return nil
}

// mostQuoted bounds what an agent is told of what it missed, and mostOfOne one message
// of that, in characters.
const (
	mostQuoted = 40_000
	mostOfOne  = 8_000
)

// meanwhile is what was said in the chat that the agent has not heard: before it took
// part, or while somebody else did.
func (t *handed) meanwhile(agent *nestor.SubAgent) string {
	var lines []string
	size := 0
	for _, m := range slices.Backward(t.dialogue.History) {
		if m.CreatedSeq <= agent.SeenSeq || m.TaskID == agent.TaskID || m.Role != nestor.RoleUser && m.Role != nestor.RoleAssistant && m.Type != nestor.MessageSummary {
			continue
		}
		line := string(m.Role) + ": " + wording.Excerpt(m.Content, mostOfOne)
		if size += len(line); size > mostQuoted {
			lines = append(lines, "…")
			break
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return ""
	}
	slices.Reverse(lines)
	return "# What was said in this chat before\n\n" + strings.Join(lines, "\n\n") + "\n\n# Message\n\n"
}

//go:embed chat.md
var chatPrompt string
