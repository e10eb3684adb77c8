// Package onbehalf says whose documents the tools of domains work on.
package onbehalf

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
)

// Of is whose documents a call works on: those of the one who asked for it, in a chat
// that nobody else reads. What is told in a shared chat all its members read, and each
// of them could have the model tell what another one asked for.
func Of(ctx context.Context, s store.Documents, scope tool.Scope) (userID string, err error) {
	askers := scope.AskedBy.Or(scope.UserID)
	if len(askers) > 1 || askers[0] != scope.UserID {
		return "", nestor.Errorf(nestor.CodeForbidden, "this tool works on the documents of one person, in a chat of their own")
	}
	if nestor.CheckID(scope.UserID) != nil {
		return "", nestor.Errorf(nestor.CodeForbidden, "there is no user whose documents this tool could work on")
	}
	if scope.ChatID == "" {
		return scope.UserID, nil
	}
	return scope.UserID, s.View(ctx, func(r store.Reader) error {
		chat, err := store.Find[nestor.Chat](r, nestor.Path("users/"+scope.UserID).Child("orch-chats", scope.ChatID))
		if err != nil || chat == nil {
			return err
		}
		if personal, err := account.IsPersonal(r, chat.AccountID); err != nil || personal {
			return err
		}
		return nestor.Errorf(nestor.CodeForbidden, "this tool works on the documents of one person, and others read this chat")
	})
}
