// Package webui serves the web UI, which web/ is the source of. `make web`
// builds it into dist, which becomes part of the binary. A binary that was built
// without it says so, and how to change that.
package webui

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed placeholder.html all:dist
var embedded embed.FS

// policy lets the page load and call nothing but this server.
const policy = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

// diagramPolicy is for the frame that draws diagrams (web/src/diagram), which
// are text of anybody. It may style itself, as the library that draws must, and
// load its scripts. It has no origin: cookies, storage and the API are out of reach.
const diagramPolicy = "sandbox allow-scripts; default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"frame-ancestors 'self'; base-uri 'none'; form-action 'none'"

const (
	indexPage   = "index.html"
	diagramPage = "diagram.html"
	// assets are named by their content: another content is another name.
	assets  = "assets/"
	forever = "public, max-age=31536000, immutable"
)

// UI is the web UI: its files, and one page for all its paths, which the page
// itself reads.
type UI struct {
	http.Handler
	files fs.FS
}

// New returns the UI that is part of the binary, for a server whose paths begin with a
// prefix, which is "" at the root.
func New(prefix string) *UI {
	files, err := fs.Sub(embedded, "dist")
	if err != nil {
		panic(err) // the folder is embedded
	}
	if _, err := fs.Stat(files, indexPage); err != nil {
		page, err := embedded.ReadFile("placeholder.html")
		if err != nil {
			panic(err)
		}
		return &UI{headers(serveOnly(page)), files}
	}
	return &UI{headers(&server{files, prefix}), files}
}

// Has reports whether a path is that of a page or a file of the UI. Everything
// else is nothing: a program that asks for what it takes to be an API, or a
// client that looks for a well-known address, must not get a page.
func (u *UI) Has(name string) bool {
	if isPage(name) {
		return true
	}
	name = strings.TrimPrefix(name, "/")
	if !fs.ValidPath(name) || strings.HasPrefix(path.Base(name), ".") {
		return false
	}
	for _, kept := range []string{name, name + packed} {
		if info, err := fs.Stat(u.files, kept); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}

// Owns reports whether a path has pages or files at it or below it.
func (u *UI) Owns(name string) bool {
	for _, p := range pages {
		if p == name || strings.HasPrefix(p, name+"/") {
			return true
		}
	}
	_, err := fs.Stat(u.files, strings.TrimPrefix(name, "/"))
	return err == nil
}

func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "this address can be read only", http.StatusMethodNotAllowed)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func serveOnly(page []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "placeholder.html", time.Time{}, bytes.NewReader(page))
	}
}

// packed is how the names of files end that the build compressed. The program has them
// in this form alone, and unpacks them for who does not take it.
const packed = ".gz"

// server serves the files of a built UI.
type server struct {
	files  fs.FS
	prefix string
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if isPage(r.URL.Path) {
		name = indexPage
	}
	content, err := fs.ReadFile(s.files, name)
	isPacked := err != nil
	if isPacked {
		content, err = fs.ReadFile(s.files, name+packed)
	}
	if err != nil {
		http.NotFound(w, r)
		return
	}
	switch {
	case name == indexPage: // all pages are this one, at whatever depth, so its links are absolute
		content = bytes.ReplaceAll(content, []byte(`="./`), []byte(`="`+s.prefix+`/`))
	case strings.HasPrefix(name, assets):
		w.Header().Set("Cache-Control", forever)
		// They are the same for everybody; the frame without an origin loads them, too.
		w.Header().Set("Access-Control-Allow-Origin", "*")
	case name == diagramPage:
		w.Header().Set("Content-Security-Policy", diagramPolicy)
		w.Header().Set("X-Frame-Options", "SAMEORIGIN")
	}
	w.Header().Set("Content-Type", contentType(name))
	if isPacked {
		w.Header().Set("Vary", "Accept-Encoding")
		if acceptsGzip(r) {
			w.Header().Set("Content-Encoding", "gzip")
		} else if content, err = unpack(content); err != nil {
			http.Error(w, "this file of the UI is damaged", http.StatusInternalServerError)
			return
		}
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}

func unpack(content []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// types are those of a built UI. The machine's own table may lack some.
var types = map[string]string{
	".html":        "text/html; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".css":         "text/css; charset=utf-8",
	".svg":         "image/svg+xml",
	".json":        "application/json",
	".webmanifest": "application/manifest+json",
	".woff2":       "font/woff2",
}

func contentType(name string) string {
	ext := path.Ext(name)
	if t, ok := types[ext]; ok {
		return t
	}
	if t := mime.TypeByExtension(ext); t != "" {
		return t
	}
	return "application/octet-stream"
}

func acceptsGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if name == "gzip" && strings.ReplaceAll(quality, " ", "") != "q=0" {
			return true
		}
	}
	return false
}
