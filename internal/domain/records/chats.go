package records

import (
	"cmp"
	"encoding/json"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/domain/records/thread"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// Conversation is a chat as a thread.
type Conversation struct {
	ChatID string `json:"chatId"`
	// At is the last message that it has, absent if there is none.
	At    string        `json:"at,omitempty"`
	Turns []thread.Turn `json:"turns"`
}

// chatThread reads a chat up to a message.
func (Records) chatThread(r *httpapi.Request) (any, error) {
	user := cmp.Or(r.URL.Query().Get("user"), r.UserID())
	chat, err := nestor.ParsePath("users/" + user + "/orch-chats/" + r.PathValue("chat"))
	if err != nil {
		return nil, err
	}
	if !store.Chats.Has(chat) {
		return nil, nestor.Errorf(nestor.CodeInvalid, "a chat and a user have one id each")
	}
	at := r.URL.Query().Get("at")
	told := Conversation{ChatID: chat.ID()}
	return &told, r.View(func(docs store.Reader) error {
		if _, err := docs.Get(chat); err != nil {
			return err
		}
		told.At, told.Turns = "", []thread.Turn{}
		q, bytes := store.Query{Collection: string(chat) + "/messages", Limit: store.MaxLimit}, 0
		for {
			page, err := docs.Query(q)
			if err != nil {
				return err
			}
			for _, d := range page.Items {
				if bytes += len(d.Data); bytes > thread.Standard.Bytes {
					return nestor.Errorf(nestor.CodeTooLarge, "the conversation has more than %d bytes", thread.Standard.Bytes)
				}
				m, err := nestor.As[nestor.Message](d)
				if err != nil {
					return err
				}
				told.say(&m, chat.UserID())
				if m.ID == at {
					return nil
				}
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				break
			}
		}
		if at != "" {
			return nestor.Errorf(nestor.CodeNotFound, "there is no message %s in the chat", at)
		}
		return nil
	})
}

// say adds what a message says. Notices and summaries are about the conversation, and
// no part of it.
func (c *Conversation) say(m *nestor.Message, owner string) {
	c.At = m.ID
	var pieces []record.MessagePartial
	switch {
	case m.Type == nestor.MessageStatus || m.Type == nestor.MessageSummary || m.Type == nestor.MessageError:
		return
	case m.Content != "":
		pieces = append(pieces, record.MessagePartial{Type: record.TextPartial, Payload: record.PartialPayload{Content: &m.Content}})
	}
	for _, call := range m.ToolCalls {
		pieces = append(pieces, record.MessagePartial{Type: record.ToolRequestPartial, Payload: record.PartialPayload{
			CallID: call.ID, ShortID: call.Function.Name, Input: inputOf(call.Function.Arguments),
		}})
	}
	if len(pieces) == 0 {
		return
	}
	sender := string(m.Role)
	if m.Role == nestor.RoleUser {
		sender = cmp.Or(m.AuthorID, owner)
	}
	if n := len(c.Turns); n > 0 && c.Turns[n-1].SenderID == sender {
		c.Turns[n-1].Partials, c.Turns[n-1].UpdatedAt = append(c.Turns[n-1].Partials, pieces...), m.UpdatedAt
		return
	}
	c.Turns = append(c.Turns, thread.Turn{ID: m.ID, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, SenderID: sender, Partials: pieces})
}

// inputOf is what a tool was given: JSON where it is that, else the text.
func inputOf(arguments string) json.RawMessage {
	if json.Valid([]byte(arguments)) {
		return json.RawMessage(arguments)
	}
	text, _ := json.Marshal(arguments) // a string always can be
	return text
}
