package httpapi_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// browser is a client with cookies, on a page of the server's own.
type browser struct {
	*api
	cookies map[string]*http.Cookie // by name and path
}

func newBrowser(a *api) *browser { return &browser{a, map[string]*http.Cookie{}} }

// do sends a request and keeps the cookies of the answer.
func (b *browser) do(method, path, body string, header ...string) *http.Response {
	b.Helper()
	header = append([]string{"Authorization", "", "Sec-Fetch-Site", "same-origin"}, header...)
	var pairs []string
	for _, c := range b.cookies {
		if strings.HasPrefix("/api/v1"+path, c.Path) {
			pairs = append(pairs, c.Name+"="+c.Value)
		}
	}
	res := b.request(method, path, body, append(header, "Cookie", strings.Join(pairs, "; "))...)
	for _, c := range res.Cookies() {
		if b.cookies[c.Name+c.Path] = c; c.MaxAge < 0 {
			delete(b.cookies, c.Name+c.Path)
		}
	}
	return res
}

func (b *browser) wants(status int, method, path, body string, header ...string) *http.Response {
	b.Helper()
	res := b.do(method, path, body, header...)
	if res.StatusCode != status {
		b.Fatalf("%s %s: %d, want %d", method, path, res.StatusCode, status)
	}
	return res
}

// key is the one of a cookie in cookies.
func (b *browser) key(name func(host string) string, path string) string {
	return name(b.server.Listener.Addr().String()) + path
}

func (b *browser) refreshKey() string { return b.key(access.RefreshCookie, access.RefreshPath) }

const credentials = `{"login":"Ada","password":"` + password + `"}`

func TestALoginLastsUntilTheLogout(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.user(access.NewUser{ID: "ada", Name: "Ada"})
		b := newBrowser(a)
		b.wants(401, "POST", "/login", `{"login":"ada","password":"not the right one"}`)
		b.wants(401, "GET", "/me", "")
		b.wants(200, "POST", "/login", credentials)
		for _, c := range b.cookies {
			if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Secure {
				t.Errorf("the cookie is %v", c)
			}
		}
		b.wants(200, "GET", "/me", "")
		b.wants(201, "POST", "/chats", `{"id":"c1"}`)
		old := *b.cookies[b.refreshKey()]
		b.wants(200, "POST", "/refresh", "")
		b.wants(200, "GET", "/chats/c1", "")
		b.wants(204, "POST", "/logout", "")
		if len(b.cookies) > 0 {
			t.Errorf("it keeps %v", b.cookies)
		}
		b.wants(401, "GET", "/me", "")
		b.wants(204, "POST", "/logout", "") // again
		b.cookies[b.refreshKey()] = &old
		b.wants(401, "POST", "/refresh", "")
	})
}

// The access cookie is gone from a browser after a quarter of an hour.
func TestALogoutEndsTheSessionAfterItsAccessTokenHasExpired(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.user(access.NewUser{ID: "ada", Name: "Ada"})
		b := newBrowser(a)
		b.wants(200, "POST", "/login", credentials)
		kept := *b.cookies[b.refreshKey()]
		delete(b.cookies, b.key(access.SessionCookie, "/"))
		b.wants(403, "POST", "/logout", "", "Sec-Fetch-Site", "cross-site")
		b.wants(403, "POST", "/logout", "", "Sec-Fetch-Site", "")
		if n := a.sessions("ada"); n != 1 {
			t.Errorf("%d sessions before the logout", n)
		}
		b.wants(204, "POST", "/logout", "")
		if n := a.sessions("ada"); n != 0 || len(b.cookies) > 0 {
			t.Errorf("%d sessions after it, and the cookies %v", n, b.cookies)
		}
		b.cookies[b.refreshKey()] = &kept
		b.wants(401, "POST", "/refresh", "")
	})
}

// sessions counts those of a user.
func (a *api) sessions(user string) int {
	a.Helper()
	items, _ := a.want(200, "GET", "/sessions?user="+user, "", "")["items"].([]any)
	return len(items)
}

func TestTwoWindowsMayRefreshAtOnce(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.user(access.NewUser{ID: "ada", Name: "Ada"})
		one := newBrowser(a)
		one.wants(200, "POST", "/login", credentials)
		other := &browser{a, maps.Clone(one.cookies)}
		one.wants(200, "POST", "/refresh", "")
		other.wants(200, "POST", "/refresh", "")
		if one.cookies[one.refreshKey()].Value != other.cookies[other.refreshKey()].Value {
			t.Error("the windows have different tokens")
		}
		for _, b := range []*browser{one, other} {
			b.wants(200, "GET", "/me", "")
		}
		other.wants(200, "POST", "/refresh", "")
		other.wants(200, "GET", "/me", "")
	})
}

func TestCookiesAreSecureWhereTheBrowserSpeaksTLS(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{api: func(o *httpapi.Options) { o.Hosts = []string{"nestor.example"} }})
	a.user(access.NewUser{ID: "ada", Name: "Ada"})
	b := newBrowser(a)
	for _, c := range b.wants(200, "POST", "/login", credentials, "Origin", "https://nestor.example").Cookies() {
		if !c.Secure {
			t.Errorf("the cookie is %v", c)
		}
	}
}

func TestACookieIsOfNoUseToOtherSites(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{})
	a.user(access.NewUser{ID: "ada", Name: "Ada"})
	b := newBrowser(a)
	b.wants(200, "POST", "/login", credentials)
	for _, header := range [][]string{
		{"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site"},
		{"Sec-Fetch-Site", "", "Origin", "https://evil.example"},
		{"Sec-Fetch-Site", "", "Origin", "null"},
		{"Sec-Fetch-Site", ""}, // not a browser
	} {
		for _, path := range []string{"/chats", "/refresh", "/logout", "/keys"} {
			b.wants(403, "POST", path, `{}`, header...)
		}
	}
	b.wants(403, "GET", "/stream", "", "Sec-Fetch-Site", "cross-site")
	b.wants(403, "GET", "/replication/stream?scope=chats", "", "Origin", "https://evil.example", "Sec-Fetch-Site", "")
	b.wants(403, "POST", "/login", credentials, "Sec-Fetch-Site", "cross-site")
	// Not even with a credential that only the page can have.
	a.want(403, "POST", "/chats", `{}`, "forbidden", "Origin", "https://evil.example")
	b.wants(201, "POST", "/chats", `{}`)
}

func TestANewPasswordEndsAllOtherSessions(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{})
	a.user(access.NewUser{ID: "ada", Name: "Ada"})
	here, elsewhere := newBrowser(a), newBrowser(a)
	here.wants(200, "POST", "/login", credentials)
	elsewhere.wants(200, "POST", "/login", credentials)
	here.wants(403, "PUT", "/me/password", `{"current":"not the right one","password":"another good password"}`)
	here.wants(400, "PUT", "/me/password", `{"current":"`+password+`","password":"short"}`)
	here.wants(200, "PUT", "/me/password", `{"current":"`+password+`","password":"another good password"}`)
	here.wants(200, "GET", "/me", "")
	elsewhere.wants(401, "GET", "/me", "")
	elsewhere.wants(401, "POST", "/login", credentials)
}

func TestAnAdminLooksAfterUsers(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.want(201, "POST", "/users", `{"id":"ada","name":"Ada","admin":true,"password":"`+password+`"}`, `"admin":true`)
		a.want(201, "POST", "/users", `{"id":"bob","password":"`+password+`"}`, "")
		a.want(409, "POST", "/users", `{"id":"bob","password":"`+password+`"}`, "already_exists")
		ada, bob := newBrowser(a), newBrowser(a)
		ada.wants(200, "POST", "/login", credentials)
		bob.wants(200, "POST", "/login", `{"login":"bob","password":"`+password+`"}`)
		ada.wants(400, "PATCH", "/users/ada", `{"disabled":true}`)
		ada.wants(400, "PATCH", "/users/ada", `{"admin":false}`)
		ada.wants(200, "PATCH", "/users/bob", `{"disabled":true}`)
		bob.wants(401, "GET", "/me", "")
		bob.wants(401, "POST", "/login", `{"login":"bob","password":"`+password+`"}`)
		ada.wants(200, "PATCH", "/users/bob", `{"disabled":false,"admin":true,"password":"another good password"}`)
		bob.wants(200, "POST", "/login", `{"login":"bob","password":"another good password"}`)
		bob.wants(200, "GET", "/users", "")
		ada.wants(404, "PATCH", "/users/none", `{"disabled":true}`)
	})
}

func TestOneAdministratorAlwaysStays(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{}) // the caller has NESTOR_TOKEN, and is no user
		a.user(access.NewUser{ID: "ada", Admin: true})
		a.user(access.NewUser{ID: "bob", Admin: true})
		a.want(200, "PATCH", "/users/bob", `{"admin":false}`, `"admin":false`)
		for _, body := range []string{`{"admin":false}`, `{"disabled":true}`} {
			a.want(409, "PATCH", "/users/ada", body, `"code":"conflict"`)
		}
		a.want(409, "DELETE", "/users/ada", "", "only administrator")
		a.want(200, "PATCH", "/users/bob", `{"admin":true,"disabled":true}`, "")
		a.want(409, "PATCH", "/users/ada", `{"admin":false}`, "only administrator") // bob cannot come in
		a.want(200, "PATCH", "/users/bob", `{"disabled":false}`, "")
		a.want(200, "PATCH", "/users/ada", `{"admin":false}`, "")
	})
}

func TestADeletedUserLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		mark := w.mark()
		w.want(400, "DELETE", "/users/amy", "", "themselves", "Authorization", w.session("amy"))
		w.want(409, "DELETE", "/users/olga", "", `"accountId":"team"`) // others share her account
		w.want(200, "GET", "/chats/c1?user=olga", "", "", "Authorization", w.session("olga"))
		if changes := w.changesAfter(mark); slices.Contains(changes, "delete chats") {
			t.Errorf("it has begun: %v", changes)
		}
		w.want(200, "PUT", "/accounts/team/members/mia", `{"role":"owner"}`, "", "Authorization", w.session("olga"))
		w.want(201, "PUT", "/models/own", `{"accessFormat":"openai","modelId":"m","secret":"sk-of-olga"}`, "", "Authorization", w.session("olga"))
		session, key := w.session("olga"), w.apiKey("olga", access.ScopeRead)
		w.want(204, "DELETE", "/users/olga", "", "")
		for _, bearer := range []string{session, key} {
			w.want(401, "GET", "/me", "", "", "Authorization", bearer)
		}
		if !slices.Contains(w.agents.asked(), "stop users/olga/orch-chats/c1 local") {
			t.Errorf("the agents were asked for %v", w.agents.asked())
		}
		err := w.store.View(t.Context(), func(r store.Reader) error {
			for _, collection := range []string{
				"users/olga/orch-chats", "users/olga/notes", "users/olga/memberships", "secrets/olga/model-connections",
			} {
				page, err := r.Query(store.Query{Collection: collection})
				if err != nil || len(page.Items) > 0 {
					t.Errorf("%s has %d documents, %v", collection, len(page.Items), err)
				}
			}
			for _, p := range []nestor.Path{"users/olga", "secrets/access/passwords/olga"} {
				if _, err := r.Get(p); nestor.CodeOf(err) != nestor.CodeNotFound {
					t.Errorf("%s: %v", p, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		w.want(200, "GET", "/accounts/team", "", `"mia":"owner"`, "Authorization", w.session("mia"))
		w.want(404, "DELETE", "/users/olga", "", "")
		w.want(201, "POST", "/users", `{"id":"olga","name":"`+ofUsers+`","password":"`+password+`"}`, "")
		if _, list := w.call("GET", "/chats", "", "Authorization", w.session("olga")); strings.Contains(list, "canary") {
			t.Errorf("the next olga sees %s", list)
		}
	})
}

func TestAKeyIsShownOnceAndWorksUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.user(access.NewUser{ID: "ada", Name: "Ada"})
		as := []string{"Authorization", a.apiKey("ada", access.ScopeAdmin)}
		made := a.want(201, "POST", "/keys", `{"name":"ci","scopes":["read","users/ada/notes/**"]}`, `"key":"`, as...)
		secret := made["key"].(string)
		if _, list := a.call("GET", "/keys", "", as...); strings.Contains(list, secret) || !strings.Contains(list, `"ci"`) {
			t.Errorf("the list is %s", list)
		}
		key := []string{"Authorization", "Bearer " + secret}
		a.write("users/ada/notes/n1", `{}`, "users/ada/diary/d1", `{}`)
		a.want(200, "GET", "/docs/users/ada/notes/n1", "", "", key...)
		a.want(404, "GET", "/docs/users/ada/diary/d1", "", "", key...)
		a.want(403, "PUT", "/docs/users/ada/notes/n1", `{}`, "", key...)
		a.want(204, "DELETE", "/keys/"+made["id"].(string), "", "", as...)
		a.want(401, "GET", "/docs/users/ada/notes/n1", "", "", key...)
		a.want(400, "POST", "/keys", `{"name":"x","scopes":[]}`, "scopes", as...)
	})
}

func TestTheTokenOfTheServerSignsABrowserIn(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		b := newBrowser(a)
		b.wants(401, "POST", "/login", `{"token":"not the token"}`)
		b.wants(400, "POST", "/login", `{"token":"`+token+`","login":"ada","password":"x"}`)
		if len(b.cookies) > 0 {
			t.Errorf("it has %v", b.cookies)
		}
		b.wants(200, "POST", "/login", `{"token":"`+token+`"}`)
		b.wants(200, "GET", "/users", "")
		b.wants(201, "POST", "/chats", `{}`)
	})
}

func TestServersOnOneHostDoNotSignEachOtherOut(t *testing.T) {
	t.Parallel()
	one, other := serve(t, engines.SQLite(t), setup{}), serve(t, engines.SQLite(t), setup{})
	b := newBrowser(one)
	for _, a := range []*api{one, other} { // the browser sends its cookies to every port
		a.user(access.NewUser{ID: "ada", Name: "Ada"})
		b.api = a
		b.wants(200, "POST", "/login", credentials)
	}
	for _, a := range []*api{one, other} {
		b.api = a
		b.wants(200, "GET", "/me", "")
		b.wants(200, "POST", "/refresh", "")
	}
	b.wants(204, "POST", "/logout", "")
	b.wants(401, "GET", "/me", "")
	b.api = one
	b.wants(200, "GET", "/me", "")
}

func TestBehindAProxyOneClientDoesNotLockOutOthers(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		proxies, err := access.ParseProxies([]string{"127.0.0.1"})
		if err != nil {
			t.Fatal(err)
		}
		a := serve(t, open, setup{
			gate: func(o *access.Options) { o.Proxies = proxies },
			api:  func(o *httpapi.Options) { o.Logins = access.LimiterOptions{PerSecond: 0.001, Burst: 30} },
		})
		a.user(access.NewUser{ID: "ada", Name: "Ada"})
		a.user(access.NewUser{ID: "bob"})
		login := func(body, from string) int {
			status, _ := a.call("POST", "/login", body, "Authorization", "", "X-Forwarded-For", from)
			return status
		}
		const wrong = `{"login":"ada","password":"not the right one"}`
		refused := 0
		for i := range 40 { // a new address each time, as it says
			if status := login(wrong, fmt.Sprintf("198.51.100.%d, 203.0.113.9", i)); status == 429 {
				refused++
			}
		}
		if refused == 0 {
			t.Error("the guesses are not slowed down")
		}
		if status := login(credentials, "203.0.113.9"); status != 429 {
			t.Errorf("the one who guesses: %d", status)
		}
		if status := login(credentials, "203.0.113.10"); status != 200 {
			t.Errorf("ada from elsewhere: %d", status)
		}
		if status := login(`{"login":"bob","password":"`+password+`"}`, "203.0.113.10"); status != 200 {
			t.Errorf("bob: %d", status)
		}
		if _, list := a.call("GET", "/sessions?user=ada", ""); !strings.Contains(list, `"address":"203.0.113.10"`) {
			t.Errorf("the session comes from %s", list)
		}
	})
}

func TestWhatAPageOfOneUserSendsIsNotTakenAsAnothers(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.user(access.NewUser{ID: "ada", Name: "Ada"})
		a.user(access.NewUser{ID: "alan", Name: "Alan", Admin: true})
		b := newBrowser(a)
		b.wants(200, "POST", "/login", `{"login":"alan","password":"`+password+`"}`)
		b.wants(201, "POST", "/chats", `{"id":"of-alan"}`, "Nestor-User", "alan")
		const message = `[{"newDocumentState":{"id":"m1","chatId":"of-alan","userId":"alan","role":"user","content":"x","_deleted":false}}]`
		for _, user := range []string{"ada", "nobody", "Alan", "alan/x", "users/alan"} {
			b.wants(401, "GET", "/me", "", "Nestor-User", user)
			b.wants(401, "POST", "/chats", `{"id":"of-ada"}`, "Nestor-User", user)
			b.wants(401, "POST", "/chats/of-alan/messages", `{"content":"x"}`, "Nestor-User", user)
			b.wants(401, "GET", "/replication/chats/pull", "", "Nestor-User", user)
			b.wants(401, "POST", "/replication/messages/push", message, "Nestor-User", user)
		}
		b.wants(404, "GET", "/chats/of-ada", "")
		said, err := io.ReadAll(b.wants(200, "GET", "/chats/of-alan/messages", "").Body)
		if err != nil || strings.Contains(string(said), `"content":"x"`) {
			t.Errorf("what somebody else's page said was taken: %s %v", said, err)
		}
	})
}
