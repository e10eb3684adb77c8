package access_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestUsersAreAddedAndListed(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		h := newHouse(t, open)
		g := h.gate()
		ada := h.addUser(g, access.NewUser{ID: "ada", Name: "Ada L.", Email: "ada@example.com", Admin: true})
		bob := h.addUser(g, access.NewUser{Name: "bob"})
		if ada.Version != 1 || bob.ID == "" || bob.Admin {
			t.Errorf("added %+v and %+v", ada, bob)
		}
		if got, err := g.User(t.Context(), "ada"); err != nil || got != ada {
			t.Errorf("got %+v, %v", got, err)
		}
		_, err := g.User(t.Context(), "none")
		h.refused("an unknown user", err, nestor.CodeNotFound)
		list, next, err := g.Users(t.Context(), 1, "")
		if err != nil || len(list) != 1 || list[0] != ada {
			t.Errorf("listed %+v, %v", list, err)
		}
		list, next, err = g.Users(t.Context(), 1, next)
		if err != nil || len(list) != 1 || list[0] != bob || next != "" {
			t.Errorf("then %+v, %q, %v", list, next, err)
		}
		if strings.Contains(h.written(), pass) {
			t.Error("the password is stored")
		}
	})
}

func TestAUserMustMakeSense(t *testing.T) {
	t.Parallel()
	h := newHouse(t, engines.SQLite(t))
	g := h.gate()
	for name, c := range map[string]struct {
		user access.NewUser
		pass string
	}{
		"an id that is a path":    {access.NewUser{ID: "a/b"}, pass},
		"a name with a line":      {access.NewUser{ID: "a", Name: "a\nb"}, pass},
		"a name with a space":     {access.NewUser{ID: "a", Name: " a"}, pass},
		"a name too long":         {access.NewUser{ID: "a", Name: strings.Repeat("é", 201)}, pass},
		"no e-mail":               {access.NewUser{ID: "a", Email: "example.com"}, pass},
		"an e-mail with a name":   {access.NewUser{ID: "a", Email: "Ada <ada@example.com>"}, pass},
		"no password":             {access.NewUser{ID: "a"}, ""},
		"a password too short":    {access.NewUser{ID: "a"}, "elevenchars"},
		"a password too long":     {access.NewUser{ID: "a"}, strings.Repeat("é", 257)},
		"a password of bad UTF-8": {access.NewUser{ID: "a"}, pass + "\xff"},
	} {
		_, err := g.AddUser(t.Context(), c.user, c.pass)
		h.refused(name, err, nestor.CodeInvalid)
		if err != nil && c.pass != "" && strings.Contains(err.Error(), c.pass) {
			t.Errorf("%s: the error tells the password", name)
		}
	}
	for name, p := range map[string]string{"the shortest": strings.Repeat("é", 12), "the longest": strings.Repeat("é", 256)} {
		if _, err := g.AddUser(t.Context(), access.NewUser{Name: name}, p); err != nil {
			t.Errorf("%s password: %v", name, err)
		}
	}
}

func TestNobodyHasAnothersLogin(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		h := newHouse(t, open)
		g := h.gate()
		h.addUser(g, access.NewUser{ID: "ada", Name: "Ada L.", Email: "ada@example.com"})
		for name, u := range map[string]access.NewUser{
			"the same id":                 {ID: "ada"},
			"the id in other letters":     {ID: "ADA"},
			"the name":                    {ID: "x", Name: "ada l."},
			"the e-mail":                  {ID: "x", Email: "Ada@Example.com"},
			"another's e-mail as a name":  {ID: "x", Name: "ada@example.com"},
			"another's name as one's own": {Name: "ADA"},
		} {
			_, err := g.AddUser(t.Context(), u, pass)
			h.refused(name, err, nestor.CodeExists)
		}
		if err := h.store.Update(t.Context(), func(tx store.Tx) error { return tx.Delete("users/ada", store.AnyVersion) }); err != nil {
			t.Fatal(err)
		}
		h.addUser(g, access.NewUser{ID: "new", Email: "ada@example.com"})
		if tokens := h.login(g, "ada@example.com"); tokens.UserID != "new" {
			t.Errorf("the e-mail of a user who was deleted is that of %s", tokens.UserID)
		}
	})
}

func TestADisabledUserIsOutAtOnce(t *testing.T) {
	t.Parallel()
	withAda(t, func(t *testing.T, h *house, g *access.Gate) {
		tokens := h.login(g, "ada")
		_, key, err := g.CreateAPIKey(t.Context(), onUser("ada"), access.APIKey{Name: "k", Scopes: []string{"read"}})
		if err != nil {
			t.Fatal(err)
		}
		grant := h.key.MintToken(access.Grant{User: "ada", Path: "users/ada/notes/n", Expires: h.time().Unix() + 100})
		credentials := map[string]string{"session": tokens.Access, "key": key, "grant": grant}
		for name, token := range credentials {
			if _, err := h.authenticate(g, token); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := g.SetDisabled(t.Context(), onUser("ada"), true); err != nil {
			t.Fatal(err)
		}
		for name, token := range credentials {
			_, err := h.authenticate(g, token)
			h.refused(name, err, nestor.CodeUnauthenticated)
		}
		_, err = g.Refresh(t.Context(), tokens.Refresh)
		h.refused("refresh", err, nestor.CodeUnauthenticated)
		_, err = g.Login(t.Context(), "ada", pass, home)
		h.refused("login", err, nestor.CodeUnauthenticated)
		if err := g.SetDisabled(t.Context(), onUser("ada"), false); err != nil {
			t.Fatal(err)
		}
		if _, err := h.authenticate(g, key); err != nil {
			t.Errorf("the key of who is back: %v", err)
		}
		_, err = h.authenticate(g, tokens.Access)
		h.refused("the session of before", err, nestor.CodeUnauthenticated)
		h.refused("an unknown user", g.SetDisabled(t.Context(), onUser("none"), true), nestor.CodeNotFound)
	})
}

func TestANewPasswordEndsTheSessions(t *testing.T) {
	t.Parallel()
	withAda(t, func(t *testing.T, h *house, g *access.Gate) {
		tokens := h.login(g, "ada")
		h.refused("a bad one", g.SetPassword(t.Context(), onUser("ada"), "short"), nestor.CodeInvalid)
		h.refused("of nobody", g.SetPassword(t.Context(), onUser("none"), pass), nestor.CodeNotFound)
		if _, err := h.authenticate(g, tokens.Access); err != nil {
			t.Fatal(err)
		}
		if err := g.SetPassword(t.Context(), onUser("ada"), "another password"); err != nil {
			t.Fatal(err)
		}
		_, err := h.authenticate(g, tokens.Access)
		h.refused("the session", err, nestor.CodeUnauthenticated)
		_, err = g.Login(t.Context(), "ada", pass, home)
		h.refused("the old password", err, nestor.CodeUnauthenticated)
		if _, err = g.Login(t.Context(), "ada", "another password", home); err != nil {
			t.Error(err)
		}
	})
}

func TestOfTwoAdministratorsWhoLoseTheRightAtOnceOneStays(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		h := newHouse(t, open)
		g := h.gate()
		for round := range 5 {
			ids := []string{fmt.Sprint("ada", round), fmt.Sprint("bob", round)}
			for _, id := range ids {
				h.addUser(g, access.NewUser{ID: id, Admin: true})
			}
			if round > 0 { // those of before are ordinary users from here on
				for _, u := range h.admins(g) {
					if !slices.Contains(ids, u) {
						if err := g.SetAdmin(t.Context(), onUser(u), false); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			errs := make([]error, 3)
			var wg sync.WaitGroup
			wg.Go(func() { errs[0] = g.SetAdmin(t.Context(), onUser(ids[0]), false) })
			wg.Go(func() { errs[1] = g.SetDisabled(t.Context(), onUser(ids[1]), true) })
			wg.Wait()
			if left := h.admins(g); len(left) != 1 {
				t.Errorf("round %d: %v are left, after %v", round, left, errs)
			}
		}
	})
}

// admins are the users who are administrators and can come in.
func (h *house) admins(g *access.Gate) (ids []string) {
	h.Helper()
	users, _, err := g.Users(h.Context(), store.MaxLimit, "")
	if err != nil {
		h.Fatal(err)
	}
	for _, u := range users {
		if u.Admin && !u.Disabled {
			ids = append(ids, u.ID)
		}
	}
	return ids
}

func TestThePersonWhoRunsTheServerHasKeysFromTheStart(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		h := newHouse(t, open)
		g := h.gate()
		_, key := h.createKey(g, access.Local, access.APIKey{Name: "k", Scopes: []string{access.ScopeAdmin}})
		if c, err := h.authenticate(g, key); err != nil || c.UserID != access.Local || !c.Admin {
			t.Errorf("it is %+v, %v", c, err)
		}
		_, _, err := g.CreateAPIKey(t.Context(), onUser("nobody"), access.APIKey{Name: "k", Scopes: []string{"read"}})
		h.refused("a user that there is not", err, nestor.CodeNotFound)
	})
}
