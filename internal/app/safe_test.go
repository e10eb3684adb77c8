package app_test

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/app"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	nestord "github.com/nestorhq/nestor/server"
)

// methods are all that a browser can be made to send.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, "NONSENSE"}

var parameter = regexp.MustCompile(`\{[^}]*\}`)

// Whatever address is asked for, by whom, and whatever comes of it: routes, doors, pages and
// files of the UI, probes, errors.
func TestEveryAnswerOfAServerIsSafeInABrowser(t *testing.T) {
	p := servertest.Enter(t, nestord.Config{Data: t.TempDir(), Model: demo.New(demo.Options{Instant: true})})
	has := settle(p.SignIn("olga"), "olga", "canary")
	maps.Copy(has, everybodys)
	addresses := map[string]bool{}
	operations(p, func(_, path string, _ operation) {
		addresses["/api/v1/"+has.at(t, path)] = true
		addresses["/api/v1/"+parameter.ReplaceAllString(path, "none")] = true
	})
	for _, pattern := range app.DoorPatterns(t) {
		_, path, found := strings.Cut(pattern, " ")
		if !found {
			path = pattern
		}
		addresses[parameter.ReplaceAllString(path, "orchestrator")] = true
	}
	for _, path := range []string{
		"/", "/chats", "/chats/c1", "/settings", "/index.html", "/nothing", "/nothing.js", "/assets/none.js", "/diagram.html", "/sw.js", "/favicon.svg", "/?token=x",
		"/healthz", "/readyz", "/metrics", "/api", "/api/", "/api/v1", "/api/v2/me", "/a//b", "/../etc/passwd", "/.env", "/webhook/x", "/<script>",
	} {
		addresses[path] = true
	}
	// What the page loads, too.
	_, page := p.Send(at(p, http.MethodGet, "/"))
	for _, m := range regexp.MustCompile(`(?:src|href)="(/[^"]*)"`).FindAllStringSubmatch(page, -1) {
		addresses[m[1]] = true
	}
	if len(addresses) < 300 {
		t.Fatalf("only %d addresses are known", len(addresses))
	}
	// Nobody asks first, and who runs the server last: they change what is there.
	asked := 0
	for _, who := range []*servertest.Person{p.With(""), p} {
		for _, address := range slices.Sorted(maps.Keys(addresses)) {
			for _, method := range methods {
				if who == p && (strings.HasPrefix(address, "/api/v1/users/olga") || method != http.MethodGet && method != http.MethodPost && method != "NONSENSE") {
					continue
				}
				r := at(who, method, address)
				if address == "/<script>" {
					r.Header.Set("Accept", "text/html")
				}
				res := who.Open(r)
				res.Body.Close()
				asked++
				isSafe(t, r, res)
			}
		}
	}
	t.Logf("%d requests to %d addresses", asked, len(addresses))
}

// at is a request to an address outside of the API, too.
func at(p *servertest.Person, method, address string) *http.Request {
	p.Helper()
	r := p.Request(method, "", "{}")
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(address, "?")
	return r
}

// uiPolicy is that of pages and files of the UI: their own scripts and nobody else's.
const uiPolicy = "default-src 'self'; script-src 'self'; style-src 'self'; "

// isSafe looks at what keeps a browser from misusing an answer.
func isSafe(t *testing.T, r *http.Request, res *http.Response) {
	t.Helper()
	path, h := r.URL.Path, res.Header
	policy := h.Get("Content-Security-Policy")
	want := map[string]string{
		"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex",
		"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store", "Access-Control-Allow-Origin": "",
	}
	switch {
	case strings.HasSuffix(path, "/agent-card.json") && res.StatusCode == http.StatusOK:
		want["Access-Control-Allow-Origin"] = "*" // anybody may read the card
	case path == "/diagram.html" && strings.HasPrefix(policy, "sandbox allow-scripts; default-src 'none'; "):
		want["X-Frame-Options"], want["Cache-Control"] = "SAMEORIGIN", "no-cache"
	case strings.HasPrefix(path, "/assets/") && strings.HasPrefix(policy, uiPolicy) && res.StatusCode == http.StatusOK:
		want["Cache-Control"], want["Access-Control-Allow-Origin"] = "public, max-age=31536000, immutable", "*"
	case !strings.HasPrefix(path, "/api/") && strings.HasPrefix(policy, uiPolicy) && strings.Contains(policy, "frame-ancestors 'none'"):
		want["Cache-Control"] = "no-cache"
	case strings.HasSuffix(path, "/content") && strings.Contains(policy, "sandbox") || strings.Contains(path, "/files/") && strings.Contains(policy, "sandbox"):
		want["Cache-Control"] = h.Get("Cache-Control")
		if strings.Contains(want["Cache-Control"], "public") {
			t.Errorf("%s %s: others may keep it: %s", r.Method, path, want["Cache-Control"])
		}
		fallthrough
	default:
		if !strings.HasPrefix(policy, "default-src 'none'; ") || !strings.Contains(policy, "frame-ancestors 'none'") && !strings.Contains(policy, "sandbox") {
			t.Errorf("%s %s: %d has the policy %q", r.Method, path, res.StatusCode, policy)
		}
	}
	for name, want := range want {
		if got := h.Get(name); got != want {
			t.Errorf("%s %s: %d: %s is %q, want %q", r.Method, path, res.StatusCode, name, got, want)
		}
	}
	for _, name := range []string{"Access-Control-Allow-Credentials", "Access-Control-Allow-Methods", "Server", "X-Powered-By"} {
		if got := h.Get(name); got != "" {
			t.Errorf("%s %s: %d: %s is %q", r.Method, path, res.StatusCode, name, got)
		}
	}
	if kind := h.Get("Content-Type"); kind == "" && res.ContentLength > 0 {
		t.Errorf("%s %s: %d has no type", r.Method, path, res.StatusCode)
	}
}
