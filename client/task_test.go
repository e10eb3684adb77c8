package client_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/nestorhq/nestor/client"
)

func TestControlAsksForWhatItSays(t *testing.T) {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = r.Method + " " + r.URL.Path + " " + string(body)
		w.Write([]byte(`{"id":"x"}`))
	}))
	defer server.Close()
	c := client.New(server.URL, "token")
	c.HTTP = server.Client()
	for want, call := range map[string]func() error{
		"POST /api/v1/chats/c/tasks/t/pause ":  func() error { return c.Pause(t.Context(), "c", "t") },
		"POST /api/v1/chats/c/tasks/t/resume ": func() error { return c.Resume(t.Context(), "c", "t") },
		"POST /api/v1/chats/c/tasks/t/retry ":  func() error { return c.Retry(t.Context(), "c", "t") },
		"POST /api/v1/chats/c/tasks/t/cancel ": func() error { return c.Cancel(t.Context(), "c", "t") },
		`POST /api/v1/chats/c/tasks/t/messages {"content":"faster"}`: func() error {
			_, err := c.Steer(t.Context(), "c", "t", "faster")
			return err
		},
	} {
		if err := call(); err != nil || got != want {
			t.Errorf("asked for %q, want %q (%v)", got, want, err)
		}
	}
}
