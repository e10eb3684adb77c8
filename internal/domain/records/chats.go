package records

import (
	"cmp"
	"encoding/json"
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/domain/records/thread"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// Conversation is what was said in a chat, or inside of an agent, as a thread.
type Conversation struct {
	ChatID string `json:"chatId"`
	// TaskID is set in the conversation of the agent that carries out a task.
	TaskID string `json:"taskId,omitempty"`
	// At is the last message that it has, absent if there is none.
	At    string        `json:"at,omitempty"`
	Turns []thread.Turn `json:"turns"`

	bytes int
}

// errAt ends the reading at the message that was asked for.
var errAt = errors.New("the message was met")

// chatNamed is the path of the chat that a request is about.
func chatNamed(r *httpapi.Request) (nestor.Path, error) {
	user := cmp.Or(r.URL.Query().Get("user"), r.UserID())
	chat, err := nestor.ParsePath("users/" + user + "/orch-chats/" + r.PathValue("chat"))
	if err == nil && !store.Chats.Has(chat) {
		err = nestor.Errorf(nestor.CodeInvalid, "a chat and a user have one id each")
	}
	return chat, err
}

// chatThread reads a chat up to a message. A fork begins with what it shares.
func (Records) chatThread(r *httpapi.Request) (any, error) {
	chat, err := chatNamed(r)
	if err != nil {
		return nil, err
	}
	at := r.URL.Query().Get("at")
	told := Conversation{ChatID: chat.ID()}
	err = r.ViewChat(chat, func(said httpapi.Said) error {
		told.At, told.Turns, told.bytes = "", []thread.Turn{}, 0
		return told.until(at, func(fn func(id string) error) error {
			return said(func(d *nestor.Document) error {
				m, err := nestor.As[nestor.Message](d)
				if err == nil {
					err = told.hold(d)
				}
				if err != nil {
					return err
				}
				told.say(&m, d.Path.UserID())
				return fn(m.ID)
			})
		})
	})
	return &told, err
}

// until reads a conversation up to a message, or all of it.
func (c *Conversation) until(at string, read func(func(id string) error) error) error {
	met := at == ""
	err := read(func(id string) error {
		c.At = id
		if id == at {
			met = true
			return errAt
		}
		return nil
	})
	switch {
	case errors.Is(err, errAt):
		return nil
	case err == nil && !met:
		return nestor.Errorf(nestor.CodeNotFound, "there is no message %s in the conversation", at)
	}
	return err
}

// hold bounds what one answer has.
func (c *Conversation) hold(d *nestor.Document) error {
	if c.bytes += len(d.Data); c.bytes > thread.Standard.Bytes {
		return nestor.Errorf(nestor.CodeTooLarge, "the conversation has more than %d bytes", thread.Standard.Bytes)
	}
	return nil
}

// say adds what a message of a chat says. Notices and summaries are about the
// conversation, and no part of it.
func (c *Conversation) say(m *nestor.Message, owner string) {
	if isAside(m.Type) {
		return
	}
	sender := string(m.Role)
	if m.Role == nestor.RoleUser {
		sender = cmp.Or(m.AuthorID, owner)
	}
	c.add(m.Meta, sender, append(textOf(m.Content), requestsOf(m.ToolCalls)...))
}

func isAside(t nestor.MessageType) bool {
	return t == nestor.MessageStatus || t == nestor.MessageSummary || t == nestor.MessageError
}

// add adds pieces to the last turn, if that is of the same sender, or begins one.
func (c *Conversation) add(at nestor.Meta, sender string, pieces []record.MessagePartial) {
	if len(pieces) == 0 {
		return
	}
	if n := len(c.Turns); n > 0 && c.Turns[n-1].SenderID == sender {
		c.Turns[n-1].Partials, c.Turns[n-1].UpdatedAt = append(c.Turns[n-1].Partials, pieces...), at.UpdatedAt
		return
	}
	c.Turns = append(c.Turns, thread.Turn{ID: at.ID, CreatedAt: at.CreatedAt, UpdatedAt: at.UpdatedAt, SenderID: sender, Partials: pieces})
}

func textOf(content string) []record.MessagePartial {
	if content == "" {
		return nil
	}
	return []record.MessagePartial{{Type: record.TextPartial, Payload: record.PartialPayload{Content: &content}}}
}

func requestsOf(calls []nestor.ToolRequest) (pieces []record.MessagePartial) {
	for _, call := range calls {
		pieces = append(pieces, request(call.ID, call.Function.Name, inputOf(call.Function.Arguments)))
	}
	return pieces
}

func request(callID, tool string, input json.RawMessage) record.MessagePartial {
	return record.MessagePartial{Type: record.ToolRequestPartial, Payload: record.PartialPayload{CallID: callID, ShortID: tool, Input: input}}
}

// inputOf is what a tool was given: JSON where it is that, else the text.
func inputOf(arguments string) json.RawMessage {
	if json.Valid([]byte(arguments)) {
		return json.RawMessage(arguments)
	}
	text, _ := json.Marshal(arguments) // a string always can be
	return text
}
