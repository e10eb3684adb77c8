package records

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/domain/records/thread"
	"github.com/nestorhq/nestor/internal/domain/records/version"
	"github.com/nestorhq/nestor/internal/store"
)

type newTextDocument struct {
	ID      string              `json:"id,omitempty"`
	Title   string              `json:"title"`
	Type    record.DocumentType `json:"type,omitempty"`
	Content string              `json:"content"`
}

func (d newTextDocument) id() string { return d.ID }

func (d newTextDocument) write(tx store.Tx, p nestor.Path) (*nestor.Document, error) {
	if d.Type != "" && d.Type != record.Markdown {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the type of a text document is markdown, not %q", d.Type).With("field", "type")
	}
	return tx.Create(p, version.First(p, d.Title, d.Content, byOwner(p)))
}

type textDocumentChange struct {
	Title   *string `json:"title,omitempty"`
	Content *string `json:"content,omitempty"`
}

type newMessageThread struct {
	ID    string               `json:"id,omitempty"`
	Turns []record.MessageTurn `json:"turns,omitempty"`
}

func (d newMessageThread) id() string { return d.ID }

func (d newMessageThread) write(tx store.Tx, p nestor.Path) (*nestor.Document, error) {
	for _, turn := range d.Turns {
		if err := checkSender(turn.SenderID); err != nil {
			return nil, err
		}
		if len(turn.Partials) == 0 {
			return nil, nestor.Errorf(nestor.CodeInvalid, "a turn has at least one partial").With("field", "partials")
		}
		for _, piece := range turn.Partials {
			if err := piece.Check(); err != nil {
				return nil, err
			}
		}
	}
	return thread.Begin(tx, p, d.Turns)
}

// maxSender is longer than any id with a word before it.
const maxSender = 200

func checkSender(id string) error {
	if id == "" || len(id) > maxSender {
		return nestor.Errorf(nestor.CodeInvalid, "a sender's id has 1 to %d characters", maxSender).With("field", "senderId")
	}
	return nil
}

type newChatThread struct {
	ID            string `json:"id,omitempty"`
	Name          string `json:"name"`
	Description   string `json:"description,omitempty"`
	ThreadID      string `json:"threadId"`
	ParticipantID string `json:"participantId"`
}

func (d newChatThread) id() string { return d.ID }

func (d newChatThread) write(tx store.Tx, p nestor.Path) (*nestor.Document, error) {
	return tx.Create(p, record.ChatThread{
		UserID: p.UserID(), Name: d.Name, Description: d.Description, ThreadID: d.ThreadID, ParticipantID: d.ParticipantID,
	})
}

type chatThreadChange struct {
	Name          *string `json:"name,omitempty"`
	Description   *string `json:"description,omitempty"`
	ThreadID      *string `json:"threadId,omitempty"`
	ParticipantID *string `json:"participantId,omitempty"`
}

type newSettings struct {
	ID       string `json:"id,omitempty"`
	LastPage string `json:"lastPage,omitempty"`
	Theme    string `json:"theme,omitempty"`
}

func (d newSettings) id() string { return d.ID }

func (d newSettings) write(tx store.Tx, p nestor.Path) (*nestor.Document, error) {
	return tx.Create(p, record.Settings{UserID: p.UserID(), LastPage: d.LastPage, Theme: d.Theme})
}

type settingsChange struct {
	LastPage *string `json:"lastPage,omitempty"`
	Theme    *string `json:"theme,omitempty"`
}
