package account

import (
	"context"
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Departure says that a chat left an account: it was deleted, or belongs
// elsewhere now. It lies at accounts/{accountId}/departures/{id}, so that members
// who kept a copy of the chat and were away learn that it is not theirs to see
// any more. Whoever may read it could see the chat.
type Departure struct {
	nestor.Meta
	UserID string `json:"userId"` // whose the chat was
	ChatID string `json:"chatId"`
}

// Chat is the path of the chat.
func (d Departure) Chat() nestor.Path {
	return nestor.Path("users/"+d.UserID).Child("orch-chats", d.ChatID)
}

func departures(accountID string) string {
	return accountPath(accountID).Child("departures", "x").Collection()
}

// Noting returns tx as a transaction that writes a departure for every chat
// that leaves an account.
func Noting(tx store.Tx) store.Tx { return noting{tx} }

type noting struct{ store.Tx }

// Put implements [store.Tx].
func (n noting) Put(p nestor.Path, body any, version int64) (*nestor.Document, error) {
	return n.written(p, func() (*nestor.Document, error) { return n.Tx.Put(p, body, version) })
}

// Patch implements [store.Tx].
func (n noting) Patch(p nestor.Path, patch any, version int64) (*nestor.Document, error) {
	return n.written(p, func() (*nestor.Document, error) { return n.Tx.Patch(p, patch, version) })
}

func (n noting) written(p nestor.Path, write func() (*nestor.Document, error)) (*nestor.Document, error) {
	if !store.Chats.Has(p) {
		return write()
	}
	from, err := n.accountOf(p)
	if err != nil {
		return nil, err
	}
	d, err := write()
	if err != nil || from == "" {
		return d, err
	}
	c, err := nestor.As[nestor.Chat](d)
	if err != nil || c.AccountID == from {
		return d, err
	}
	return d, n.note(p, from)
}

// Delete implements [store.Tx].
func (n noting) Delete(p nestor.Path, version int64) error {
	if !store.Chats.Has(p) {
		return n.Tx.Delete(p, version)
	}
	from, err := n.accountOf(p)
	if err != nil {
		return err
	}
	if err := n.Tx.Delete(p, version); err != nil || from == "" {
		return err
	}
	return n.note(p, from)
}

// accountOf is the account that a chat belongs to, "" for none.
func (n noting) accountOf(p nestor.Path) (string, error) {
	d, err := n.Tx.Get(p)
	if errors.Is(err, nestor.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	c, err := nestor.As[nestor.Chat](d)
	return c.AccountID, err
}

// note writes the departure of a chat, unless nobody else could see it.
func (n noting) note(chat nestor.Path, from string) error {
	if nestor.CheckID(from) != nil {
		return nil // no account has such an id
	}
	d, err := n.Tx.Get(accountPath(from))
	if errors.Is(err, nestor.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	a, err := nestor.As[Account](d)
	if err != nil || a.Personal {
		return err
	}
	at := accountPath(from).Child("departures", nestor.DeriveID("departure", string(chat)))
	_, err = n.Tx.Put(at, Departure{UserID: chat.UserID(), ChatID: chat.ID()}, store.AnyVersion)
	return err
}

// Departures returns what left an account after a position in the change log.
func Departures(ctx context.Context, s store.Sync, accountID string, after int64) (list []Departure, err error) {
	err = since(ctx, s, departures(accountID), after, func(l store.Latest) error {
		if l.Document == nil {
			return nil
		}
		d, err := nestor.As[Departure](l.Document)
		list = append(list, d)
		return err
	})
	return list, err
}

// Moved reports whether a user has joined or left an account, other than their
// personal one, after a position in the change log.
func Moved(ctx context.Context, s store.Sync, userID string, after int64) (moved bool, err error) {
	err = since(ctx, s, membershipPath(userID, "x").Collection(), after, func(l store.Latest) error {
		moved = moved || l.Path.ID() != personalAccount(userID)
		return nil
	})
	return moved, err
}

func since(ctx context.Context, s store.Sync, collection string, after int64, each func(store.Latest) error) error {
	scope, err := s.Catalogue().Scope(collection)
	if err != nil {
		return err
	}
	for at, more := store.At(after), true; more; {
		delta, err := s.Since(ctx, scope, at, store.MaxLimit)
		if err != nil {
			return err
		}
		for _, l := range delta.Items {
			if err := each(l); err != nil {
				return err
			}
		}
		at, more = delta.Next, delta.More
	}
	return nil
}
