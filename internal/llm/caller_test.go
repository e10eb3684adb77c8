package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
)

func TestACallerReachesPathsBelowItsBase(t *testing.T) {
	var got *http.Request
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"ok":true}`)
	}))
	defer server.Close()
	for _, tt := range []struct{ base, path, want string }{
		{"", "chat", "/chat"},
		{"/", "chat", "/chat"},
		{"/gateway/v1", "chat/completions", "/gateway/v1/chat/completions"},
		{"/gateway/v1/", "chat?alt=sse", "/gateway/v1/chat?alt=sse"},
		{"/v1?api-version=7", "chat", "/v1/chat?api-version=7"},
		{"/v1?api-version=7", "chat?alt=sse", "/v1/chat?api-version=7&alt=sse"},
		{"/v1", "models/a:stream", "/v1/models/a:stream"},
	} {
		e := &Endpoint{Provider: "acme", Headers: map[string]string{"X-Key": "theirs"}}
		c, err := e.Caller(server.URL+tt.base, http.Header{"X-Key": {"ours"}, "X-Other": {"ours"}})
		if err != nil {
			t.Fatal(err)
		}
		var answer struct{ OK bool }
		if err := e.Ask(t.Context(), func(ctx context.Context) error { return c.Get(ctx, tt.path, &answer) }); err != nil || !answer.OK {
			t.Errorf("%+v: got %+v, %v", tt, answer, err)
		}
		if got.RequestURI != tt.want || got.Header.Get("X-Key") != "theirs" || got.Header.Get("X-Other") != "ours" ||
			got.Header.Get("User-Agent") != "nestor" {
			t.Errorf("%+v: asked for %s with %v", tt, got.RequestURI, got.Header)
		}
		if err := e.Ask(t.Context(), func(ctx context.Context) error {
			resp, err := c.Post(ctx, tt.path, []byte(`{"a":1}`))
			if err != nil {
				return err
			}
			return resp.Body.Close()
		}); err != nil {
			t.Errorf("%+v: %v", tt, err)
		}
		if got.RequestURI != tt.want || string(body) != `{"a":1}` || got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%+v: posted %q to %s with %v", tt, body, got.RequestURI, got.Header)
		}
	}
}

func TestARefusalCarriesTheWordsOfTheServer(t *testing.T) {
	const said = `{"error":{"message":"no such field"}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = io.WriteString(w, said)
	}))
	defer server.Close()
	e := &Endpoint{Provider: "acme"}
	c, err := e.Caller(server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	var refused *Refusal
	err = e.Ask(t.Context(), func(ctx context.Context) error {
		_, err := c.Post(ctx, "chat", []byte("{}"))
		if !errors.As(err, &refused) {
			t.Fatalf("error %v, want a refusal", err)
		}
		return err
	})
	if refused.Status != http.StatusUnprocessableEntity || string(refused.Body) != said {
		t.Errorf("got status %d and %s", refused.Status, refused.Body)
	}
	if nestor.CodeOf(err) != nestor.CodeInvalid || nestor.CodeOf(refused) != nestor.CodeInvalid {
		t.Errorf("errors %v and %v, want code %q", err, refused, nestor.CodeInvalid)
	}
}

// What was encoded once is sent again with every request: sending must not change it.
func TestADocumentInPiecesArrivesWholeEachTime(t *testing.T) {
	pieces := [][]byte{[]byte(`{"list":[`), nil}
	for i := range 500 {
		pieces = append(pieces, fmt.Appendf(nil, "%q,", strings.Repeat("x", i)))
	}
	pieces = append(pieces, []byte(`""]}`))
	want := bytes.Join(pieces, nil)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !bytes.Equal(body, want) || r.ContentLength != int64(len(want)) {
			t.Errorf("%s: %d bytes of %d came, announced as %d: %v", r.Proto, len(body), len(want), r.ContentLength, err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"proto":%q}`, r.Proto)
	})
	for proto, start := range map[string]func(*httptest.Server){"HTTP/1.1": (*httptest.Server).Start, "HTTP/2.0": (*httptest.Server).StartTLS} {
		server := httptest.NewUnstartedServer(handler)
		server.EnableHTTP2 = true
		start(server)
		defer server.Close()
		e := &Endpoint{Provider: "acme", Client: server.Client()}
		c, err := e.Caller(server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			var answer struct{ Proto string }
			err := e.Ask(t.Context(), func(ctx context.Context) error {
				resp, err := c.Post(ctx, "chat", pieces...)
				if err != nil {
					return err
				}
				return errors.Join(json.NewDecoder(resp.Body).Decode(&answer), resp.Body.Close())
			})
			if err != nil || answer.Proto != proto {
				t.Errorf("answered over %q, want %q: %v", answer.Proto, proto, err)
			}
		}
	}
}
