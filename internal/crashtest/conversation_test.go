package crashtest

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// The conversation of the second crash matrix. A person wants a gift and a
// table, and the orchestrator looks into a calendar and sets two agents to work. The shopper compares
// prices and holds an item, two tools at once, and is done. The booker writes
// to a restaurant, which must happen once, asks for the number of guests, is
// told through the orchestrator, and is done; by then it has read so much that
// its memory is condensed. Both results are told, the orchestrator concludes, and the chat has a title.
//
// What the model says is in script_test.go, what the tools do in
// tools_test.go. Every result of a model call shows in the documents. The
// person acts only when all else has been done, so the conclusion is
// the last document to be written.
const (
	person   = "u1"
	chatPath = nestor.Path("users/" + person + "/orch-chats/c1")
	wish     = "Find a gift for Ada and book us a table for Friday."
	reply    = "We are four."
)

// budget is more than enough. It makes every model call reserve and settle.
var budget = &nestor.Budget{Tokens: 1_000_000}

var conversation = play{last: conclusion.text, act: func(ctx context.Context, m *member, now situation) error {
	switch {
	case !now.opened:
		return m.write(ctx, chatPath, nestor.Chat{Budget: budget})
	case !now.said[wish]:
		return m.say(ctx, "m1", wish)
	case !now.said[reply] && now.said[howMany]:
		return m.say(ctx, "m2", reply)
	}
	return errStuck
}}

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
