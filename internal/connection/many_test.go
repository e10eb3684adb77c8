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
