package events

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// counted is a store with one document that counts how often it is read.
type counted struct {
	store.Documents
	reads int
	doc   *nestor.Document
	err   error
}

func (s *counted) View(_ context.Context, fn func(store.Reader) error) error {
	return fn(countedReader{s})
}

type countedReader struct{ *counted }

func (r countedReader) Get(nestor.Path) (*nestor.Document, error) {
	r.reads++
	return r.doc, r.err
}

func (r countedReader) Query(store.Query) (store.Page, error) { return store.Page{}, nil }

func TestRechecksReadADocumentOnceInAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &counted{doc: &nestor.Document{Path: "chats/c1", Version: 1}}
		recent := newRecent(s, time.Second)
		get := func(want int64, code nestor.Code, reads int) {
			t.Helper()
			for range 100 { // streams
				d, err := recent.reader(t.Context()).Get("chats/c1")
				if nestor.CodeOf(err) != code || err == nil && d.Version != want {
					t.Fatalf("got %v, %v", d, err)
				}
			}
			if s.reads != reads {
				t.Errorf("%d reads, want %d", s.reads, reads)
			}
		}
		get(1, "", 1)
		s.doc = &nestor.Document{Path: "chats/c1", Version: 2}
		time.Sleep(999 * time.Millisecond)
		get(1, "", 1)
		time.Sleep(time.Millisecond)
		get(2, "", 2)
		s.doc, s.err = nil, nestor.ErrNotFound
		time.Sleep(time.Second)
		get(0, nestor.CodeNotFound, 3)
		// A failure is nobody's answer: the next one asks again.
		s.err = errors.New("no connection")
		time.Sleep(time.Second)
		get(0, nestor.CodeInternal, 103)
	})
}
