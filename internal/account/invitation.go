package account

import (
	"errors"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Invitation asks a user to take part in an account. Nobody is a member before
// they accept one. It lies at accounts/{accountId}/invitations/{userId}; a
// document at users/{userId}/invitations/{accountId} lets the user find it.
type Invitation struct {
	nestor.Meta
	AccountID string `json:"accountId"`
	// AccountName is what the account was called when the invitation was made, for
	// a user who may not read the account yet.
	AccountName string `json:"accountName"`
	UserID      string `json:"userId"`
	Role        Role   `json:"role"`
	InvitedBy   string `json:"invitedBy"`
	// ExpiresAt is when the invitation ends, in Unix milliseconds.
	ExpiresAt int64 `json:"expiresAt"`
}

const (
	// invitationTime is how long an invitation is good for.
	invitationTime = 14 * 24 * time.Hour
	// maxInvitations bounds those of an account that wait for an answer.
	maxInvitations = 200
)

func (i Invitation) over(now time.Time) bool { return nestor.Millis(now) >= i.ExpiresAt }

// SetMember changes the role of a member of an account, or invites a user who is
// none: then it returns true. Only owners may, and an owner who is the only one
// stays it. A second invitation takes the place of the first.
//
// It does not tell whether there is such a user: whoever can make an account
// could ask for everybody.
func SetMember(tx store.Tx, by, accountID, userID string, role Role) (invited bool, err error) {
	if err := nestor.CheckID(userID); err != nil {
		return false, err
	}
	if !role.may(Viewer) {
		return false, nestor.Errorf(nestor.CodeInvalid, "role %q is not one of owner, member, viewer", string(role))
	}
	a, err := loadShared(tx, by, accountID)
	if err != nil {
		return false, err
	}
	if a.Members[userID] == "" {
		return true, invite(tx, a, by, userID, role)
	}
	a.Members[userID] = role
	return false, join(tx, a, userID)
}

// join writes an account and what lets a member find it.
func join(tx store.Tx, a Account, userID string) error {
	if err := save(tx, a); err != nil {
		return err
	}
	_, err := tx.Put(membershipPath(userID, a.ID), membership{a.Members[userID]}, store.AnyVersion)
	return err
}

func invite(tx store.Tx, a Account, by, userID string, role Role) error {
	now := time.Now()
	waiting, err := Invitations(tx, by, a.ID)
	if err != nil {
		return err
	}
	for _, i := range waiting {
		if i.over(now) {
			if err := i.remove(tx); err != nil {
				return err
			}
		}
	}
	waiting = slices.DeleteFunc(waiting, func(i Invitation) bool { return i.over(now) || i.UserID == userID })
	if len(waiting) >= maxInvitations {
		return nestor.Errorf(nestor.CodeTooLarge, "%d invitations to the account wait for an answer: withdraw some first", len(waiting))
	}
	i := Invitation{
		AccountID: a.ID, AccountName: a.Name, UserID: userID, Role: role, InvitedBy: by, ExpiresAt: nestor.Millis(now.Add(invitationTime)),
	}
	if _, err := tx.Put(invitationPath(a.ID, userID), i, store.AnyVersion); err != nil {
		return err
	}
	_, err = tx.Put(invitedPath(userID, a.ID), struct{}{}, store.AnyVersion)
	return err
}

// Invitations returns those of an account that wait for an answer, to one of
// its members, oldest first. Some may have expired.
func Invitations(r store.Reader, userID, accountID string) ([]Invitation, error) {
	if _, err := load(r, userID, accountID); err != nil {
		return nil, err
	}
	docs, err := all(r, invitationPath(accountID, "x").Collection())
	if err != nil {
		return nil, err
	}
	list := make([]Invitation, len(docs))
	for i, d := range docs {
		if list[i], err = nestor.As[Invitation](d); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// InvitationsOf returns the invitations of a user that they can accept, oldest
// first.
func InvitationsOf(r store.Reader, userID string) ([]Invitation, error) {
	found, err := all(r, invitedPath(userID, "x").Collection())
	if err != nil {
		return nil, err
	}
	list := []Invitation{}
	for _, d := range found {
		i, err := invitation(r, userID, d.Path.ID())
		if errors.Is(err, nestor.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, i)
	}
	return list, nil
}

// Accept makes a user a member of an account that they are invited to.
func Accept(tx store.Tx, userID, accountID string) error {
	i, err := invitation(tx, userID, accountID)
	if err != nil {
		return err
	}
	a, err := store.Find[Account](tx, accountPath(accountID))
	if err != nil {
		return err
	}
	if a == nil {
		return noInvitation(accountID)
	}
	if err := i.remove(tx); err != nil {
		return err
	}
	a.Members[userID] = i.Role
	return join(tx, *a, userID)
}

// Decline removes an invitation that a user does not want.
func Decline(tx store.Tx, userID, accountID string) error {
	i, err := invitation(tx, userID, accountID)
	if err != nil {
		return err
	}
	return i.remove(tx)
}

// Withdraw removes an invitation of an account, for one of its owners.
func Withdraw(tx store.Tx, by, accountID, userID string) error {
	if _, err := loadShared(tx, by, accountID); err != nil {
		return err
	}
	none := nestor.Errorf(nestor.CodeNotFound, "%q is not invited to the account", userID)
	if nestor.CheckID(userID) != nil {
		return none
	}
	i, err := store.Find[Invitation](tx, invitationPath(accountID, userID))
	if err != nil {
		return err
	}
	if i == nil {
		return none
	}
	return i.remove(tx)
}

// invitation reads an invitation that a user can accept. The document among the
// user's own only says where to look.
func invitation(r store.Reader, userID, accountID string) (Invitation, error) {
	if nestor.CheckID(accountID) != nil {
		return Invitation{}, noInvitation(accountID)
	}
	i, err := store.Find[Invitation](r, invitationPath(accountID, userID))
	if err != nil {
		return Invitation{}, err
	}
	if i == nil || i.over(time.Now()) {
		return Invitation{}, noInvitation(accountID)
	}
	return *i, nil
}

// remove deletes an invitation and what lets its user find it.
func (i Invitation) remove(tx store.Tx) error {
	for _, p := range []nestor.Path{invitationPath(i.AccountID, i.UserID), invitedPath(i.UserID, i.AccountID)} {
		if err := tx.Delete(p, store.AnyVersion); err != nil && !errors.Is(err, nestor.ErrNotFound) {
			return err
		}
	}
	return nil
}

func invitationPath(accountID, userID string) nestor.Path {
	return accountPath(accountID).Child("invitations", userID)
}

func invitedPath(userID, accountID string) nestor.Path {
	return nestor.Path("users/"+userID).Child("invitations", accountID)
}

func noInvitation(accountID string) error {
	return nestor.Errorf(nestor.CodeNotFound, "there is no invitation to an account %q", accountID)
}
