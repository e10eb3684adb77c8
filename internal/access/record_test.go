package access_test

import (
	"context"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// slow is a store in which something else happens while one reads.
type slow struct {
	store.Documents
	meanwhile func()
	updates   int
}

func (s *slow) View(ctx context.Context, fn func(store.Reader) error) error {
	err := s.Documents.View(ctx, fn)
	if s.meanwhile != nil {
		do := s.meanwhile
		s.meanwhile = nil
		do()
	}
	return err
}

func (s *slow) Update(ctx context.Context, fn func(store.Tx) error) error {
	s.updates++
	return s.Documents.Update(ctx, fn)
}

func TestALookUpThatARevocationOvertakesIsForgotten(t *testing.T) {
	t.Parallel()
	h := newHouse(t, engines.SQLite(t))
	s := &slow{Documents: h.store}
	g := h.gate(func(o *access.Options) { o.Store = s })
	h.addUser(g, access.NewUser{ID: "ada"})
	tokens := h.login(g, "ada")
	s.meanwhile = func() {
		if err := g.EndSession(t.Context(), onSession("ada", tokens.SessionID)); err != nil {
			t.Error(err)
		}
	}
	if _, err := h.authenticate(g, tokens.Access); err != nil {
		t.Errorf("who came before: %v", err)
	}
	_, err := h.authenticate(g, tokens.Access)
	h.refused("who comes after", err, nestor.CodeUnauthenticated)
}

func TestLookUpsAreFewerThanRequests(t *testing.T) {
	t.Parallel()
	h := newHouse(t, engines.SQLite(t))
	reads := 0
	s := &slow{Documents: h.store}
	g := h.gate(func(o *access.Options) { o.Store = s })
	h.addUser(g, access.NewUser{ID: "ada"})
	tokens := h.login(g, "ada")
	for range 100 {
		s.meanwhile = func() { reads++ }
		if _, err := h.authenticate(g, tokens.Access); err != nil {
			t.Fatal(err)
		}
		h.pass(20 * time.Millisecond)
	}
	if reads != 2 {
		t.Errorf("%d look-ups in two seconds", reads)
	}
}

func TestABusyKeyDoesNotWrite(t *testing.T) {
	t.Parallel()
	h := newHouse(t, engines.SQLite(t))
	s := &slow{Documents: h.store}
	g, elsewhere := h.gate(), h.gate(func(o *access.Options) { o.Store = s })
	h.addUser(g, access.NewUser{ID: "ada"})
	k, key := h.createKey(g, "ada", access.APIKey{Name: "k", Scopes: []string{"read"}})
	s.meanwhile = func() { // another node is first to note the use
		if _, err := h.authenticate(g, key); err != nil {
			t.Error(err)
		}
	}
	for range 50 {
		if _, err := h.authenticate(elsewhere, key); err != nil {
			t.Fatal(err)
		}
	}
	list, err := g.APIKeys(t.Context(), named("ada"))
	if err != nil || list[0].ID != k.ID || list[0].Version != 2 || s.updates != 1 {
		t.Errorf("%+v, %v after %d transactions", list, err, s.updates)
	}
}
