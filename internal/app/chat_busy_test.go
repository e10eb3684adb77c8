package app_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/app"
)

// busyFor stands before a server and refuses the first messages as one does that has too
// much to do.
func busyFor(t *testing.T, server string, refusals int64, retryAfter string) string {
	t.Helper()
	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	pass := httputil.NewSingleHostReverseProxy(to)
	pass.FlushInterval = -1
	var left atomic.Int64
	left.Store(refusals)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/messages") && left.Add(-1) >= 0 {
			w.Header().Set("Retry-After", retryAfter)
			w.WriteHeader(http.StatusTooManyRequests)
			io.WriteString(w, `{"error":{"code":"rate_limited","message":"you have 3 jobs waiting, as many as one user may have: wait until some are done"}}`)
			return
		}
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL
}

func TestAChatInTheTerminalWaitsForAServerThatHasTooMuchToDo(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		s := start(t, cfg)
		cfg.Token = token
		printed := talk(t, cfg, app.ChatOptions{URL: busyFor(t, s.url, 2, "0"), Message: "Compute 6*7"})
		inOrder(t, printed, "You have 3 jobs waiting", "Trying again in 1 s", "Trying again", "> Compute 6*7", "calculator → 42")
	})
}

func TestWhatCouldNotBeSentIsShownAndTheChatGoesOn(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		s := start(t, cfg)
		cfg.Token = token
		// The person does not wait for the first line; the server asks for more patience than there is for the last.
		in, typing := io.Pipe()
		stop := make(chan struct{}, 1)
		screen := &watcher{text: "Trying again", then: func() { stop <- struct{}{} }}
		cfg.Stdout, cfg.Stderr, cfg.LogLevel, cfg.Env = screen, t.Output(), "error", vars(nil)
		go func() {
			io.WriteString(typing, "Compute 6*7\nCompute 1+1\n")
			typing.Close()
		}()
		if err := app.Chat(t.Context(), cfg, app.ChatOptions{URL: busyFor(t, s.url, 1, "30"), In: in, Interrupt: stop}); err != nil {
			t.Fatal(err)
		}
		inOrder(t, screen.String(), "Trying again in", "Not sent: Compute 6*7", "> Compute 1+1", "calculator → 2")

		err := app.Chat(t.Context(), cfg, app.ChatOptions{URL: busyFor(t, s.url, 1, "3600"), Message: "Compute 2+2", In: strings.NewReader("")})
		if !errors.Is(err, nestor.ErrRateLimited) {
			t.Errorf("a message that could not be sent ends with %v", err)
		}
		inOrder(t, screen.String(), "Not sent: Compute 2+2")
	})
}
