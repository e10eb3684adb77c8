package llmtest

import (
	"bytes"
	"io"
	"net/http"
)

// Replay returns a client that answers every request with the given event
// stream, without a network. The reader gets the stream in the pieces between
// the cuts, which are ascending offsets into it.
func Replay(stream []byte, cuts ...int) *http.Client {
	return &http.Client{Transport: replay{stream, cuts}}
}

type replay struct {
	stream []byte
	cuts   []int
}

func (r replay) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_, _ = io.Copy(io.Discard, req.Body)
		_ = req.Body.Close()
	}
	var readers []io.Reader
	start := 0
	for _, cut := range append(r.cuts[:len(r.cuts):len(r.cuts)], len(r.stream)) {
		readers = append(readers, bytes.NewReader(r.stream[start:cut]))
		start = cut
	}
	return &http.Response{
		Status:     "200 OK",
		StatusCode: http.StatusOK,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     http.Header{"Content-Type": {"text/event-stream"}},
		Body:       io.NopCloser(io.MultiReader(readers...)),
		Request:    req,
	}, nil
}
