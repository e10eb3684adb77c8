package web

import (
	"net/http"
	"strings"
)

// Unchanged reports whether a client that reads a document has it already.
func Unchanged(r *http.Request, etag string) bool {
	if etag == "" || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	for tag := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/"); tag == "*" || tag == `"`+etag+`"` {
			return true
		}
	}
	return false
}

// SetETag names the version of the document that an answer holds.
func SetETag(w http.ResponseWriter, etag string) { w.Header().Set("ETag", `"`+etag+`"`) }

// NotModified says so, without a body.
func NotModified(w http.ResponseWriter, etag string) {
	SetETag(w, etag)
	w.WriteHeader(http.StatusNotModified)
}
