package module

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Participants are those of one kind whom chats can talk to.
type Participants struct {
	// Kind is the part of a chat's participant before the colon.
	Kind string
	// List are those that a user can talk to.
	List func(ctx context.Context, userID string) ([]nestor.Participant, error)
	// Find returns one as a transaction sees it, nil if there is none.
	Find func(r store.Reader, userID, id string) (*nestor.Participant, error)
	// Begin begins the answer to a message, in the transaction that hands it over.
	// What it returns is the message's executionId. An error with a code is told in
	// the chat. The agents answer for a kind without Begin.
	Begin func(tx store.Tx, said Said) (executionID string, err error)
	// Stop ends an answer that Begin began, if it is under way.
	Stop func(tx store.Tx, chat nestor.Path, executionID string) (bool, error)
}

// Said is a message that a participant is to answer.
type Said struct {
	// ID says which participant of its kind.
	ID      string
	Chat    nestor.Path
	Message nestor.Message
	// SystemPrompt is the chat's, and History what was said before, as far as a
	// model would see it, oldest first.
	SystemPrompt string
	History      []nestor.Message
}
