package server

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// inside carries requests to a handler in the same process. Answers stream: the
// client reads a piece when the handler has written it.
type inside struct{ handler http.Handler }

// RoundTrip implements [http.RoundTripper].
func (t inside) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	served := r.Clone(ctx)
	served.RequestURI, served.RemoteAddr = r.URL.RequestURI(), "127.0.0.1:0"
	if served.Body == nil {
		served.Body = http.NoBody
	}
	served.Host = "127.0.0.1" // the machine itself
	body, write := io.Pipe()
	w := &answer{header: http.Header{}, body: write, begun: make(chan struct{})}
	go func() {
		defer write.Close()
		defer w.WriteHeader(http.StatusOK) // if it wrote nothing
		defer func() {
			if p := recover(); p != nil { // it cuts the connection; see [http.ErrAbortHandler]
				write.CloseWithError(io.ErrUnexpectedEOF)
			}
		}()
		t.handler.ServeHTTP(w, served)
	}()
	select {
	case <-w.begun:
		return &http.Response{
			Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: w.sent, Body: ending{body, cancel}, ContentLength: -1, Request: r,
		}, nil
	case <-ctx.Done():
		cancel()
		body.Close()
		return nil, context.Cause(ctx)
	}
}

// answer is what a handler writes to.
type answer struct {
	header, sent http.Header
	status       int
	body         *io.PipeWriter
	begun        chan struct{}
	once         sync.Once
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	a.once.Do(func() {
		a.status, a.sent = status, a.header.Clone()
		close(a.begun)
	})
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

// Flush implements [http.Flusher]: what was written has been read already.
func (a *answer) Flush() { a.WriteHeader(http.StatusOK) }

// ending ends the request when the client has had enough.
type ending struct {
	*io.PipeReader
	cancel context.CancelFunc
}

func (e ending) Close() error {
	e.cancel()
	return e.PipeReader.Close()
}
