package account

import (
	"context"
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// CanLeave reports why a user cannot be deleted: an account that others share
// would be left without an owner. Members who are no users any more do not count.
// The error is of [nestor.CodeConflict].
func CanLeave(r store.Reader, userID string) error {
	return each(r, userID, func(a Account) error {
		if a.Members[userID] != Owner {
			return nil
		}
		others, err := realOthers(r, a, userID)
		if err != nil || len(others) == 0 {
			return err
		}
		for _, role := range others {
			if role == Owner {
				return nil
			}
		}
		return nestor.Errorf(nestor.CodeConflict, "%s is the only owner of the account %s (%.100q), which others share: make another member one first",
			userID, a.ID, a.Name).With("accountId", a.ID)
	})
}

// Leave ends a user's part in all accounts, and removes the invitations, for a
// user who is about to be deleted. Accounts in which nobody else takes part are
// deleted, with their projects. Members who are no users any more do not count.
func Leave(tx store.Tx, userID string) error {
	if err := CanLeave(tx, userID); err != nil {
		return err
	}
	invited, err := all(tx, invitedPath(userID, "x").Collection())
	if err != nil {
		return err
	}
	for _, d := range invited {
		if err := (Invitation{AccountID: d.Path.ID(), UserID: userID}).remove(tx); err != nil {
			return err
		}
	}
	return each(tx, userID, func(a Account) error {
		others, err := realOthers(tx, a, userID)
		if err != nil {
			return err
		}
		for id := range a.Members {
			if others[id] != "" || id == userID {
				continue
			}
			if err := tx.Delete(membershipPath(id, a.ID), store.AnyVersion); err != nil && !errors.Is(err, nestor.ErrNotFound) {
				return err
			}
		}
		if len(others) == 0 {
			return dissolve(tx, a)
		}
		a.Members = others
		return save(tx, a)
	})
}

// dissolve deletes an account and the invitations to it.
func dissolve(tx store.Tx, a Account) error {
	invited, err := all(tx, invitationPath(a.ID, "x").Collection())
	if err != nil {
		return err
	}
	for _, d := range invited {
		if err := (Invitation{AccountID: a.ID, UserID: d.Path.ID()}).remove(tx); err != nil {
			return err
		}
	}
	return tx.Delete(accountPath(a.ID), store.AnyVersion)
}

// realOthers are the other members of an account who are still users.
func realOthers(r store.Reader, a Account, userID string) (map[string]Role, error) {
	others := map[string]Role{}
	for id, role := range a.Members {
		if id == userID {
			continue
		}
		_, err := r.Get(nestor.Path("users/" + id))
		if errors.Is(err, nestor.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		others[id] = role
	}
	return others, nil
}

// each calls fn with the accounts that a user has a part in.
func each(r store.Reader, userID string, fn func(Account) error) error {
	list, err := Accounts(r, userID)
	if err != nil {
		return err
	}
	for _, d := range list {
		// Read once more: what comes from a list may change before it is written.
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

// DeleteChats deletes all chats of a user, each in a transaction of its own,
// for there may be much in them. stop is called before, outside of any
// transaction.
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
