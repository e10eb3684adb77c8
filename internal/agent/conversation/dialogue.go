package conversation

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/chatfork"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
)

// Dialogue is a chat as the orchestrator sees it.
type Dialogue struct {
	// History is what was said, oldest first, from the latest summary on.
	History []nestor.Message
	// Open are the messages of the user that nothing answers yet and that nobody
	// else was given: to answer, or as the answer to an agent's question. Whatever else was said in between, a report or a
	// notice, leaves them open. What a fork shares is never open in it.
	Open []nestor.Message
}

// IsStop reports whether a message says that a person stopped the answer.
func IsStop(m *nestor.Message) bool {
	return m.Type == nestor.MessageStatus && m.RepliesTo != ""
}

// answers reports whether what a message replies to is answered by it. A failure
// is no answer, nor is half an answer or a call of tools: what follows answers.
func answers(m *nestor.Message) bool {
	return m.RepliesTo != "" && !isInterrupted(m.Metadata) && m.Role != nestor.RoleUser &&
		m.Type != nestor.MessageError && m.Type != nestor.MessageSummary && m.Type != nestor.MessageToolCall
}

// ReadDialogue reads a chat. A fork begins with what it shares.
func ReadDialogue(r store.Reader, chat nestor.Path) (*Dialogue, error) {
	messages, err := recentMessages(r, chat)
	if err != nil {
		return nil, err
	}
	answered := map[string]bool{}
	for i := range messages {
		if m := &messages[i]; !m.shared && answers(&m.Message) {
			answered[m.RepliesTo] = true
			for _, id := range m.Answers {
				answered[id] = true
			}
		}
	}
	d := &Dialogue{}
	for _, m := range messages {
		switch {
		case !shown(&m.Message):
		case m.Role == nestor.RoleUser && !m.shared && m.HandedTo == "" && m.QuestionID == "" && !answered[m.ID]:
			d.Open = append(d.Open, m.Message)
		case m.shared:
			// Whoever was given it, or said it, works for the other chat. Ids of tasks are equal in both.
			m.HandedTo, m.ExecutionID, m.TaskID, m.SubAgentID = "", "", "", ""
			d.History = append(d.History, m.Message)
		default:
			d.History = append(d.History, m.Message)
		}
	}
	return d, nil
}

// said is a message of a chat, or one that the chat shares with another one.
type said struct {
	nestor.Message
	shared bool
}

// recentMessages reads a chat back to where its latest summary ends, so that
// the cost does not grow with the chat.
func recentMessages(r store.Reader, chat nestor.Path) ([]said, error) {
	b := &backward{}
	err := b.read(false, func(q store.Query) (store.Page, error) {
		q.Collection = chatdoc.MessagesOf(chat).Collection
		return r.Query(q)
	})
	if err == nil && !b.done {
		err = b.readShared(r, chat)
	}
	return b.messages(), err
}

// backward reads messages, newest first.
type backward struct {
	list    []said
	summary *said
	newer   int  // messages that are newer than the summary
	done    bool // where the summary ends was met
	through bool // and it is the message that the summary names
}

func (b *backward) readShared(r store.Reader, chat nestor.Path) error {
	c, err := store.Find[nestor.Chat](r, chat)
	if err != nil || c == nil || c.ForkedFrom == nil {
		return err
	}
	stretches, err := chatfork.Shared(r, c)
	if err != nil {
		return err
	}
	for _, s := range stretches {
		if err := b.read(true, func(q store.Query) (store.Page, error) { return s.Read(r, q) }); err != nil {
			return err
		}
	}
	return nil
}

// read reads page after page, until the end of the summary is met.
func (b *backward) read(shared bool, page func(store.Query) (store.Page, error)) error {
	for q := (store.Query{OrderBy: []store.Order{{Field: "createdAt", Desc: true}}, Limit: 200}); !b.done; {
		p, err := page(q)
		if err != nil {
			return err
		}
		for _, d := range p.Items {
			m, err := nestor.As[nestor.Message](d)
			if err != nil {
				return err
			}
			if b.take(&said{m, shared}); b.done {
				break
			}
		}
		if q.Cursor = p.Next; q.Cursor == "" {
			return nil
		}
	}
	return nil
}

// take adds a message that is older than all before.
func (b *backward) take(m *said) {
	switch {
	case b.summary != nil && m.ID == b.summary.RepliesTo:
		b.done, b.through = true, true
	case b.summary != nil && b.summary.RepliesTo == "" && answers(&m.Message):
		b.done = true
	case m.Type != nestor.MessageSummary:
		b.list = append(b.list, *m)
	case b.summary == nil && shown(&m.Message):
		b.summary, b.newer = m, len(b.list)
	}
}

// messages are what was read, oldest first, below the summary.
func (b *backward) messages() []said {
	list := b.list
	if b.summary != nil {
		if !b.through {
			list = uncovered(list, b.newer)
		}
		list = append(list, *b.summary)
	}
	slices.Reverse(list)
	return list
}

// uncovered is what a model sees beside a summary that does not say where it
// ends, or names a message that is gone. Such a summary covers all that is older
// than itself, but not what a person said since the last answer.
func uncovered(newestFirst []said, newer int) []said {
	list := newestFirst[:newer:newer]
	for _, m := range newestFirst[newer:] {
		if answers(&m.Message) {
			break
		}
		if m.Role == nestor.RoleUser {
			list = append(list, m)
		}
	}
	return list
}

// Seen is up to which change the dialogue knows what was said.
func (d *Dialogue) Seen() (seq int64) {
	for _, list := range [][]nestor.Message{d.History, d.Open} {
		for i := range list {
			seq = max(seq, list[i].Seq)
		}
	}
	return seq
}

// Newest is the last message of the user that is open.
func (d *Dialogue) Newest() string {
	if len(d.Open) == 0 {
		return ""
	}
	return d.Open[len(d.Open)-1].ID
}

// Authors are who wrote the messages that are open. A message without an author
// is of the chat's own user; if all are, nobody is named.
func (d *Dialogue) Authors(chat nestor.Path) (a nestor.Askers) {
	if !slices.ContainsFunc(d.Open, func(m nestor.Message) bool { return m.AuthorID != "" }) {
		return nil
	}
	for _, m := range d.Open {
		a = a.With(cmp.Or(m.AuthorID, chat.UserID()))
	}
	return a
}

// Older are the other messages that are open.
func (d *Dialogue) Older() (ids []string) {
	for i := 0; i < len(d.Open)-1; i++ {
		ids = append(ids, d.Open[i].ID)
	}
	return ids
}

// Asks reports whether the same messages are open in both.
func (d *Dialogue) Asks(other *Dialogue) bool {
	return slices.EqualFunc(d.Open, other.Open, func(a, b nestor.Message) bool { return a.ID == b.ID })
}

// Turns is the history as a model is shown it. What was done so far to answer what is
// still open stands beside that, see [Dialogue.Asked].
func (d *Dialogue) Turns() []condense.Turn {
	var turns []condense.Turn
	for i := range d.History {
		switch m := &d.History[i]; {
		case m.Type == nestor.MessageSummary:
			turns = append(turns, condense.SummaryTurn(m.ID, m.Content))
		case m.Role == nestor.RoleUser:
			turns = append(turns, condense.Turn{ID: m.ID, Message: Spoken("", m.Content, m.Parts)})
		case m.Role != nestor.RoleAssistant:
		case m.Title != "":
			turns = append(turns, condense.Turn{ID: m.ID, Message: UserTurn(ended(m))})
		case !d.halfAnswers(m, d.Open) && !d.worksOn(m, d.Open):
			turns = append(turns, d.spoken(m)...)
		}
	}
	return turns
}

// ended tells a model how a task ended. It is an event, and nothing that the model said.
func ended(m *nestor.Message) string {
	if m.Type == nestor.MessageError {
		return fmt.Sprintf("# Event: “%s” was not done\n%s", m.Title, m.Content)
	}
	return fmt.Sprintf("# Event: result of “%s”, which the user sees\n%s", m.Title, m.Content)
}

// Asked are the messages that are open, the last one below what is said before
// it. Half an answer, and what tools were called for one, come after what that was an
// answer to; only below half an answer the user has the last word.
func (d *Dialogue) Asked(before string) []condense.Turn {
	var turns []condense.Turn
	for i := range d.Open {
		m, to := &d.Open[i], d.Open[i:i+1]
		above, last := "", i == len(d.Open)-1
		if last {
			above = before
			turns = append(turns, d.about(to, d.halfAnswers)...)
		}
		turns = append(turns, condense.Turn{ID: m.ID, Message: Spoken(above, m.Content, m.Parts)})
		if !last {
			turns = append(turns, d.about(to, d.halfAnswers)...)
		}
		turns = append(turns, d.about(to, d.worksOn)...)
	}
	return turns
}

// about are the turns of the history that stand to messages in some way.
func (d *Dialogue) about(to []nestor.Message, stands func(*nestor.Message, []nestor.Message) bool) (turns []condense.Turn) {
	for i := range d.History {
		if m := &d.History[i]; m.Role == nestor.RoleAssistant && stands(m, to) {
			turns = append(turns, d.spoken(m)...)
		}
	}
	return turns
}

func (d *Dialogue) halfAnswers(m *nestor.Message, to []nestor.Message) bool {
	return isInterrupted(m.Metadata) && repliesTo(m, to)
}

// worksOn reports whether a message calls tools to answer messages.
func (d *Dialogue) worksOn(m *nestor.Message, to []nestor.Message) bool {
	return m.Type == nestor.MessageToolCall && repliesTo(m, to)
}

func repliesTo(m *nestor.Message, to []nestor.Message) bool {
	return slices.ContainsFunc(to, func(asked nestor.Message) bool { return asked.ID == m.RepliesTo })
}

// spoken is what the orchestrator said itself, and what came of its calls.
func (d *Dialogue) spoken(m *nestor.Message) []condense.Turn {
	content := m.Content
	if isInterrupted(m.Metadata) {
		content += interruptedMark
	}
	turns := []condense.Turn{{ID: m.ID, Message: AssistantTurn(content, m.ToolCalls, m.Metadata)}}
	if len(m.ToolCalls) == 0 {
		return turns
	}
	results := llm.Message{Role: llm.RoleTool}
	for _, c := range m.ToolCalls {
		result := llm.ToolResult{CallID: c.ID, ProviderID: c.ProviderID, Name: c.Function.Name, Content: controltool.CarriedOut(c.Function.Name)}
		i := slices.IndexFunc(d.History, func(r nestor.Message) bool { return r.Role == nestor.RoleTool && r.ToolCallID == c.ID })
		if i >= 0 {
			result.Content = d.History[i].Content
		}
		results.Parts = append(results.Parts, result)
	}
	return append(turns, condense.Turn{ID: m.ID, Message: results})
}
