package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// log is what a server logs.
type log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// take returns the lines since the last call.
func (l *log) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := strings.TrimSpace(l.b.String())
	l.b.Reset()
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func (l *log) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func TestRefusedRequestsAreLoggedWithoutSecrets(t *testing.T) {
	t.Parallel()
	var out log
	a := serve(t, engines.SQLite(t), setup{api: func(o *httpapi.Options) {
		o.Logger = out.logger()
		o.Ready = func(context.Context) error { return nestor.Errorf(nestor.CodeUnavailable, "the disk is full") }
		o.Writes = access.LimiterOptions{PerSecond: 0.001, Burst: 1}
	}})
	a.user(access.NewUser{ID: "ada", Name: "Ada"})
	ada := a.apiKey("ada", access.ScopeWrite)
	name := access.SessionCookie(a.server.Listener.Addr().String())
	for what, c := range map[string]struct {
		do   func()
		want string // level and status, "" for nothing
	}{
		"a wrong token":        {func() { a.call("GET", "/me", "", "Authorization", "Bearer secret-guess") }, "level=INFO msg=\"a request was refused\" status=401 path=/api/v1/me address=127.0.0.1"},
		"a wrong cookie":       {func() { a.call("GET", "/me", "", "Authorization", "", "Cookie", name+"=secret-cookie") }, "level=INFO status=401"},
		"a wrong password":     {func() { a.call("POST", "/login", `{"login":"ada","password":"secret-password"}`, "Authorization", "") }, "level=INFO status=401 path=/api/v1/login"},
		"a used link":          {func() { a.page("/?token=secret-link") }, "level=INFO status=401 path=/ "},
		"a browser that asks":  {func() { a.call("GET", "/me", "", "Authorization", "") }, "level=DEBUG status=401"},
		"what is not allowed":  {func() { a.call("GET", "/jobs?secret=secret-query", "", "Authorization", ada) }, "level=INFO status=403 path=/api/v1/jobs user=ada"},
		"what is not there":    {func() { a.call("GET", "/chats/none", "") }, ""},
		"what makes no sense":  {func() { a.call("POST", "/chats", "{") }, ""},
		"a path with newlines": {func() { a.call("GET", "/docs/users/bob%0aevil=1", "", "Authorization", "Bearer x") }, `level=INFO path="/api/v1/docs/users/bob\nevil=1"`},
	} {
		out.take()
		c.do()
		lines := out.take()
		if c.want == "" && len(lines) > 0 || c.want != "" && len(lines) != 1 {
			t.Errorf("%s: logged %q", what, lines)
			continue
		}
		for _, part := range strings.Split(c.want, " ") {
			if c.want != "" && !strings.Contains(lines[0], part) {
				t.Errorf("%s: %s lacks %s", what, lines[0], part)
			}
		}
		if strings.Contains(strings.Join(lines, ""), "secret-") {
			t.Errorf("%s: a secret is logged: %s", what, lines)
		}
	}
	a.call("PUT", "/docs/users/ada/notes/n1", `{}`, "Authorization", ada)
	out.take()
	a.want(429, "PUT", "/docs/users/ada/notes/n1", `{}`, "", "Authorization", ada)
	if lines := out.take(); len(lines) != 1 || !strings.Contains(lines[0], "status=429") {
		t.Errorf("too often: %q", lines)
	}
}

func TestWhoIsRefusedAllTheTimeDoesNotFloodTheLog(t *testing.T) {
	t.Parallel()
	var out log
	a := serve(t, engines.SQLite(t), setup{api: func(o *httpapi.Options) { o.Logger = out.logger() }})
	for range 200 {
		a.call("GET", "/me", "", "Authorization", "Bearer nst_k_x")
	}
	if n := len(out.take()); n < 20 || n > 40 {
		t.Errorf("%d lines", n)
	}
}

func TestAServerThatCannotWriteIsNotReady(t *testing.T) {
	t.Parallel()
	var out log
	var asked int
	var mu sync.Mutex
	a := serve(t, engines.SQLite(t), setup{api: func(o *httpapi.Options) {
		o.Logger = out.logger()
		o.Ready = func(ctx context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			asked++
			if _, bounded := ctx.Deadline(); !bounded {
				return errors.New("it could take for ever")
			}
			return errors.New("disk-canary")
		}
	}})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if res := a.page("/readyz"); res.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("got %d", res.StatusCode)
			}
		})
	}
	wg.Wait()
	// Everybody may ask, and finding out is a write: it is done once.
	if lines := out.take(); asked != 1 || len(lines) != 1 || !strings.Contains(lines[0], "disk-canary") || !strings.Contains(lines[0], "level=WARN") {
		t.Errorf("asked %d times, logged %q", asked, lines)
	}
}

// A client that leaves while it waits is no failure of the server's, at a route and at a
// door alike.
func TestAClientThatLeavesIsNotLoggedAsAFailure(t *testing.T) {
	t.Parallel()
	var out log
	waits := make(chan struct{})
	wait := func(r *httpapi.Request) error {
		waits <- struct{}{}
		<-r.Context().Done()
		return r.Context().Err()
	}
	a := serve(t, engines.SQLite(t), setup{api: func(o *httpapi.Options) {
		o.Logger = out.logger()
		o.Routes = append(o.Routes, httpapi.Route{Pattern: "GET /api/v1/waits", ID: "waits", Summary: "Waits", Do: func(r *httpapi.Request) (any, error) { return nil, wait(r) }})
		o.Doors = append(o.Doors, httpapi.Door{
			Pattern: "GET /waits", Fail: func(http.ResponseWriter, *http.Request, httpapi.Refused) {},
			Serve: func(r *httpapi.Request, _ http.ResponseWriter) error { return wait(r) },
		})
	}})
	for _, path := range []string{"/api/v1/waits", "/waits"} {
		ctx, leave := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		gone := make(chan error, 1)
		go func() {
			res, err := http.DefaultClient.Do(req)
			if err == nil {
				err = res.Body.Close()
			}
			gone <- err
		}()
		<-waits
		leave()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", path, err)
		}
	}
	a.server.Close() // waits for all answers
	if lines := out.take(); len(lines) != 0 {
		t.Errorf("logged %q", lines)
	}
}
