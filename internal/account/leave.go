package account

import (
	"context"
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// CanLeave reports why a user cannot be deleted: an account that others share
// would be left without an owner. The error is of [nestor.CodeConflict].
func CanLeave(r store.Reader, userID string) error {
	return each(r, userID, func(a Account) error {
		if len(a.Members) == 1 || a.Members[userID] != Owner {
			return nil
		}
		for member, role := range a.Members {
			if role == Owner && member != userID {
				return nil
			}
		}
		return nestor.Errorf(nestor.CodeConflict, "%s is the only owner of the account %s (%.100q), which others share: make another member one first",
			userID, a.ID, a.Name).With("accountId", a.ID)
	})
}

// Leave ends a user's part in all accounts, for one who is about to be deleted.
// Accounts in which nobody else has a part are deleted, with their projects.
func Leave(tx store.Tx, userID string) error {
	if err := CanLeave(tx, userID); err != nil {
		return err
	}
	return each(tx, userID, func(a Account) error {
		if len(a.Members) == 1 {
			return tx.Delete(accountPath(a.ID), store.AnyVersion)
		}
		delete(a.Members, userID)
		return save(tx, a)
	})
}

// each calls fn with the accounts that a user has a part in.
func each(r store.Reader, userID string, fn func(Account) error) error {
	list, err := Accounts(r, userID)
	if err != nil {
		return err
	}
	for _, d := range list {
		// Read once more: what was only found through a list may change before
		// it is written.
		a, err := load(r, userID, d.Path.ID())
		if errors.Is(err, nestor.ErrNotFound) {
			continue
		}
		if err == nil {
			err = fn(a)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// DeleteChats deletes all chats of a user, each by itself, for there may be much
// in them. stop is called before, outside of any transaction.
func DeleteChats(ctx context.Context, s store.Documents, userID string, stop func(chat nestor.Path) error) error {
	for {
		var page store.Page
		err := s.View(ctx, func(r store.Reader) (err error) {
			page, err = r.Query(store.Query{Collection: "users/" + userID + "/orch-chats", Limit: store.MaxLimit})
			return err
		})
		if err != nil || len(page.Items) == 0 {
			return err
		}
		for _, d := range page.Items {
			if err := stop(d.Path); err != nil && !errors.Is(err, nestor.ErrNotFound) {
				return err
			}
			err := s.Update(ctx, func(tx store.Tx) error { return Noting(tx).Delete(d.Path, store.AnyVersion) })
			if err != nil && !errors.Is(err, nestor.ErrNotFound) {
				return err
			}
		}
	}
}
