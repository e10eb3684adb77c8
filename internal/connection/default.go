package connection

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// choice is the document with which a user chooses the connection that is called
// where none is named. It names one, so there is never a second default.
type choice struct {
	nestor.Meta
	ConnectionID string `json:"connectionId"`
}

// ChoicePath is where it is stored which connection is a user's default.
func ChoicePath(userID string) nestor.Path {
	return nestor.Path("users/"+userID).Child(choiceCollection, Default)
}

const choiceCollection = "model-settings"

// MakeDefault has a user's chats, agents and graphs call a connection where they
// name none. The environment's connection can be chosen, too.
func (s *Connections) MakeDefault(ctx context.Context, userID, id string) (Connection, error) {
	var c Connection
	err := s.opts.Store.Update(ctx, func(tx store.Tx) error {
		e, err := s.find(tx, userID, id)
		if err != nil {
			return err
		}
		c = e.Connection
		_, err = tx.Put(ChoicePath(userID), choice{ConnectionID: id}, store.AnyVersion)
		return err
	})
	c.Default = true
	return c, err
}

// chosen is the id of a user's default connection: the environment's unless another
// was chosen and is still there.
func (s *Connections) chosen(r store.Reader, userID string) (string, error) {
	made, err := store.Find[choice](r, ChoicePath(userID))
	if err != nil || made == nil || nestor.CheckID(made.ConnectionID) != nil {
		return Default, err
	}
	if _, fixed := s.given(made.ConnectionID); fixed {
		return made.ConnectionID, nil
	}
	there, err := has(r, documentPath(userID, made.ConnectionID))
	if err != nil || !there {
		return Default, err
	}
	return made.ConnectionID, nil
}

// givenByDefault is a user's default connection, if it is one of the environment's.
func (s *Connections) givenByDefault(ctx context.Context, userID string) (Connection, bool, error) {
	made, err := s.choices.of(ctx, userID)
	if err != nil {
		return Connection{}, false, err
	}
	id := Default
	if made != nil {
		id = made.ConnectionID
	}
	c, ok := s.given(id)
	return c, ok, nil
}

// unchoose forgets that a connection is a user's default.
func unchoose(tx store.Tx, userID, id string) error {
	made, err := store.Find[choice](tx, ChoicePath(userID))
	if err != nil || made == nil || made.ConnectionID != id {
		return err
	}
	return tx.Delete(ChoicePath(userID), store.AnyVersion)
}
