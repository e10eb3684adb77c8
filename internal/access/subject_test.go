package access_test

import (
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// named is a user whose id is good.
func named(id string) access.Subject {
	s, err := access.Named(id)
	if err != nil {
		panic(err)
	}
	return s
}

// onUser is the operator's leave, who always has it; so are onKey and
// onSession.
func onUser(id string) access.OnUser {
	on, _ := access.AsOperator().OnUser(named(id))
	return on
}

func onKey(user, id string) access.OnKey {
	on, _ := access.AsOperator().OnKey(named(user), id)
	return on
}

func onSession(user, id string) access.OnSession {
	on, _ := access.AsOperator().OnSession(named(user), id)
	return on
}

func TestAUserIsNamedByOneID(t *testing.T) {
	t.Parallel()
	for _, id := range []string{
		"", ".", "..", "/", "ada/x/bob", "ada/", "/ada", "ada%2Fx%2Fbob", "ada bob", "ada\x00", "\u00e4da", "a*", "**", strings.Repeat("a", 65),
	} {
		if s, err := access.Named(id); nestor.CodeOf(err) != nestor.CodeInvalid || s != (access.Subject{}) {
			t.Errorf("%q is %v, %v", id, s, err)
		}
	}
	s, err := access.Named(strings.Repeat("a", 64))
	if err != nil || s.Path() != nestor.Path("users/"+s.ID()) || s.Collection("keys") != string(s.Path())+"/keys" {
		t.Errorf("%v, %v", s, err)
	}
}

// What is done is what was decided about: leave knows the path, and nothing
// else.
func TestLeaveIsForThePathThatWasDecidedOn(t *testing.T) {
	t.Parallel()
	var asked []nestor.Path
	refuse := access.Leave(func(p nestor.Path) error {
		asked = append(asked, p)
		return nestor.Errorf(nestor.CodeForbidden, "no")
	})
	user, userErr := refuse.OnUser(named("ada"))
	key, keyErr := refuse.OnKey(named("ada"), "k")
	session, sessionErr := refuse.OnSession(named("ada"), "s")
	for _, err := range []error{userErr, keyErr, sessionErr} {
		if nestor.CodeOf(err) != nestor.CodeForbidden {
			t.Errorf("refused with %v", err)
		}
	}
	if want := nestor.Path("users/ada users/ada/keys/k users/ada/sessions/s"); nestor.Path(join(asked)) != want {
		t.Errorf("asked about %v", asked)
	}
	if user != (access.OnUser{}) || key != (access.OnKey{}) || session != (access.OnSession{}) {
		t.Errorf("who is refused gets %v, %v, %v", user, key, session)
	}
	asked = nil
	for _, id := range []string{"", "..", "k/x/y"} {
		_, keyErr := refuse.OnKey(named("ada"), id)
		_, sessionErr := refuse.OnSession(named("ada"), id)
		if nestor.CodeOf(keyErr) != nestor.CodeInvalid || nestor.CodeOf(sessionErr) != nestor.CodeInvalid || asked != nil {
			t.Errorf("%q: %v, %v, asked about %v", id, keyErr, sessionErr, asked)
		}
	}
}

func join(paths []nestor.Path) string {
	texts := make([]string, len(paths))
	for i, p := range paths {
		texts[i] = string(p)
	}
	return strings.Join(texts, " ")
}

// A value that nobody asked leave for allows nothing.
func TestLeaveThatNobodyGaveIsForNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t, engines.SQLite(t))
	g := h.gate()
	h.addUser(g, access.NewUser{ID: "ada"})
	_, _, err := g.CreateAPIKey(t.Context(), access.OnUser{}, access.APIKey{Name: "k", Scopes: []string{"read"}})
	h.refused("a key", err, nestor.CodeInvalid)
	h.refused("a password", g.SetPassword(t.Context(), access.OnUser{}, "another password"), nestor.CodeInvalid)
	h.refused("an admin", g.SetAdmin(t.Context(), access.OnUser{}, true), nestor.CodeInvalid)
	h.refused("a lock", g.SetDisabled(t.Context(), access.OnUser{}, true), nestor.CodeInvalid)
	h.refused("an end", g.EndSession(t.Context(), access.OnSession{}), nestor.CodeInvalid)
	h.refused("a revocation", g.RevokeAPIKey(t.Context(), access.OnKey{}), nestor.CodeInvalid)
}
