package connection_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/connection"
)

// Buffers are small. What providers and gateways put into headers is not always.
func TestHeadersThatAreLargerThanABufferGoThrough(t *testing.T) {
	long := strings.Repeat("x", 9<<10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Answer", r.Header.Get("X-Asked"))
		_, _ = w.Write(body)
	}))
	defer server.Close()
	transport := &http.Transport{}
	connection.ForMany(transport)
	defer transport.CloseIdleConnections()
	for range 2 { // the second over the connection of the first
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(strings.Repeat("y", 100<<10)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Asked", long)
		res, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil || len(body) != 100<<10 || res.Header.Get("X-Answer") != long || res.Body.Close() != nil {
			t.Errorf("%d bytes and a header of %d came back: %v", len(body), len(res.Header.Get("X-Answer")), err)
		}
	}
}

// A body that can write itself is not copied: it is sent whole, once, and no more is asked
// of it than fits beside the headers.
func TestABodyThatWritesItselfIsNotCopied(t *testing.T) {
	want := strings.Repeat("0123456789abcdef", 4<<10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if got, err := io.ReadAll(r.Body); err != nil || string(got) != want {
			t.Errorf("%d of %d bytes came, as they were: %v, %v", len(got), len(want), string(got) == want, err)
		}
	}))
	defer server.Close()
	transport := &http.Transport{}
	connection.ForMany(transport)
	defer transport.CloseIdleConnections()
	for range 2 { // the second over the connection of the first
		body := &writesItself{strings.NewReader(want), 0}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, body)
		if err != nil {
			t.Fatal(err)
		}
		req.ContentLength = int64(len(want))
		res, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Body.Close(); err != nil {
			t.Error(err)
		}
		if body.largest > 1<<10 {
			t.Errorf("it was read into a buffer of %d bytes", body.largest)
		}
	}
}

type writesItself struct {
	*strings.Reader
	largest int // buffer that it was read into
}

func (b *writesItself) Close() error { return nil }

func (b *writesItself) Len() int64 { return int64(b.Reader.Len()) }

func (b *writesItself) Read(p []byte) (int, error) {
	if b.Reader.Len() > 0 { // at the end it is read once more
		b.largest = max(b.largest, len(p))
	}
	return b.Reader.Read(p)
}
