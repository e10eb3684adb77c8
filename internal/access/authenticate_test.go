package access_test

import (
	"crypto/rand"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestHowARequestSaysWhoIsAsking(t *testing.T) {
	t.Parallel()
	withAda(t, func(t *testing.T, h *house, g *access.Gate) {
		tokens := h.login(g, "ada")
		_, key := h.createKey(g, "ada", access.APIKey{Name: "k", Scopes: []string{"read"}})
		grant := access.Grant{User: "u1", Path: "users/u1/notes/n", Expires: h.time().Unix() + 10}
		hook := h.key.MintToken(grant)
		late := h.key.MintToken(access.Grant{User: "u1", Path: "users/u1", Expires: h.time().Unix()})
		cookie := "nestor_session=" + tokens.Access
		const bearer, sameSite, origin = "Authorization", "Sec-Fetch-Site", "Origin"
		for name, c := range map[string]struct {
			method  string
			headers []string
			kind    access.Kind
			user    string
			refused nestor.Code
		}{
			"nothing":                              {"GET", nil, access.Anonymous, "", ""},
			"other cookies":                        {"GET", []string{"Cookie", "a=b"}, access.Anonymous, "", ""},
			"an access token":                      {"GET", []string{bearer, "Bearer " + tokens.Access}, access.InSession, "ada", ""},
			"an access token to write":             {"POST", []string{bearer, "Bearer " + tokens.Access}, access.InSession, "ada", ""},
			"bearer in other letters":              {"GET", []string{bearer, "bearer  " + tokens.Access}, access.InSession, "ada", ""},
			"a key":                                {"POST", []string{bearer, "Bearer " + key}, access.WithKey, "ada", ""},
			"the local token":                      {"POST", []string{bearer, "Bearer the-local-token"}, access.AsLocal, "local", ""},
			"a grant":                              {"POST", []string{bearer, "Bearer " + hook}, access.AsWebhook, "u1", ""},
			"a grant that is over":                 {"POST", []string{bearer, "Bearer " + late}, "", "", nestor.CodeUnauthenticated},
			"a wrong token":                        {"GET", []string{bearer, "Bearer nope"}, "", "", nestor.CodeUnauthenticated},
			"an empty token":                       {"GET", []string{bearer, "Bearer "}, "", "", nestor.CodeUnauthenticated},
			"a password":                           {"GET", []string{bearer, "Basic YTpi"}, "", "", nestor.CodeUnauthenticated},
			"an access token with another ending":  {"GET", []string{bearer, "Bearer " + tokens.Access[:len(tokens.Access)-1] + "0"}, "", "", nestor.CodeUnauthenticated},
			"a key with another ending":            {"GET", []string{bearer, "Bearer " + key[:len(key)-1] + "0"}, "", "", nestor.CodeUnauthenticated},
			"a key with another beginning":         {"GET", []string{bearer, "Bearer nst_a_" + key[len("nst_k_"):]}, "", "", nestor.CodeUnauthenticated},
			"a session as a key":                   {"GET", []string{bearer, "Bearer nst_k_" + tokens.Access[len("nst_a_"):]}, "", "", nestor.CodeUnauthenticated},
			"a cookie":                             {"GET", []string{"Cookie", cookie}, access.InSession, "ada", ""},
			"a cookie from another site, to read":  {"GET", []string{"Cookie", cookie, sameSite, "cross-site"}, access.InSession, "ada", ""},
			"a cookie from our pages":              {"POST", []string{"Cookie", cookie, sameSite, "same-origin"}, access.InSession, "ada", ""},
			"a cookie from our pages, by origin":   {"DELETE", []string{"Cookie", cookie, origin, "http://nestor.example"}, access.InSession, "ada", ""},
			"a cookie from another site":           {"POST", []string{"Cookie", cookie, sameSite, "cross-site"}, "", "", nestor.CodeForbidden},
			"a cookie from another site by origin": {"PATCH", []string{"Cookie", cookie, origin, "https://evil.example"}, "", "", nestor.CodeForbidden},
			"a cookie from nowhere":                {"PUT", []string{"Cookie", cookie}, "", "", nestor.CodeForbidden},
			"a cookie that is none":                {"GET", []string{"Cookie", "nestor_session=x"}, "", "", nestor.CodeUnauthenticated},
			"a key in a cookie":                    {"GET", []string{"Cookie", "nestor_session=" + key}, "", "", nestor.CodeUnauthenticated},
			"the local token in a cookie":          {"GET", []string{"Cookie", "nestor_session=the-local-token"}, "", "", nestor.CodeUnauthenticated},
			"a wrong token and a good cookie":      {"GET", []string{bearer, "Bearer nope", "Cookie", cookie}, "", "", nestor.CodeUnauthenticated},
			"a key and a cookie from another site": {"POST", []string{bearer, "Bearer " + key, "Cookie", cookie, sameSite, "cross-site"}, access.WithKey, "ada", ""},
		} {
			c2, err := g.Authenticate(t.Context(), request(c.method, c.headers...))
			if nestor.CodeOf(err) != c.refused || c2.Kind != c.kind || c2.UserID != c.user || c2.Admin != (c.kind == access.AsLocal) {
				t.Errorf("%s: %+v, %v", name, c2, err)
			}
			if c.kind == access.AsWebhook && !reflect.DeepEqual(c2.Grant, grant) {
				t.Errorf("%s has %+v", name, c2.Grant)
			}
		}
	})
}

func TestWithoutALocalTokenNobodyIsLocal(t *testing.T) {
	t.Parallel()
	h := newHouse(t, engines.SQLite(t))
	g := h.gate(func(o *access.Options) { o.Token = "" })
	for _, token := range []string{"", "the-local-token", " "} {
		_, err := h.authenticate(g, token)
		h.refused("the token "+token, err, nestor.CodeUnauthenticated)
	}
}

func TestWhoMustBeSomebody(t *testing.T) {
	t.Parallel()
	admin := access.Caller{Kind: access.InSession, UserID: "root", Admin: true}
	user := access.Caller{Kind: access.InSession, UserID: "ada"}
	for _, c := range []access.Caller{{}, {Kind: access.Anonymous}} {
		if nestor.CodeOf(c.RequireUser()) != nestor.CodeUnauthenticated || nestor.CodeOf(c.RequireAdmin()) != nestor.CodeUnauthenticated {
			t.Errorf("%+v: %v, %v", c, c.RequireUser(), c.RequireAdmin())
		}
	}
	if user.RequireUser() != nil || nestor.CodeOf(user.RequireAdmin()) != nestor.CodeForbidden || admin.RequireAdmin() != nil {
		t.Error("users and admins are mixed up")
	}
}

// link makes the token of a link.
func (h *house) link(g *access.Gate) string {
	h.Helper()
	token, err := g.NewLink(h.Context())
	if err != nil {
		h.Fatal(err)
	}
	return token
}

func TestALinkIsGoodOnceOnEveryNodeForAnHour(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		h := newHouse(t, open)
		g := h.gate()
		_, err := g.Exchange(t.Context(), "", home)
		h.refused("before there is one", err, nestor.CodeUnauthenticated)
		old := h.link(g)
		h.pass(access.LinkTTL)
		token := h.link(g)
		for name, wrong := range map[string]string{"none": "", "one that is too old": old, "another": token + "x"} {
			_, err := g.Exchange(t.Context(), wrong, home)
			h.refused(name, err, nestor.CodeUnauthenticated)
		}
		elsewhere := h.gate()
		tokens, err := elsewhere.Exchange(t.Context(), token, home)
		if err != nil {
			t.Fatal(err)
		}
		c, err := h.authenticate(g, tokens.Access)
		if err != nil || c.UserID != "local" || !c.Admin || c.Kind != access.InSession {
			t.Errorf("%+v, %v", c, err)
		}
		_, err = g.Exchange(t.Context(), token, home)
		h.refused("a second time", err, nestor.CodeUnauthenticated)

		restarted := h.gate()
		if _, err := h.authenticate(restarted, tokens.Access); err != nil {
			t.Errorf("the session after a restart: %v", err)
		}
		if _, err := restarted.Exchange(t.Context(), h.link(g), home); err != nil {
			t.Errorf("a second session of the same user: %v", err)
		}
		_, err = g.Login(t.Context(), "local", pass, home)
		h.refused("by a password that there is not", err, nestor.CodeUnauthenticated)
		if err := g.SetPassword(t.Context(), onUser("local"), pass); err != nil {
			t.Fatal(err)
		}
		if again := h.login(g, "local"); again.UserID != "local" {
			t.Errorf("the login of a first password: %v", again)
		}
	})
}

func TestAStreamGoesOnAsLongAsTheSession(t *testing.T) {
	t.Parallel()
	withAda(t, func(t *testing.T, h *house, g *access.Gate) {
		tokens := h.login(g, "ada")
		c, err := h.authenticate(g, tokens.Access)
		if err != nil {
			t.Fatal(err)
		}
		h.pass(time.Hour) // the access token is over
		h.refresh(g, tokens)
		again, err := g.Recheck(t.Context(), c)
		if err != nil || again.UserID != "ada" || !again.Ends.After(c.Ends) {
			t.Errorf("%+v, %v", again, err)
		}
		if err := g.EndSession(t.Context(), onSession("ada", c.ID)); err != nil {
			t.Fatal(err)
		}
		_, err = g.Recheck(t.Context(), c)
		h.refused("after its end", err, nestor.CodeUnauthenticated)

		hook := access.Caller{Kind: access.AsWebhook, Grant: access.Grant{User: "ada", Path: "users/ada"}, Ends: h.time().Add(time.Second)}
		if _, err := g.Recheck(t.Context(), hook); err != nil {
			t.Error(err)
		}
		h.pass(time.Second)
		_, err = g.Recheck(t.Context(), hook)
		h.refused("a grant after its end", err, nestor.CodeUnauthenticated)
		for _, c := range []access.Caller{{Kind: access.Anonymous}, {Kind: access.AsLocal, UserID: "local", Admin: true}} {
			if again, err := g.Recheck(t.Context(), c); err != nil || again.Kind != c.Kind || again.Admin != c.Admin {
				t.Errorf("%s: %+v, %v", c.Kind, again, err)
			}
		}
	})
}

func TestWhatTheCookiesOfASessionSay(t *testing.T) {
	t.Parallel()
	h := newHouse(t, engines.SQLite(t))
	g := h.gate()
	h.addUser(g, access.NewUser{ID: "ada"})
	tokens := h.login(g, "ada")
	cookies := tokens.Cookies(access.CookiePlace{Host: "nestor.example:8443", Prefix: "/agents", Secure: true}, h.time())
	for i, want := range []http.Cookie{
		{Name: "nestor_session_8443", Value: tokens.Access, Path: "/agents/", MaxAge: 900},
		{Name: "nestor_refresh_8443", Value: tokens.Refresh, Path: "/agents/api/v1/refresh", MaxAge: 30 * 24 * 3600},
	} {
		want.HttpOnly, want.Secure, want.SameSite = true, true, http.SameSiteStrictMode
		if cookies[i].String() != want.String() {
			t.Errorf("got %s, want %s", cookies[i], want.String())
		}
	}
	for i, c := range access.NoCookies(access.CookiePlace{Host: "nestor.example:8443", Prefix: "/agents"}) {
		if c.MaxAge >= 0 || c.Value != "" || c.Name != cookies[i].Name || c.Path != cookies[i].Path || c.Secure {
			t.Errorf("%s does not remove %s", c, cookies[i].Name)
		}
	}
	for host, want := range map[string]string{
		"nestor.example": "nestor_session", "127.0.0.1:8787": "nestor_session_8787", "[::1]:8787": "nestor_session_8787", "localhost:": "nestor_session",
		"x:8787; a=b": "nestor_session", "x:123456": "nestor_session", "": "nestor_session",
	} {
		if got := access.SessionCookie(host); got != want {
			t.Errorf("at %q the cookie is %s, want %s", host, got, want)
		}
	}
}

// No text that a client can send is taken for a credential.
func FuzzToken(f *testing.F) {
	h := &house{T: nil, store: engines.SQLite(f)(f, store.Options{}), clock: newClock()}
	key, err := access.ParseKey("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	if err != nil {
		f.Fatal(err)
	}
	h.key = key
	g := h.gate()
	for _, seed := range []string{
		"", "nst_", "nst_a_", "nst_a_00000000000000000000AAAAAAAAAAAAAAAAAAAAAAAAAA", "nst_k_00000000000000000000AAAAAAAAAAAAAAAAAAAAAAAAAA",
		"nst_r_00000000000000000000AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "nst_e30.AAAA", "nst_a_../../../../../../secrets/AAAAAAAAAAAAAAAAAAA", "nst_u_x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		for name, try := range map[string]func() error{
			"bearer": func() error {
				r := request("GET", "Authorization", "Bearer "+token)
				r.RemoteAddr = rand.Text() // guesses from one address have to wait
				_, err := g.Authenticate(t.Context(), r)
				return err
			},
			"refresh": func() error { _, err := g.Refresh(t.Context(), token); return err },
			"link":    func() error { _, err := g.Exchange(t.Context(), token, home); return err },
		} {
			if err := try(); nestor.CodeOf(err) != nestor.CodeUnauthenticated {
				t.Errorf("%s: %q gives %v", name, token, err)
			}
		}
	})
}
