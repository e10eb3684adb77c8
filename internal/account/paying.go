package account

import (
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// operator is the bearer of NESTOR_TOKEN, who runs the server.
const operator = "local"

// Pays reports why a user may not have work done that an account pays for. The chats of
// users who have left, or may only read by now, stay theirs, and they read them. The error is
// of [nestor.CodeForbidden].
//
// No account, or one that is gone, pays for nothing, and so refuses nothing.
func Pays(r store.Reader, accountID, userID string) error {
	if nestor.CheckID(accountID) != nil || userID == operator {
		return nil
	}
	a, err := store.Find[Account](r, accountPath(accountID))
	if err != nil || a == nil || a.Members[userID].may(Member) {
		return err
	}
	why := "have no part in"
	if a.Members[userID] == Viewer {
		why = "only read in"
	}
	return nestor.Errorf(nestor.CodeForbidden,
		"this chat is paid by the account %q, and those who %s that account have nothing done there: read the chat, and go on in a fork or in a new chat of your own", a.Name, why)
}

// PaysIn is [Pays] for what is done in the chat that the document at p is or lies in.
func PaysIn(r store.Reader, p nestor.Path, userID string) error {
	segments := strings.SplitN(string(p), "/", 5)
	if len(segments) < 4 {
		return nil
	}
	at := nestor.Path(strings.Join(segments[:4], "/"))
	if !store.Chats.Has(at) {
		return nil
	}
	chat, err := store.Find[nestor.Chat](r, at)
	if err != nil || chat == nil {
		return err
	}
	return Pays(r, chat.AccountID, userID)
}

// Unpaid says why nobody pays for what is done in a chat of an account now for a user: they
// are locked out, or [Pays] refuses. It is nil if somebody does. The refusal is of
// [nestor.CodeOverBudget]: it ends the work as a budget does that is used up. What is wrong
// otherwise is err.
func Unpaid(r store.Reader, accountID, userID string) (refusal, err error) {
	if nestor.CheckID(userID) == nil {
		user, err := store.Find[struct {
			Disabled bool `json:"disabled"`
		}](r, nestor.Path("users/"+userID))
		if err != nil {
			return nil, err
		}
		if user != nil && user.Disabled {
			return nestor.Errorf(nestor.CodeOverBudget, "%s, who asked for it, is locked out", userID), nil
		}
	}
	if err = Pays(r, accountID, userID); nestor.CodeOf(err) == nestor.CodeForbidden {
		return nestor.Errorf(nestor.CodeOverBudget, "%s asked for it, and %s", userID, err.Error()), nil
	}
	return nil, err
}
