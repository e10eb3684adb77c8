// Package onbehalf says whose documents the tools of domains work on, and which of them a
// call may touch.
package onbehalf

import (
	"context"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
)

// Person is the one on whose documents a call works.
type Person struct {
	UserID string
	caller access.Caller
}

// Of is the one who asked for a call, in a chat that nobody else reads. What is told in a
// shared chat all its members read, and each of them could have the model tell what another
// one asked for.
func Of(ctx context.Context, s store.Documents, scope tool.Scope) (*Person, error) {
	if nestor.CheckID(scope.UserID) != nil {
		return nil, nestor.Errorf(nestor.CodeForbidden, "there is no user whose documents this tool could work on")
	}
	work := access.Work{Run: scope.Run, Askers: scope.AskedBy.Or(scope.UserID)}
	if scope.ChatID != "" {
		work.Chat = nestor.Path("users/"+scope.UserID).Child("orch-chats", scope.ChatID)
	}
	var p *Person
	err := s.View(ctx, func(r store.Reader) error {
		a, err := access.OnBehalf(r, work, time.Now())
		if err != nil {
			return err
		}
		if len(a.Callers) > 1 || a.Callers[0].UserID != scope.UserID {
			return nestor.Errorf(nestor.CodeForbidden, "this tool works on the documents of one person, in a chat of their own")
		}
		p = &Person{scope.UserID, a.Callers[0]}
		if a.Chat == "" {
			return nil
		}
		chat, err := store.Find[nestor.Chat](r, a.Chat)
		if err != nil || chat == nil {
			return err
		}
		if personal, err := account.IsPersonal(r, chat.AccountID); err != nil || personal {
			return err
		}
		return nestor.Errorf(nestor.CodeForbidden, "this tool works on the documents of one person, and others read this chat")
	})
	return p, err
}

// Reaches reports whether the call may touch a document, as far as its reach goes.
func (p *Person) Reaches(at nestor.Path) bool { return p.caller.Reaches(at, access.ToRead, time.Now()) }

// Needs refuses a call that may not touch documents which it cannot do without.
func (p *Person) Needs(all ...nestor.Path) error {
	for _, at := range all {
		if err := p.need(at); err != nil {
			return err
		}
	}
	return nil
}

func (p *Person) need(at nestor.Path) error {
	if p.Reaches(at) {
		return nil
	}
	return nestor.Errorf(nestor.CodeForbidden, "the key or token with which this was asked for is not for %s", at.Collection())
}

// Reader reads through r what the call may touch. Nothing else seems to be there.
func (p *Person) Reader(r store.Reader) store.Reader {
	if !p.caller.Bounded() {
		return r
	}
	return bounded{r, p}
}

// Tx writes through tx what the call may touch.
func (p *Person) Tx(tx store.Tx) store.Tx {
	if !p.caller.Bounded() {
		return tx
	}
	return boundedTx{tx, bounded{tx, p}}
}

type bounded struct {
	reader store.Reader
	person *Person
}

// Get implements [store.Reader].
func (b bounded) Get(at nestor.Path) (*nestor.Document, error) {
	if !b.person.Reaches(at) {
		return nil, nestor.Errorf(nestor.CodeNotFound, "there is no document %s", at)
	}
	return b.reader.Get(at)
}

// Query implements [store.Reader]. A page may be short and still have a next one.
func (b bounded) Query(q store.Query) (store.Page, error) {
	page, err := b.reader.Query(q)
	within := []*nestor.Document{}
	for _, d := range page.Items {
		if b.person.Reaches(d.Path) {
			within = append(within, d)
		}
	}
	page.Items = within
	return page, err
}

type boundedTx struct {
	store.Tx
	reader bounded
}

// Get implements [store.Reader].
func (b boundedTx) Get(at nestor.Path) (*nestor.Document, error) { return b.reader.Get(at) }

// Query implements [store.Reader].
func (b boundedTx) Query(q store.Query) (store.Page, error) { return b.reader.Query(q) }

// Create implements [store.Tx].
func (b boundedTx) Create(at nestor.Path, body any) (*nestor.Document, error) {
	if err := b.reader.person.need(at); err != nil {
		return nil, err
	}
	return b.Tx.Create(at, body)
}

// Put implements [store.Tx].
func (b boundedTx) Put(at nestor.Path, body any, version int64) (*nestor.Document, error) {
	if err := b.reader.person.need(at); err != nil {
		return nil, err
	}
	return b.Tx.Put(at, body, version)
}

// Patch implements [store.Tx].
func (b boundedTx) Patch(at nestor.Path, patch any, version int64) (*nestor.Document, error) {
	if err := b.reader.person.need(at); err != nil {
		return nil, err
	}
	return b.Tx.Patch(at, patch, version)
}

// Delete implements [store.Tx].
func (b boundedTx) Delete(at nestor.Path, version int64) error {
	if err := b.reader.person.need(at); err != nil {
		return err
	}
	return b.Tx.Delete(at, version)
}
