package connection

import (
	"context"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// looked counts what is read by itself. Meanwhile, if set, happens once while it is.
type looked struct {
	store.Store
	store.SoleWriter
	times     int
	meanwhile func()
}

func (l *looked) Load(ctx context.Context, p nestor.Path) (*nestor.Document, error) {
	l.times++
	d, err := l.Store.(store.Loader).Load(ctx, p)
	if fn := l.meanwhile; fn != nil {
		l.meanwhile = nil
		fn()
	}
	return d, err
}

func TestAChoiceIsReadOnceUntilSomebodyWritesIt(t *testing.T) {
	open := engines.SQLite(t)
	own, other := open(t, store.Options{}), open(t, store.Options{})
	docs := &looked{Store: own, SoleWriter: own.(store.SoleWriter)}
	c := newChoices(docs)
	choose := func(s store.Store, id string) {
		t.Helper()
		if err := s.Update(t.Context(), func(tx store.Tx) error {
			_, err := tx.Put(ChoicePath("ann"), choice{ConnectionID: id}, store.AnyVersion)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	want := func(when, id string, times int) {
		t.Helper()
		made, err := c.of(t.Context(), "ann")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if made != nil {
			got = made.ConnectionID
		}
		if got != id || docs.times != times {
			t.Errorf("%s it is %q, read %d times; want %q and %d", when, got, docs.times, id, times)
		}
	}
	want("at first", "", 1)
	want("again", "", 1)
	choose(own, "one")
	want("after a choice", "one", 2)
	want("after a choice, again", "one", 2)
	docs.meanwhile = func() { choose(own, "three") }
	choose(own, "two")
	want("while another is made", "two", 3)
	want("after that", "three", 4)
	choose(other, "four")
	if err := own.Update(t.Context(), func(tx store.Tx) error {
		_, err := tx.Put("users/bob/notes/n", map[string]any{"text": "whoever writes finds out"}, store.AnyVersion)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	want("after somebody else's choice", "four", 5)
	if err := own.Update(t.Context(), func(tx store.Tx) error { return tx.Delete(ChoicePath("ann"), store.AnyVersion) }); err != nil {
		t.Fatal(err)
	}
	want("after it was deleted", "", 6)
}
