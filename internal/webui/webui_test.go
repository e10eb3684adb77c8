package webui

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

// built is a UI as the build leaves it.
var built = fstest.MapFS{
	"index.html":            {Data: []byte("<title>page</title>")},
	"favicon.svg":           {Data: []byte("<svg/>")},
	"sw.js":                 {Data: []byte("worker")},
	"assets/app-1a2b.js":    {Data: []byte("plain")},
	"assets/app-1a2b.js.gz": {Data: []byte("packed")},
	".gitignore":            {Data: []byte("*")},
}

func TestUI(t *testing.T) {
	const page = "<title>page</title>"
	for _, c := range []struct {
		name, method, path, encoding string
		status                       int
		body, contentType, caching   string
	}{
		{"the root is the page", "GET", "/", "", 200, page, "text/html; charset=utf-8", "no-cache"},
		{"a path of the page's own is the page", "GET", "/chats/c1/agents/a1", "", 200, page, "text/html; charset=utf-8", "no-cache"},
		{"a path that leaves the folder is the page", "GET", "/../webui.go", "", 200, page, "text/html; charset=utf-8", "no-cache"},
		{"a hidden file is not there", "GET", "/.gitignore", "", 200, page, "text/html; charset=utf-8", "no-cache"},
		{"a file has its type and is asked for again", "GET", "/favicon.svg", "", 200, "<svg/>", "image/svg+xml", "no-cache"},
		{"the service worker is asked for again", "GET", "/sw.js", "", 200, "worker", "text/javascript; charset=utf-8", "no-cache"},
		{"an asset is kept for ever", "GET", "/assets/app-1a2b.js", "", 200, "plain", "text/javascript; charset=utf-8", forever},
		{"an asset comes compressed to who takes it", "GET", "/assets/app-1a2b.js", "br, gzip;q=0.8", 200, "packed", "text/javascript; charset=utf-8", forever},
		{"and plain to who refuses that", "GET", "/assets/app-1a2b.js", "gzip;q=0", 200, "plain", "text/javascript; charset=utf-8", forever},
		{"an asset of another build is missing", "GET", "/assets/app-0000.js", "", 404, "404 page not found\n", "text/plain; charset=utf-8", "no-cache"},
		{"nothing can be written", "POST", "/", "", 405, "this address can be read only\n", "text/plain; charset=utf-8", "no-cache"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := get(headers(&server{built}), c.method, c.path, c.encoding)
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
			if packed := w.Header().Get("Content-Encoding") == "gzip"; packed != (c.body == "packed") {
				t.Errorf("Content-Encoding is %q for %q", w.Header().Get("Content-Encoding"), c.body)
			}
		})
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
	if w := get(Handler(), "GET", "/", ""); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "<title>Nestor</title>") {
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
