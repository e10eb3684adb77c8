package httpapi_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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
	a := serve(t, engines.SQLite(t), setup{api: func(o *httpapi.Options) { o.UI = fakeUI{} }})
	token, err := a.gate.NewLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	link := "/?token=" + token
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
	again := a.page(link)
	text, err := io.ReadAll(again.Body)
	if err != nil {
		t.Fatal(err)
	}
	if again.StatusCode != 401 || len(again.Cookies()) > 0 || !strings.HasPrefix(again.Header.Get("Content-Type"), "text/html") ||
		!strings.Contains(string(text), "<pre>nestor link</pre>") {
		t.Errorf("again: %d %v %s", again.StatusCode, again.Header, text)
	}
	name := access.SessionCookie(a.server.Listener.Addr().String())
	session := name + "=" + b.cookies[name].Value
	if res := a.page(link, "Cookie", session); res.StatusCode != 302 {
		t.Errorf("for who is in already: %d", res.StatusCode)
	}
}

// fakeUI has one page.
type fakeUI struct{}

func (fakeUI) Has(path string) bool { return path == "/" || path == "/page" }

func (fakeUI) Owns(path string) bool { return path == "/page" }

func (fakeUI) ServeHTTP(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "the page") }

func TestWhatIsNoPageOfTheUIIsNotFound(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{api: func(o *httpapi.Options) { o.UI = fakeUI{} }})
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for _, c := range []struct {
		method, path, accept, contentType, contains string
		status                                      int
	}{
		{"GET", "/page", browser, "text/plain", "the page", 200},
		{"GET", "/", "", "text/plain", "the page", 200},
		{"GET", "/health", "", "application/json", `"code":"not_found"`, 404},
		{"GET", "/v1/models", "*/*", "application/json", `"code":"not_found"`, 404},
		{"GET", "/.well-known/openid-configuration", "application/json", "application/json", `"code":"not_found"`, 404},
		{"POST", "/v1/chat/completions", "application/json", "application/json", "there is no POST /v1/chat/completions", 404},
		{"POST", "/nothing", browser, "application/json", `"code":"not_found"`, 404},
		{"GET", "/nothing", browser, "text/html", "There is no such page", 404},
		{"GET", "/api", "", "application/json", `"code"`, 401}, // it leads to /api/
		{"GET", "/<script>alert(1)</script>", browser, "text/html", "There is no such page", 404},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, a.server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.URL.Path = c.path
		req.Header.Set("Accept", c.accept)
		res, err := a.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != c.status || !strings.HasPrefix(res.Header.Get("Content-Type"), c.contentType) || !strings.Contains(string(body), c.contains) ||
			strings.Contains(string(body), "<script>") {
			t.Errorf("%s %s for %q: %d %s %s", c.method, c.path, c.accept, res.StatusCode, res.Header.Get("Content-Type"), body)
		}
	}
}

func TestBrowsersThatCameOverTLSStayThere(t *testing.T) {
	t.Parallel()
	proxies, err := access.ParseProxies([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		host, proto string
		trusted     bool
		own         bool
		want        string
	}{
		"behind a proxy":             {"nestor.example", "https", true, false, "max-age=31536000"},
		"behind one that is unknown": {"nestor.example", "https", false, false, ""},
		"in the clear":               {"nestor.example", "http", true, false, ""},
		"with a certificate":         {"nestor.example", "", false, true, "max-age=31536000"},
		"on the machine itself":      {"localhost", "", false, true, ""}, // it would hold for every port
	} {
		t.Run(name, func(t *testing.T) {
			with := setup{api: func(o *httpapi.Options) { o.Hosts = []string{"nestor.example"} }}
			if c.trusted {
				with.gate = func(o *access.Options) { o.Proxies = proxies }
			}
			a := serve(t, engines.SQLite(t), with)
			r := httptest.NewRequest("GET", "http://"+c.host+"/api/v1/nothing", nil)
			r.RemoteAddr = "127.0.0.1:5000"
			r.Header.Set("X-Forwarded-Proto", c.proto)
			if c.own {
				r.TLS = &tls.ConnectionState{}
			}
			w := httptest.NewRecorder()
			a.server.Config.Handler.ServeHTTP(w, r)
			if got := w.Header().Get("Strict-Transport-Security"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
