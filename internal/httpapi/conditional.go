package httpapi

import (
	"net/http"
	"strings"
)

// unchanged reports whether a client that reads a document has it already.
func unchanged(r *http.Request, res response) bool {
	if res.etag == "" || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	for tag := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/"); tag == "*" || tag == `"`+res.etag+`"` {
			return true
		}
	}
	return false
}

// notModified says so, without a body.
func notModified(w http.ResponseWriter, res response) {
	w.Header().Set("ETag", `"`+res.etag+`"`)
	w.WriteHeader(http.StatusNotModified)
}
