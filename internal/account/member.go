package account

import (
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// RemoveMember ends a user's part in an account. What the user contributed
// stays. Only owners may, and the last one cannot go.
func RemoveMember(tx store.Tx, by, accountID, userID string) error {
	a, err := loadShared(tx, by, accountID)
	if err != nil {
		return err
	}
	if a.Members[userID] == "" {
		return nestor.Errorf(nestor.CodeNotFound, "%q is not a member of the account", userID)
	}
	delete(a.Members, userID)
	if err := save(tx, a); err != nil {
		return err
	}
	err = tx.Delete(membershipPath(userID, accountID), store.AnyVersion)
	if errors.Is(err, nestor.ErrNotFound) { // users may delete what is theirs
		return nil
	}
	return err
}

// loadShared reads an account whose members an owner is about to change.
func loadShared(tx store.Tx, by, accountID string) (Account, error) {
	a, err := load(tx, by, accountID)
	switch {
	case err != nil:
		return Account{}, err
	case a.Members[by] != Owner:
		return Account{}, nestor.Errorf(nestor.CodeForbidden, "only an owner of the account may change its members")
	case a.Personal:
		return Account{}, nestor.Errorf(nestor.CodeInvalid, "a personal account has no other members: create an account to share")
	}
	return a, nil
}

// save writes an account. It was read in the same transaction, so of two that
// change it at once the second sees the first.
func save(tx store.Tx, a Account) error {
	for _, role := range a.Members {
		if role == Owner {
			_, err := tx.Put(accountPath(a.ID), a, store.AnyVersion)
			return err
		}
	}
	return nestor.Errorf(nestor.CodeInvalid, "the account would be left without an owner: make another member one first")
}

// Members tells access rules who has a part in which account.
type Members struct{}

// Role is that of a user in an account, as [RoleOf] tells it.
func (Members) Role(r store.Reader, accountID, userID string) (string, error) {
	role, err := RoleOf(r, accountID, userID)
	return string(role), err
}
