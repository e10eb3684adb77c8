package sharing

import (
	"encoding/json"
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/store"
)

// Placer says which account and project a new chat of a user belongs to. It runs
// in the transaction that creates the chat.
type Placer func(tx store.Tx, userID, projectID string) (accountID, project string, err error)

// Of places the new chat at p for a judge's caller. Only a caller who may
// create chats of that user learns that the user has no part in a project.
func (place Placer) Of(tx store.Tx, j *rules.Judge, p nestor.Path, projectID string) (accountID, project string, err error) {
	accountID, project, err = place(tx, p.UserID(), projectID)
	if errors.Is(err, nestor.ErrNotFound) {
		if refused := j.May(rules.Create, p, nil, &nestor.Document{Path: p, Data: json.RawMessage(`{}`)}); refused != nil {
			err = refused
		}
	}
	return accountID, project, err
}

// placing gives new chats their place, as a request to create one does.
type placing struct {
	store.Tx
	all   store.Tx
	judge *rules.Judge
	place Placer
}

// Create implements [store.Tx].
func (t placing) Create(p nestor.Path, body any) (*nestor.Document, error) {
	fields, ok := body.(map[string]json.RawMessage)
	if !ok || t.place == nil || !store.Chats.Has(p) {
		return t.Tx.Create(p, body)
	}
	var chat nestor.Chat
	for field, into := range map[string]*string{"accountId": &chat.AccountID, "projectId": &chat.ProjectID} {
		if text, ok := fields[field]; ok && json.Unmarshal(text, into) != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "%s is a text", field)
		}
	}
	if chat.AccountID != "" { // rules decide about the place that the client chose
		return t.Tx.Create(p, body)
	}
	var err error
	if chat.AccountID, chat.ProjectID, err = t.place.Of(t.all, t.judge, p, chat.ProjectID); err != nil {
		return nil, err
	}
	placed := map[string]any{"accountId": chat.AccountID, "projectId": chat.ProjectID}
	for field, text := range fields {
		if _, ok := placed[field]; !ok {
			placed[field] = text
		}
	}
	return t.Tx.Create(p, placed)
}
