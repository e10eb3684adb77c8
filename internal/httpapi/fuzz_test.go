package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// FuzzRoutes sends every request of the table as somebody who shares
// nothing with olga, with whatever in the places of a path and of the user.
// However it is spelled, nobody else's documents are shown or written, a refused
// request writes nothing, and the server does not fail.
func FuzzRoutes(f *testing.F) {
	for route := range requests {
		for _, name := range []string{"olga", "otto/x/amy", "otto%2Fx%2Famy", "../olga", "", "\x00", strings.Repeat("x", 65)} {
			f.Add(route, "c1", "t1", name, false)
			f.Add(route, name, "t1", "otto", false)
		}
		f.Add(route, "c1", "t1", "olga/orch-chats/c2", true)
	}
	shared := newWorld(f, engines.SQLite(f))
	f.Fuzz(func(t *testing.T, route int, first, second, user string, webhook bool) {
		if route < 0 || route >= len(requests) {
			t.Skip("no such route")
		}
		w := &world{api: shared.in(t), callers: shared.callers}
		stranger := w.callers[0]
		if webhook {
			stranger = w.callers[len(w.callers)-1]
		}
		r := requests[route]
		mark := w.mark()
		res := w.spelled(r, stranger, user, first, second)
		w.check(stranger, r.pattern, res.Body.String())
		if res.Code >= 500 {
			t.Errorf("%s: %d %s", r.pattern, res.Code, res.Body)
		}
		for _, c := range w.writtenAfter(mark) {
			if res.Code >= 400 && !nestor.Path("secrets/access").Contains(c.Path) || !mayChange(stranger, c.Path) {
				t.Errorf("%s with %q, %q and user %q as %s: %d, and %s was written", r.pattern, first, second, user, stranger.name, res.Code, c.Path)
			}
		}
	})
}

// mayChange reports whether a stranger's request has a right to write p. What is
// secret or an account of its own is told apart by the documents that go with it.
func mayChange(c caller, p nestor.Path) bool {
	if c.user == "olga" { // the webhook
		return nestor.Path("users/olga/orch-chats/c2").Contains(p)
	}
	return p.UserID() == c.user || nestor.IsSecret(string(p)) || strings.HasPrefix(string(p), "accounts/") && !nestor.Path("accounts/team").Contains(p)
}

// spelled sends the request of a row with other words in the places of its
// path, one after the other, and for the user. A stream ends with its first
// words.
func (w *world) spelled(r row, c caller, user string, words ...string) *httptest.ResponseRecorder {
	w.Helper()
	method, pattern, found := strings.Cut(r.pattern, " ")
	if !found {
		method, pattern = http.MethodGet, r.pattern
	}
	segments := strings.Split(pattern, "/")
	for i, s := range segments {
		if !strings.HasPrefix(s, "{") {
			continue
		}
		segments[i] = url.PathEscape(words[0])
		if strings.HasSuffix(s, "...}") {
			segments[i] = strings.ReplaceAll(segments[i], "%2F", "/")
		}
		words = append(words[1:], words[0])
	}
	ctx, cancel := context.WithCancel(w.Context())
	defer cancel()
	query := url.Values{"user": {user}, "userId": {user}, "chatId": {words[0]}, "path": {"users/" + user + "/**"}}
	req, err := http.NewRequestWithContext(ctx, method, w.server.URL+strings.Join(segments, "/")+"?"+query.Encode(), strings.NewReader(r.body))
	if err != nil { // no client could send it
		w.Skip(err)
	}
	req.Header.Set("Authorization", c.bearer)
	req.RemoteAddr = "127.0.0.1:5000"
	res := httptest.NewRecorder()
	w.server.Config.Handler.ServeHTTP(endsWhenFlushed{res, cancel}, req)
	return res
}

// endsWhenFlushed ends a stream after the first words that its client gets.
type endsWhenFlushed struct {
	*httptest.ResponseRecorder
	end context.CancelFunc
}

func (e endsWhenFlushed) Flush() {
	e.ResponseRecorder.Flush()
	e.end()
}
