package access_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func (h *house) createKey(g *access.Gate, user string, k access.APIKey) (access.APIKey, string) {
	h.Helper()
	k, key, err := g.CreateAPIKey(h.Context(), onUser(user), k)
	if err != nil {
		h.Fatal(err)
	}
	return k, key
}

func TestAKeyIsShownOnceAndWorksUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		h := newHouse(t, open)
		g, elsewhere := h.gate(), h.gate()
		h.addUser(g, access.NewUser{ID: "ada", Admin: true})
		k, key := h.createKey(g, "ada", access.APIKey{Name: "ci", Scopes: []string{"write", "users/ada/notes/**"}})
		if !strings.HasPrefix(key, "nst_k_") || k.Name != "ci" || k.ID == "" || !strings.HasSuffix(key, k.Hint) || len(k.Hint) != 4 {
			t.Errorf("created %+v", k)
		}
		if strings.Contains(h.written(), key[len("nst_k_")+20:]) {
			t.Error("the key is stored")
		}
		list, err := g.APIKeys(t.Context(), named("ada"))
		if err != nil || len(list) != 1 || list[0].ID != k.ID || !slices.Equal(list[0].Scopes, k.Scopes) {
			t.Errorf("listed %+v, %v", list, err)
		}
		for _, node := range []*access.Gate{g, elsewhere, g, elsewhere} { // twice: they remember it then
			c, err := h.authenticate(node, key)
			if err != nil || c.UserID != "ada" || c.Kind != access.WithKey || c.Admin || c.ID != k.ID || !slices.Equal(c.Scopes, k.Scopes) {
				t.Errorf("%+v, %v", c, err)
			}
		}
		_, another := h.createKey(g, "ada", access.APIKey{Name: "another", Scopes: []string{"read"}})
		_, err = h.authenticate(g, key[:len("nst_k_")+20]+another[len("nst_k_")+20:])
		h.refused("the id of one with the secret of another", err, nestor.CodeUnauthenticated)
		h.refused("revoking another's", g.RevokeAPIKey(t.Context(), onKey("bob", k.ID)), nestor.CodeNotFound)
		if err := g.RevokeAPIKey(t.Context(), onKey("ada", k.ID)); err != nil {
			t.Fatal(err)
		}
		_, err = h.authenticate(g, key)
		h.refused("on this node", err, nestor.CodeUnauthenticated)
		h.pass(time.Second)
		_, err = h.authenticate(elsewhere, key)
		h.refused("on another node after a second", err, nestor.CodeUnauthenticated)
		h.refused("revoking it again", g.RevokeAPIKey(t.Context(), onKey("ada", k.ID)), nestor.CodeNotFound)
	})
}

func TestAKeyExpires(t *testing.T) {
	t.Parallel()
	withAda(t, func(t *testing.T, h *house, g *access.Gate) {
		_, key := h.createKey(g, "ada", access.APIKey{Name: "k", Scopes: []string{"read"}, ExpiresAt: nestor.Millis(h.time().Add(500 * time.Millisecond))})
		c, err := h.authenticate(g, key)
		if err != nil {
			t.Fatal(err)
		}
		h.pass(500 * time.Millisecond) // while it is still in the cache
		_, err = h.authenticate(g, key)
		h.refused("the key", err, nestor.CodeUnauthenticated)
		_, err = g.Recheck(t.Context(), c)
		h.refused("a stream with it", err, nestor.CodeUnauthenticated)
		if c.Reaches("users/ada/notes/n", access.ToRead, h.time()) {
			t.Error("its caller still reaches something")
		}
	})
}

func TestAnAdminsKeyIsAnAdminOnlyByItsScope(t *testing.T) {
	t.Parallel()
	h := newHouse(t, engines.SQLite(t))
	g := h.gate()
	h.addUser(g, access.NewUser{ID: "root", Admin: true})
	h.addUser(g, access.NewUser{ID: "ada"})
	for user, scopes := range map[string]map[string]bool{
		"root": {"read": false, "write": false, "admin": true},
		"ada":  {"read": false, "write": false, "admin": false},
	} {
		for scope, want := range scopes {
			_, key := h.createKey(g, user, access.APIKey{Name: "k", Scopes: []string{scope}})
			if c, err := h.authenticate(g, key); err != nil || c.Admin != want {
				t.Errorf("%s with %s: admin %v, %v", user, scope, c.Admin, err)
			}
		}
	}
}

func TestAKeyMustMakeSense(t *testing.T) {
	t.Parallel()
	h := newHouse(t, engines.SQLite(t))
	g := h.gate()
	h.addUser(g, access.NewUser{ID: "ada"})
	for name, k := range map[string]access.APIKey{
		"no name":           {Scopes: []string{"read"}},
		"a name of lines":   {Name: "a\nb", Scopes: []string{"read"}},
		"a name too long":   {Name: strings.Repeat("x", 101), Scopes: []string{"read"}},
		"no scopes":         {Name: "k"},
		"only paths":        {Name: "k", Scopes: []string{"users/ada/**"}},
		"two levels":        {Name: "k", Scopes: []string{"read", "write"}},
		"no glob":           {Name: "k", Scopes: []string{"read", "users/**/x"}},
		"too many scopes":   {Name: "k", Scopes: slices.Repeat([]string{"read"}, 51)},
		"an expiry of past": {Name: "k", Scopes: []string{"read"}, ExpiresAt: nestor.Millis(h.time())},
	} {
		_, _, err := g.CreateAPIKey(t.Context(), onUser("ada"), k)
		h.refused(name, err, nestor.CodeInvalid)
	}
	_, _, err := g.CreateAPIKey(t.Context(), onUser("none"), access.APIKey{Name: "k", Scopes: []string{"read"}})
	h.refused("a key of nobody", err, nestor.CodeNotFound)
	h.fill("users/ada/keys", 99)
	h.createKey(g, "ada", access.APIKey{Name: "k", Scopes: []string{"read"}})
	_, _, err = g.CreateAPIKey(t.Context(), onUser("ada"), access.APIKey{Name: "k", Scopes: []string{"read"}})
	h.refused("one too many", err, nestor.CodeInvalid)
}

func TestTheLastUseOfAKeyIsNotedNowAndThen(t *testing.T) {
	t.Parallel()
	withAda(t, func(t *testing.T, h *house, g *access.Gate) {
		elsewhere := h.gate()
		_, key := h.createKey(g, "ada", access.APIKey{Name: "k", Scopes: []string{"read"}})
		used := func() (at, version int64) {
			list, err := g.APIKeys(t.Context(), named("ada"))
			if err != nil {
				t.Fatal(err)
			}
			return list[0].LastUsedAt, list[0].Version
		}
		if at, _ := used(); at != 0 {
			t.Errorf("it was used at %d", at)
		}
		began := nestor.Millis(h.time())
		for range 20 {
			for _, node := range []*access.Gate{g, elsewhere} {
				if _, err := h.authenticate(node, key); err != nil {
					t.Fatal(err)
				}
			}
			h.pass(29 * time.Second)
		}
		if at, version := used(); at != began || version != 2 {
			t.Errorf("it was used at %d, written %d times, want %d", at, version-1, began)
		}
		h.pass(time.Minute)
		now := nestor.Millis(h.time())
		if _, err := h.authenticate(g, key); err != nil {
			t.Fatal(err)
		}
		if at, version := used(); at != now || version != 3 {
			t.Errorf("it was used at %d, written %d times, want %d", at, version-1, now)
		}
	})
}

func TestHowFarACallerReaches(t *testing.T) {
	t.Parallel()
	now := newClock().time()
	grant := access.Caller{Kind: access.AsWebhook, Grant: access.Grant{Path: "users/u/notes/n"}, Ends: now.Add(time.Second)}
	of := func(scopes ...string) access.Caller { return access.Caller{Kind: access.WithKey, Scopes: scopes} }
	session := access.Caller{Kind: access.InSession, UserID: "u"}
	for name, c := range map[string]struct {
		caller      access.Caller
		path        nestor.Path
		read, write bool
	}{
		"a session":                       {session, "users/u/notes/n", true, true},
		"a session that is over":          {access.Caller{Kind: access.InSession, Ends: now}, "users/u/notes/n", false, false},
		"nobody gets secrets":             {access.Caller{Kind: access.AsLocal, Admin: true}, "secrets/u/x/y", false, false},
		"a user's own secrets are theirs": {session, "users/u/secrets/x", true, true},
		"a grant":                         {grant, "users/u/notes/n", true, true},
		"below a grant":                   {grant, "users/u/notes/n/answers/a", true, true},
		"above a grant":                   {grant, "users/u", false, false},
		"beside a grant":                  {grant, "users/u/notes/n2", false, false},
		"an empty grant":                  {access.Caller{Kind: access.AsWebhook}, "users/u/notes/n", false, false},
		"a grant on a secret":             {access.Caller{Kind: access.AsWebhook, Grant: access.Grant{Path: "secrets/u"}}, "secrets/u", false, false},
		"a key to read":                   {of("read"), "users/u/notes/n", true, false},
		"a key to write":                  {of("write"), "users/u/notes/n", true, true},
		"an admin's key":                  {of("admin"), "users/u/notes/n", true, true},
		"a key for a path":                {of("write", "users/u/notes/**"), "users/u/notes/n", true, true},
		"a key for another path":          {of("write", "users/u/notes/**"), "users/u/todos/n", false, false},
		"a key for several paths":         {of("read", "users/u/notes/*", "users/u/todos/**"), "users/u/todos/n", true, false},
		"a key that says only where":      {of("users/u/**"), "users/u/notes/n", false, false},
		"a key that says nothing":         {of(), "users/u/notes/n", false, false},
		"what the server keeps":           {session, "users/u/ledgers/l", true, false},
		"a key on what the server keeps":  {of("write"), "users/u/usage/d", true, false},
		"a grant on what the server keeps": {
			access.Caller{Kind: access.AsWebhook, Grant: access.Grant{Path: "users/u"}}, "users/u/keys/k", true, false,
		},
		"the operator's token on it": {access.Caller{Kind: access.AsLocal, Admin: true}, "users/u", true, false},
	} {
		if read, write := c.caller.Reaches(c.path, access.ToRead, now), c.caller.Reaches(c.path, access.ToWrite, now); read != c.read || write != c.write {
			t.Errorf("%s: read %v, write %v", name, read, write)
		}
	}
}

func TestACredentialForSomeDocumentsIsForNothingElse(t *testing.T) {
	t.Parallel()
	now := newClock().time()
	key := func(scopes ...string) access.Caller {
		return access.Caller{UserID: "u", Kind: access.WithKey, Admin: true, Scopes: scopes}
	}
	grant := access.Caller{UserID: "u", Kind: access.AsWebhook, Admin: true, Grant: access.Grant{Path: "users/u"}}
	for name, c := range map[string]access.Caller{"a key": key("admin", "users/u/notes/**"), "one for all": key("admin", "**"), "a grant": grant} {
		if !c.Bounded() || nestor.CodeOf(c.RequireWhole()) != nestor.CodeForbidden || nestor.CodeOf(c.RequireAdmin()) != nestor.CodeForbidden {
			t.Errorf("%s: %v, %v, %v", name, c.Bounded(), c.RequireWhole(), c.RequireAdmin())
		}
		if c.Reaches("users/u", access.ToAct, now) {
			t.Errorf("%s gives its user a password", name)
		}
	}
	for name, c := range map[string]access.Caller{
		"a key": key("admin"), "a session": {UserID: "u", Kind: access.InSession, Admin: true}, "the operator": {Kind: access.AsLocal, Admin: true},
	} {
		if c.Bounded() || c.RequireWhole() != nil || c.RequireAdmin() != nil || !c.Reaches("users/u", access.ToAct, now) {
			t.Errorf("%s: %v, %v, %v", name, c.Bounded(), c.RequireWhole(), c.RequireAdmin())
		}
	}
}
