package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestEveryAnswerNamesItsRequest(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{})
	a.seed("local", "c1")
	for name, tt := range map[string]struct{ sent, want string }{
		"a client's own":          {"trace-1:a.b_C", "trace-1:a.b_C"},
		"none":                    {"", ""},
		"one that forges a log":   {"x level=INFO", ""},
		"one that is too long":    {strings.Repeat("x", 129), ""},
		"one that is just so":     {strings.Repeat("x", 128), strings.Repeat("x", 128)},
		"one that is not of text": {"\xff", ""},
	} {
		for _, path := range []string{"/chats/c1", "/chats/none", "/nowhere", "/chats/c1/events"} {
			got := a.request("GET", path, "", "X-Request-Id", tt.sent).Header.Get("X-Request-Id")
			if got == "" || tt.want != "" && got != tt.want || tt.want == "" && got == tt.sent {
				t.Errorf("%s: %s is answered with %q", name, path, got)
			}
		}
	}
	first, second := a.request("GET", "/chats/c1", "").Header, a.request("GET", "/chats/c1", "").Header
	if first.Get("X-Request-Id") == second.Get("X-Request-Id") {
		t.Error("two requests have the same id")
	}
}

// broken is a store that fails for a reason nobody foresaw.
type broken struct{ store.Store }

func (broken) View(context.Context, func(store.Reader) error) error {
	return errors.New("disk on fire")
}

type lines struct {
	sync.Mutex
	bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.Buffer.Write(p)
}

func (l *lines) String() string {
	l.Lock()
	defer l.Unlock()
	return l.Buffer.String()
}

func TestWhatIsLoggedNamesTheRequest(t *testing.T) {
	t.Parallel()
	log := &lines{}
	a := serve(t, engines.SQLite(t), setup{api: func(o *httpapi.Options) {
		o.Store, o.Logger = broken{o.Store}, slog.New(slog.NewTextHandler(log, nil))
	}})
	a.want(500, "GET", "/chats/c1", "", `"code":"internal"`, "X-Request-Id", "trace-7")
	if text := log.String(); !strings.Contains(text, "request=trace-7") || !strings.Contains(text, "disk on fire") {
		t.Errorf("logged %s", text)
	}
}
