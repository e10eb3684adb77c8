package httpapi

import (
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/store"
)

// listInvitations are those of an account that wait for an answer.
func (s *server) listInvitations(r *http.Request) (response, error) {
	p, err := accountPath(r)
	if err != nil {
		return response{}, err
	}
	items := []account.Invitation{}
	err = s.view(r, func(tx store.Reader) error {
		found, err := account.Invitations(tx, callerOf(r).UserID, p.ID())
		items = append([]account.Invitation{}, found...)
		return err
	})
	return response{body: map[string]any{"items": items}}, err
}

func (s *server) deleteInvitation(r *http.Request) (response, error) {
	p, err := accountPath(r)
	if err != nil {
		return response{}, err
	}
	return response{}, s.act(r, p, func(tx store.Tx) error {
		return account.Withdraw(tx, callerOf(r).UserID, p.ID(), r.PathValue("user"))
	})
}

// listOwnInvitations are those of the caller. They lie in accounts that the
// caller may not read yet.
func (s *server) listOwnInvitations(r *http.Request) (response, error) {
	user := callerOf(r).UserID
	err := s.view(r, func(tx store.Reader) error {
		_, err := tx.Query(store.Query{Collection: "users/" + user + "/invitations", Limit: 1})
		return err
	})
	if err != nil {
		return response{}, err
	}
	var items []account.Invitation
	err = s.Store.View(r.Context(), func(all store.Reader) (err error) {
		items, err = account.InvitationsOf(all, user)
		return err
	})
	return response{body: map[string]any{"items": items}}, err
}

func (s *server) acceptInvitation(r *http.Request) (response, error) {
	return response{}, s.answerInvitation(r, account.Accept)
}

func (s *server) declineInvitation(r *http.Request) (response, error) {
	return response{}, s.answerInvitation(r, account.Decline)
}

// answerInvitation is for the caller alone: nobody answers for another.
func (s *server) answerInvitation(r *http.Request, answer func(tx store.Tx, user, accountID string) error) error {
	user := callerOf(r).UserID
	p, err := nestor.ParsePath("users/" + user + "/invitations/" + r.PathValue("account"))
	if err != nil {
		return err
	}
	return s.act(r, p, func(tx store.Tx) error { return answer(tx, user, p.ID()) })
}
