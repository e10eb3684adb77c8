package access

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Act is what somebody did to a user.
type Act string

// The acts that are noted.
const (
	UserAdded    Act = "user_added"
	PasswordSet  Act = "password_set"
	AdminGiven   Act = "admin_given"
	AdminTaken   Act = "admin_taken"
	UserDisabled Act = "user_disabled"
	UserEnabled  Act = "user_enabled"
	KeyMade      Act = "key_made"
	KeyRevoked   Act = "key_revoked"
	SessionEnded Act = "session_ended"
)

// Entry notes what somebody else did to a user, at users/{userId}/audit/{id}.
// The user and administrators can read it and nobody can write it. It is
// written in the transaction of the act, so there is no act without its entry.
type Entry struct {
	nestor.Meta
	// By is the id of the user who did it, or [CommandLine].
	By  string `json:"by"`
	Act Act    `json:"act"`
	// On is the id of the key or session.
	On string `json:"on,omitempty"`
}

// CommandLine stands for whoever runs `nestor users` and `nestor keys`.
const CommandLine = "command line"

type actorKey struct{}

// As says on whose behalf a [Gate] acts. What users do to themselves is not
// noted, and neither is what nobody asked for.
func As(ctx context.Context, actor string) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

func actorOf(ctx context.Context) string {
	actor, _ := ctx.Value(actorKey{}).(string)
	return actor
}

// note writes down what the actor of ctx does to a user.
func note(ctx context.Context, tx store.Tx, userID string, act Act, on string) error {
	by := actorOf(ctx)
	if by == "" || by == userID {
		return nil
	}
	_, err := tx.Create(userPath(userID).Child("audit", nestor.NewID()), Entry{By: by, Act: act, On: on})
	return err
}
