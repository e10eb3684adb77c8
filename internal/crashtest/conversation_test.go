package crashtest

import (
	"context"
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// The conversation of the second crash matrix. A person wants a gift and a
// table, and the orchestrator sets two agents to work. The shopper compares
// prices and holds an item, two tools at once, and is done. The booker writes
// to a restaurant, which must happen once, asks for the number of guests, is
// told through the orchestrator, and is done; by then it has read so much that
// its memory is condensed. Both are reported, and the chat has a title.
//
// What the model says is in script_test.go, what the tools do in
// tools_test.go. Every result of a model call shows in the documents. The
// person acts only when all else has been done, so the report on the booker is
// the last document to be written.
const (
	person   = "u1"
	chatPath = nestor.Path("users/" + person + "/orch-chats/c1")
	wish     = "Find a gift for Ada and book us a table for Friday."
	reply    = "We are four."
)

// budget is more than enough. It makes every model call reserve and settle.
var budget = &nestor.Budget{Tokens: 1_000_000}

// act does what the person does when no job is left: speaks, answers, and says
// about a call of unknown effect that it is done. It reports whether the
// conversation is over.
func (m *member) act(ctx context.Context) (over bool, err error) {
	for {
		left, err := m.store.Jobs(ctx, store.JobFilter{Limit: 1})
		if err != nil || len(left) > 0 {
			return false, err
		}
		now, err := m.look(ctx)
		if err != nil {
			return false, err
		}
		switch {
		case !now.opened:
			err = m.write(ctx, chatPath, nestor.Chat{Budget: budget})
		case !now.said[wish]:
			err = m.say(ctx, "m1", wish)
		case now.letter.Status == nestor.ToolCallUnknown:
			err = m.agents.Decide(ctx, now.letterPath, nestor.Decision{Action: nestor.MarkDone, By: person, Reason: letterAnswer})
		case !now.said[reply] && now.said[question.text]:
			err = m.say(ctx, "m2", reply)
		case now.said[bookerReport.text]:
			return true, nil
		default:
			err = errors.New("nothing is left to do, and the conversation is not over")
		}
		if err != nil {
			return false, err
		}
	}
}

// situation is how things stand.
type situation struct {
	opened     bool
	said       map[string]bool // in the chat
	letter     nestor.ToolCall // to the restaurant; zero before
	letterPath nestor.Path
}

func (m *member) look(ctx context.Context) (now situation, err error) {
	err = m.store.View(ctx, func(r store.Reader) error {
		now = situation{said: map[string]bool{}}
		if _, err := r.Get(chatPath); errors.Is(err, nestor.ErrNotFound) {
			return nil
		} else if err != nil {
			return err
		}
		now.opened = true
		messages, err := r.Query(store.Query{Flat: store.Messages.Name})
		if err != nil {
			return err
		}
		for _, d := range messages.Items {
			m, err := nestor.As[nestor.Message](d)
			if err != nil {
				return err
			}
			now.said[m.Content] = true
		}
		letters, err := r.Query(store.Query{
			Flat: store.SubAgentToolCalls.Name, Where: store.Where("toolName", store.Eq, writeLetter),
		})
		for _, d := range letters.Items {
			now.letterPath = d.Path
			if err := d.Decode(&now.letter); err != nil {
				return err
			}
		}
		return err
	})
	return now, err
}

func (m *member) say(ctx context.Context, id, content string) error {
	return m.write(ctx, chatPath.Child("messages", id), nestor.Message{
		Role: nestor.RoleUser, Type: nestor.MessageText, Content: content,
	})
}

func (m *member) write(ctx context.Context, p nestor.Path, body any) error {
	return m.store.Update(ctx, func(tx store.Tx) error {
		_, err := tx.Create(p, body)
		return err
	})
}
