package httpapi

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/nestorhq/nestor/internal/httpapi/web"
)

// handler answers a request with a value to encode, or an error. It takes the
// server as an argument, so that routes can be declared before there is one.
type handler func(s *server, r *http.Request) (response, error)

type response struct {
	status  int    // 200 unless set
	body    any    // nil: no content
	text    []byte // the body, encoded already
	etag    string
	cookies []*http.Cookie
	stream  func(http.ResponseWriter, *http.Request) // instead of a body
}

func (res response) write(w http.ResponseWriter) {
	if res.etag != "" {
		web.SetETag(w, res.etag)
	}
	for _, c := range res.cookies {
		http.SetCookie(w, c)
	}
	if res.text != nil {
		web.WriteText(w, res.status, res.text)
		return
	}
	if res.body == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	web.Write(w, res.status, res.body)
}

// uploadTime is how long a client may take to send a file.
const uploadTime = 15 * time.Minute

// answer bounds the body of a request and writes the answer. Most is the size
// limit of a file that is uploaded, 0 if the route takes none.
func (s *server) answer(h handler, most int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limit := max(s.MaxBody, most)
		if strings.HasPrefix(r.URL.Path, replicationPath) {
			limit *= pushFactor
		}
		body := r.Body
		r.Body = http.MaxBytesReader(w, body, limit)
		if most > 0 { // by a slow connection a file takes longer than any other request
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(uploadTime))
		}
		res, err := h(s, r)
		if err != nil {
			drain(body, err)
			s.failures.Answer(w, r, err)
			return
		}
		switch {
		case res.stream != nil:
			res.stream(w, r)
		case web.Unchanged(r, res.etag):
			web.NotModified(w, res.etag)
		default:
			res.write(w)
		}
	})
}

// maxDrained is how much of a request is read beyond its limit.
const maxDrained = 1 << 20

// drain reads a part of a request that was too large all the same: a client that is cut
// off while it sends never reads why.
func drain(body io.Reader, err error) {
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		_, _ = io.CopyN(io.Discard, body, maxDrained)
	}
}
