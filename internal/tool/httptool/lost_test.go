package httptool

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool"
)

// A connection that is lost in the middle leaves it open whether a call took
// effect, whether it was new or had carried calls before. Go's client would send
// again what has an idempotency key, or is a GET, over a connection that it knows.
func TestACallThatIsCutOffIsUnknownAndNotRepeatedIfEveryRunCounts(t *testing.T) {
	cut := func(w http.ResponseWriter, answer string) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, answer)
		conn.Close()
	}
	for name, answer := range map[string]string{
		"before the answer":        "",
		"in the middle of headers": "HTTP/1.1 200 OK\r\nContent-Le",
		"in the middle of a body":  "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
	} {
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
			for _, arguments := range []string{`{}`, `{"note":"x"}`} {
				for before := range 2 {
					t.Run(fmt.Sprintf("%s %s %s after %d", name, method, arguments, before), func(t *testing.T) {
						var calls atomic.Int64
						srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
							if calls.Add(1) <= int64(before) {
								fmt.Fprint(w, "fine")
								return
							}
							cut(w, answer)
						}))
						t.Cleanup(srv.Close)
						made := mustNew(t, Config{
							URL: srv.URL, Method: method, Parameters: []byte(`{"properties":{"note":{"type":"string"}}}`),
							Settings: tool.Settings{Effect: tool.Once},
						})
						for range before {
							if r := call(t, made, arguments); r.Output != "fine" {
								t.Fatalf("got %+v", r)
							}
						}
						r := call(t, made, arguments)
						if r.Status != nestor.ToolCallUnknown || calls.Load() != int64(before)+1 {
							t.Errorf("%s after %d calls: %s", r.Status, calls.Load(), r.Error)
						}
					})
				}
			}
		}
	}
}

func TestAnImageComesAlongWithItsDescription(t *testing.T) {
	const picture = "\x89PNG\r\n\x1a\n a photo"
	for name, tt := range map[string]struct {
		kind, body, want string
		media            bool
	}{
		"an image":               {"image/png", picture, "[16 bytes of image/png, which is not text]", true},
		"one of another type":    {"image/gif", picture, "[16 bytes of image/gif, which is not text]", true},
		"a drawing":              {"image/svg+xml", "<svg/>", "<svg/>", false},
		"markup in disguise":     {"image/png", "<html>", "[6 bytes of image/png, which is not text]", false},
		"an image with a secret": {"image/png", picture + secretValue, "[33 bytes of image/png, which is not text]", false},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.kind)
				fmt.Fprint(w, tt.body)
			}))
			t.Cleanup(srv.Close)
			r := call(t, mustNew(t, Config{URL: srv.URL, Headers: map[string]string{"Authorization": "${API_KEY}"}}), `{}`)
			if r.Output != tt.want || len(r.Media) > 0 != tt.media {
				t.Fatalf("got %+v", r)
			}
			if tt.media && (r.Media[0].MIMEType != "image/png" || r.Media[0].Data != base64.StdEncoding.EncodeToString([]byte(picture))) {
				t.Errorf("got %+v", r.Media[0])
			}
		})
	}
}
