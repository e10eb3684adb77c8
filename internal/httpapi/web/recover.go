package web

import (
	"io"
	"net/http"

	"github.com/nestorhq/nestor/internal/recovery"
)

// Recover answers a request whose handler panics as one that failed, and logs the stack with
// the request. If a part of the answer was sent already, the connection is cut: the client
// must not take that part for all.
func Recover(next http.Handler, f *Failures) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent := &watched{ResponseWriter: w}
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p) // on purpose, and already told
			}
			if err := recovery.Of(p); sent.begun {
				f.Log(r, http.StatusInternalServerError, err)
				panic(http.ErrAbortHandler)
			} else {
				f.Answer(w, r, err)
			}
		}()
		next.ServeHTTP(sent, r)
	})
}

// watched knows whether a part of an answer was sent.
type watched struct {
	http.ResponseWriter
	begun bool
}

// WriteHeader implements [http.ResponseWriter].
func (w *watched) WriteHeader(status int) {
	w.begun = w.begun || status >= http.StatusOK // else more headers follow
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (w *watched) Write(p []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(p)
}

// ReadFrom lets the connection take a file from the system.
func (w *watched) ReadFrom(r io.Reader) (int64, error) {
	w.begun = true
	return io.Copy(w.ResponseWriter, r)
}

// FlushError is how [http.ResponseController] sends what there is.
func (w *watched) FlushError() error {
	w.begun = true
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap lets [http.ResponseController] set deadlines.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }
