package httpapi_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// page gets an address outside of the API without following redirects.
func (a *api) page(path string, header ...string) *http.Response {
	a.Helper()
	req, err := http.NewRequestWithContext(a.Context(), "GET", a.server.URL+path, nil)
	if err != nil {
		a.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := a.client.Transport.RoundTrip(req)
	if err != nil {
		a.Fatal(err)
	}
	a.Cleanup(func() { res.Body.Close() })
	return res
}

func TestEveryAnswerIsSafeInABrowser(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{})
	for _, res := range []*http.Response{
		a.request("GET", "/me", ""), a.request("GET", "/nothing", ""), a.request("GET", "/me", "", "Authorization", ""),
		a.request("GET", "/stream", ""), a.request("GET", "/replication/stream?scope=chats", ""), a.request("POST", "/login", "{"),
	} {
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Cross-Origin-Resource-Policy": "same-origin",
			"Access-Control-Allow-Origin": "",
		} {
			if got := res.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", res.Request.URL.Path, name, got, want)
			}
		}
	}
}

func TestOtherSitesCannotAskWhetherTheyMay(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{})
	res := a.request("OPTIONS", "/chats", "", "Authorization", "", "Origin", "https://evil.example", "Access-Control-Request-Method", "POST")
	if res.StatusCode != 403 || len(res.Header.Values("Access-Control-Allow-Origin"))+len(res.Header.Values("Access-Control-Allow-Methods")) > 0 {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
}

func TestAServerAnswersToItsOwnNamesOnly(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{api: func(o *httpapi.Options) { o.Hosts = []string{"nestor.example"} }})
	for host, want := range map[string]int{
		"localhost": 200, "127.0.0.1:1": 200, "nestor.example": 200, "NESTOR.example:8787": 200,
		"evil.example": 403, "localhost.evil.example": 403, "": 200,
	} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", a.server.URL+"/api/v1/me", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := a.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%q: %d, want %d", host, res.StatusCode, want)
		}
	}
}

func TestWhoAsksTooOftenIsToldWhenToAskAgain(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{api: func(o *httpapi.Options) {
		o.Logins = access.LimiterOptions{PerSecond: 0.1, Burst: 2}
		o.Writes = access.LimiterOptions{PerSecond: 0.1, Burst: 2}
	}})
	as := []string{"Authorization", a.apiKey("ada", access.ScopeWrite)}
	limited := func(method, path, body string, header ...string) {
		t.Helper()
		for range 2 {
			if status, text := a.call(method, path, body, header...); status == 429 {
				t.Fatalf("too early: %s", text)
			}
		}
		res := a.request(method, path, body, header...)
		seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
		if res.StatusCode != 429 || err != nil || seconds < 1 || seconds > 10 {
			t.Errorf("%s %s: %d, Retry-After %q", method, path, res.StatusCode, res.Header.Get("Retry-After"))
		}
	}
	limited("POST", "/login", `{"login":"x","password":"x"}`, "Authorization", "")
	limited("PUT", "/docs/users/ada/notes/n1", `{}`, as...)
	a.want(200, "GET", "/docs/users/ada/notes/n1", "", "", as...) // reading goes on
	for range 5 {
		a.want(200, "PUT", "/docs/users/ada/notes/n1", `{}`, "") // and so does whoever runs the server
	}
}

func TestTheLinkOfALocalServerWorksOnce(t *testing.T) {
	t.Parallel()
	ui := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("the page")) })
	a := serve(t, engines.SQLite(t), setup{api: func(o *httpapi.Options) { o.UI = ui }})
	link := "/?token=" + a.gate.OneTimeToken()
	res := a.page(link)
	if res.StatusCode != 302 || res.Header.Get("Location") != "/" || res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Fatalf("%d %v", res.StatusCode, res.Header)
	}
	b := newBrowser(a)
	for _, c := range res.Cookies() {
		b.cookies[c.Name] = c
	}
	b.wants(200, "GET", "/me", "")
	b.wants(201, "POST", "/chats", `{}`)
	b.wants(200, "GET", "/users", "")
	if res := a.page(link); res.StatusCode != 401 || len(res.Cookies()) > 0 || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/plain") {
		t.Errorf("again: %d %v", res.StatusCode, res.Header)
	}
	session := access.SessionCookie + "=" + b.cookies[access.SessionCookie].Value
	if res := a.page(link, "Cookie", session); res.StatusCode != 302 {
		t.Errorf("for who is in already: %d", res.StatusCode)
	}
	if res := a.page("/somewhere"); res.StatusCode != 200 {
		t.Errorf("the page: %d", res.StatusCode)
	}
}
