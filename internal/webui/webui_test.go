package webui

import (
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// built is a UI as the build leaves it.
var built = fstest.MapFS{
	"index.html":             {Data: []byte(`<title>page</title><script src="./assets/app-1a2b.js">`)},
	"favicon.svg":            {Data: []byte("<svg/>")},
	"sw.js":                  {Data: []byte("worker")},
	"diagram.html":           {Data: []byte("<title>frame</title>")},
	"assets/app-1a2b.js.gz":  {Data: []byte(compressed)},
	"assets/torn-3c4d.js.gz": {Data: []byte(compressed[:10])},
	".gitignore":             {Data: []byte("*")},
}

// compressed is "plain", compressed.
var compressed = func() string {
	var b strings.Builder
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte("plain")); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}()

func TestUI(t *testing.T) {
	const page, missing = `<title>page</title><script src="/assets/app-1a2b.js">`, "404 page not found\n"
	for _, c := range []struct {
		name, method, path, encoding string
		status                       int
		body, contentType, caching   string
	}{
		{"the root is the page", "GET", "/", "", 200, page, "text/html; charset=utf-8", "no-cache"},
		{"a path of the page's own is the page", "GET", "/chats/c1/agents/a1", "", 200, page, "text/html; charset=utf-8", "no-cache"},
		{"a path that leaves the folder is nothing", "GET", "/../webui.go", "", 404, missing, "text/plain; charset=utf-8", "no-cache"},
		{"what is no page is nothing", "GET", "/health", "", 404, missing, "text/plain; charset=utf-8", "no-cache"},
		{"a file has its type and is asked for again", "GET", "/favicon.svg", "", 200, "<svg/>", "image/svg+xml", "no-cache"},
		{"the service worker is asked for again", "GET", "/sw.js", "", 200, "worker", "text/javascript; charset=utf-8", "no-cache"},
		{"an asset is kept for ever", "GET", "/assets/app-1a2b.js", "", 200, "plain", "text/javascript; charset=utf-8", forever},
		{"an asset comes compressed to who takes it", "GET", "/assets/app-1a2b.js", "br, gzip;q=0.8", 200, compressed, "text/javascript; charset=utf-8", forever},
		{"and plain to who refuses that", "GET", "/assets/app-1a2b.js", "gzip;q=0", 200, "plain", "text/javascript; charset=utf-8", forever},
		{"a damaged one is told of", "GET", "/assets/torn-3c4d.js", "", 500, "this file of the UI is damaged\n", "text/plain; charset=utf-8", ""},
		{"an asset of another build is missing", "GET", "/assets/app-0000.js", "", 404, missing, "text/plain; charset=utf-8", "no-cache"},
		{"nothing can be written", "POST", "/", "", 405, "this address can be read only\n", "text/plain; charset=utf-8", "no-cache"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := get(headers(&server{files: built}), c.method, c.path, c.encoding)
			if w.Code != c.status || w.Body.String() != c.body {
				t.Errorf("got %d %q, want %d %q", w.Code, w.Body, c.status, c.body)
			}
			for header, want := range map[string]string{
				"Content-Type": c.contentType, "Cache-Control": c.caching, "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff",
			} {
				// http.Error and http.NotFound take back what was said about caching.
				if got := w.Header().Get(header); got != want && !(c.status >= 400 && header == "Cache-Control") {
					t.Errorf("%s is %q, want %q", header, got, want)
				}
			}
			if packed := w.Header().Get("Content-Encoding") == "gzip"; packed != (c.body == compressed) {
				t.Errorf("Content-Encoding is %q for %q", w.Header().Get("Content-Encoding"), c.body)
			}
		})
	}
}

// Pages are at many depths, so what they load is named from the root of the host.
func TestAPageBelowAPathLoadsWhatIsBelowIt(t *testing.T) {
	for _, path := range []string{"/", "/chats/c1"} {
		if got := get(headers(&server{files: built, prefix: "/agents"}), "GET", path, "").Body.String(); !strings.Contains(got, `src="/agents/assets/app-1a2b.js"`) {
			t.Errorf("%s is %s", path, got)
		}
	}
}

// Mermaid makes markup of text that anybody may have written: what it could do
// must not reach the page that shows it.
func TestTheFrameOfDiagramsHasNoOriginAndReachesNothing(t *testing.T) {
	h := get(headers(&server{files: built}), "GET", "/diagram.html", "").Header()
	if got := h.Get("Content-Security-Policy"); got != diagramPolicy || !strings.Contains(got, "sandbox allow-scripts;") ||
		!strings.Contains(got, "default-src 'none';") || strings.Contains(got, "allow-same-origin") || strings.Contains(got, "connect-src") {
		t.Errorf("the frame's policy is %q", got)
	}
	if got := h.Get("X-Frame-Options"); got != "SAMEORIGIN" {
		t.Errorf("X-Frame-Options is %q", got)
	}
	// It has no origin, so its scripts are those of another site to the browser.
	for path, want := range map[string]string{"/assets/app-1a2b.js": "*", "/": "", "/sw.js": "", "/diagram.html": ""} {
		if got := get(headers(&server{files: built}), "GET", path, "").Header().Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("%s may be read by pages of %q, want %q", path, got, want)
		}
	}
}

func TestTheUIHasItsPagesAndFilesAndNothingElse(t *testing.T) {
	ui := &UI{files: built}
	for _, name := range []string{
		"/", "/new", "/chats/c1", "/chats/c1/agents/a1", "/chats/c1/agents/a1/steps/s1", "/operations", "/operations/jobs", "/sw.js", "/assets/app-1a2b.js",
	} {
		if !ui.Has(name) {
			t.Errorf("%s is missing", name)
		}
	}
	for _, name := range []string{
		"", "/health", "/v1/models", "/.well-known/x", "/chats", "/chats/", "/chats/c1/", "/chats/c1/agents", "/chats/c1/x/a1", "/chats/c1/agents/a1/steps/s1/x",
		"/operations/jobs/x", "/new/x", "/.gitignore", "/assets", "/assets/", "/assets/app-0000.js", "/../webui.go", "//sw.js", "/index.html/..", "/NEW",
	} {
		if ui.Has(name) {
			t.Errorf("%s is there", name)
		}
	}
}

// The page reads its path itself: what the server takes for a page must be one
// there, and the other way round.
func TestTheServerAndThePageAgreeAboutThePages(t *testing.T) {
	source, err := os.ReadFile("../../web/src/place.ts")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(source), "export const pages = {")
	list, _, ok := strings.Cut(list, "} as const;")
	if !ok {
		t.Fatal("place.ts has no list of pages")
	}
	var theirs []string
	for _, m := range regexp.MustCompile(`(\w+): "([^"]+)"`).FindAllStringSubmatch(list, -1) {
		theirs = append(theirs, m[2])
		used, err := os.ReadFile("../../web/src/app.tsx")
		if err != nil || !strings.Contains(string(used), "pages."+m[1]) {
			t.Errorf("app.tsx has no route for %s, %v", m[1], err)
		}
	}
	if !slices.Equal(theirs, pages) {
		t.Errorf("place.ts has %q, the server %q", theirs, pages)
	}
	routes, err := os.ReadFile("../../web/src/app.tsx")
	if err != nil || strings.Contains(string(routes), `path="`) {
		t.Errorf("app.tsx has a route that is not in the list, %v", err)
	}
}

func TestABinaryWithoutUISaysHowToBuildIt(t *testing.T) {
	page, err := embedded.ReadFile("placeholder.html")
	if err != nil {
		t.Fatal(err)
	}
	w := get(headers(serveOnly(page)), "GET", "/chats/c1", "")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "make run") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func TestTheEmbeddedUIServesAPage(t *testing.T) {
	if w := get(New(""), "GET", "/", ""); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "<title>Nestor</title>") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func get(h http.Handler, method, path, encoding string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost/", nil)
	r.URL.Path = path
	r.Header.Set("Accept-Encoding", encoding)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
