package accounts

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// listInvitations are those of an account that wait for an answer.
func (a *Accounts) listInvitations(r *httpapi.Request) (any, error) {
	p, err := accountPath(r)
	if err != nil {
		return nil, err
	}
	items := []account.Invitation{}
	err = r.View(func(tx store.Reader) error {
		found, err := account.Invitations(tx, r.UserID(), p.ID())
		items = append([]account.Invitation{}, found...)
		return err
	})
	return httpapi.List[account.Invitation]{Items: items}, err
}

func (a *Accounts) deleteInvitation(r *httpapi.Request) (any, error) {
	p, err := accountPath(r)
	if err != nil {
		return nil, err
	}
	return nil, r.Act(p, func(tx store.Tx) error {
		return account.Withdraw(tx, r.UserID(), p.ID(), r.PathValue("user"))
	})
}

// listOwnInvitations are those of the caller. They lie in accounts that the
// caller may not read yet.
func (a *Accounts) listOwnInvitations(r *httpapi.Request) (any, error) {
	user := r.UserID()
	err := r.View(func(tx store.Reader) error {
		_, err := tx.Query(store.Query{Collection: "users/" + user + "/invitations", Limit: 1})
		return err
	})
	if err != nil {
		return nil, err
	}
	var items []account.Invitation
	err = a.store.View(r.Context(), func(all store.Reader) (err error) {
		items, err = account.InvitationsOf(all, user)
		return err
	})
	return httpapi.List[account.Invitation]{Items: items}, err
}

func (a *Accounts) acceptInvitation(r *httpapi.Request) (any, error) {
	return nil, answerInvitation(r, account.Accept)
}

func (a *Accounts) declineInvitation(r *httpapi.Request) (any, error) {
	return nil, answerInvitation(r, account.Decline)
}

// answerInvitation is for the caller alone: nobody answers for another.
func answerInvitation(r *httpapi.Request, answer func(tx store.Tx, user, accountID string) error) error {
	user := r.UserID()
	p, err := nestor.ParsePath("users/" + user + "/invitations/" + r.PathValue("account"))
	if err != nil {
		return err
	}
	return r.Act(p, func(tx store.Tx) error { return answer(tx, user, p.ID()) })
}
