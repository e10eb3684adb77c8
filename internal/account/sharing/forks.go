package sharing

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/chatfork"
	"github.com/nestorhq/nestor/internal/store"
)

// forking is a transaction in which forks stay in their account, whose members could read
// what they share when they were made, and in which messages that forks share are kept for
// them before a client changes or deletes one.
type forking struct{ store.Tx }

// Put implements [store.Tx].
func (f forking) Put(p nestor.Path, body any, version int64) (*nestor.Document, error) {
	if err := f.replace(p, body, true); err != nil {
		return nil, err
	}
	return f.Tx.Put(p, body, version)
}

// Patch implements [store.Tx].
func (f forking) Patch(p nestor.Path, patch any, version int64) (*nestor.Document, error) {
	if err := f.replace(p, patch, false); err != nil {
		return nil, err
	}
	return f.Tx.Patch(p, patch, version)
}

// Delete implements [store.Tx].
func (f forking) Delete(p nestor.Path, version int64) error {
	if err := f.unshare(p); err != nil {
		return err
	}
	return f.Tx.Delete(p, version)
}

// replace prepares for a write that changes what is there; body is a whole document, or
// what changes of it.
func (f forking) replace(p nestor.Path, body any, whole bool) error {
	if !store.Chats.Has(p) {
		return f.unshare(p)
	}
	fields, err := fieldsOf(body)
	if err != nil {
		return nil // the store says what is wrong
	}
	account, given := fields["accountId"]
	if !given && !whole {
		return nil
	}
	chat, err := store.FindDocument(f.Tx, p)
	if err != nil || chat == nil {
		return err
	}
	before, err := fieldsOf(chat.Data)
	if _, fork := before["forkedFrom"]; err != nil || !fork || text(account) == text(before["accountId"]) {
		return err
	}
	return nestor.Errorf(nestor.CodeConflict, "a fork stays in the account of the chat that it came from: "+
		"the members of another one could not read what both share").With("field", "accountId")
}

// unshare has forks keep what they share of a chat before one of its messages is replaced.
func (f forking) unshare(p nestor.Path) error {
	if !store.Messages.Has(p) && !chatfork.KeptMessages.Has(p) {
		return nil
	}
	d, err := store.FindDocument(f.Tx, p)
	if err != nil || d == nil {
		return err
	}
	return chatfork.Unshare(f.Tx, p.Parent())
}
