package sharing

import (
	"encoding/json"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/chatfork"
	"github.com/nestorhq/nestor/internal/store"
)

// forking is a transaction in which clients cannot make a chat show what others said.
// What a chat was forked from is the server's to say: what a client sends of it is
// replaced. A fork stays in its account, whose members could read what it shares when
// it was made. And before a client changes or deletes a message, forks that share it
// keep it as it was.
type forking struct{ store.Tx }

// Create implements [store.Tx].
func (f forking) Create(p nestor.Path, body any) (*nestor.Document, error) {
	if fields, ok := chatFields(p, body); ok {
		delete(fields, forkedFrom)
		body = fields
	}
	return f.Tx.Create(p, body)
}

// Put implements [store.Tx].
func (f forking) Put(p nestor.Path, body any, version int64) (*nestor.Document, error) {
	before, err := f.before(p)
	if err != nil {
		return nil, err
	}
	if fields, ok := chatFields(p, body); ok {
		delete(fields, forkedFrom)
		if from, ok := before[forkedFrom]; ok {
			fields[forkedFrom] = from
		}
		if err := stays(before, fields["accountId"]); err != nil {
			return nil, err
		}
		body = fields
	}
	return f.Tx.Put(p, body, version)
}

// Patch implements [store.Tx].
func (f forking) Patch(p nestor.Path, patch any, version int64) (*nestor.Document, error) {
	before, err := f.before(p)
	if err != nil {
		return nil, err
	}
	if fields, ok := chatFields(p, patch); ok {
		delete(fields, forkedFrom)
		if account, ok := fields["accountId"]; ok {
			if err := stays(before, account); err != nil {
				return nil, err
			}
		}
		patch = fields
	}
	return f.Tx.Patch(p, patch, version)
}

// Delete implements [store.Tx].
func (f forking) Delete(p nestor.Path, version int64) error {
	if _, err := f.before(p); err != nil {
		return err
	}
	return f.Tx.Delete(p, version)
}

const forkedFrom = "forkedFrom"

// chatFields are the fields of a chat that is written; false if it is none, or none
// that could be stored: then the store says what is wrong.
func chatFields(p nestor.Path, body any) (map[string]json.RawMessage, bool) {
	if !store.Chats.Has(p) {
		return nil, false
	}
	fields, err := fieldsOf(body)
	return fields, err == nil
}

// before are the fields of a chat that a write replaces, if there is one. If a message
// is replaced, forks keep what they share of it.
func (f forking) before(p nestor.Path) (map[string]json.RawMessage, error) {
	said := store.Messages.Has(p) || chatfork.KeptMessages.Has(p)
	if !said && !store.Chats.Has(p) {
		return nil, nil
	}
	d, err := store.FindDocument(f.Tx, p)
	switch {
	case err != nil || d == nil:
		return nil, err
	case said:
		return nil, chatfork.Unshare(f.Tx, p.Parent())
	}
	return fieldsOf(d.Data)
}

// stays refuses to let a fork into another account.
func stays(before map[string]json.RawMessage, account json.RawMessage) error {
	if _, fork := before[forkedFrom]; !fork || text(account) == text(before["accountId"]) {
		return nil
	}
	return nestor.Errorf(nestor.CodeConflict, "a fork stays in the account of the chat that it came from: "+
		"the members of another one could not read what both share").With("field", "accountId")
}
