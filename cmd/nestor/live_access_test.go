package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
)

// TestNobodyHearsOnOneNodeWhatAnotherPersonsModelSaysOnTheOther: what comes over the bus is
// judged by the same rules as what is said on the node itself.
func TestNobodyHearsOnOneNodeWhatAnotherPersonsModelSaysOnTheOther(t *testing.T) {
	onEachBus(t, func(t *testing.T, env []string) {
		th := newTheatre(t, env...)
		eve := th.stranger(th.b, "eve")
		chat, actor := th.play(th.a, "hamlet")
		owner := th.watch(th.b, chat)
		for path, code := range map[string]error{
			"/stream?path=users/local/orch-chats/" + chat + "/**": nestor.ErrForbidden,
			"/stream?path=users/local/**":                         nestor.ErrForbidden,
			"/chats/" + chat + "/events":                          nestor.ErrNotFound,
		} {
			for m, err := range eve.Follow(t.Context(), path) {
				if !errors.Is(err, code) {
					t.Errorf("who may not follow %s gets %s %s, %v", path, m.Name, m.Data, err)
				}
				break
			}
		}

		// A stream of all that she may see is open before the model speaks.
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		open, heard := make(chan struct{}), make(chan string, 1)
		go func() {
			var all strings.Builder
			defer func() { heard <- all.String() }()
			first := true
			for m, err := range eve.Follow(ctx, "/stream") {
				if err != nil {
					all.WriteString(err.Error())
					return
				}
				all.Write(m.Data)
				if first {
					first = false
					close(open)
				}
				if strings.Contains(string(m.Data), "the last of it") {
					return
				}
			}
		}()
		note := func(id, text string) {
			t.Helper()
			if _, err := client.Call[nestor.Document](t.Context(), eve, http.MethodPut, "/docs/users/eve/notes/"+id, map[string]string{"text": text}); err != nil {
				t.Fatal(err)
			}
		}
		for opened := false; !opened; { // until the stream tells of one
			note(nestor.NewID(), "the first of it")
			select {
			case <-open:
				opened = true
			default:
			}
		}
		const secret = "To be, or not to be"
		actor.say(secret)
		owner.until(secret)
		close(actor.words)
		owner.untilTold(secret)
		note("end", "the last of it")
		if all := <-heard; strings.Contains(all, secret) || strings.Contains(all, chat) || !strings.Contains(all, "the last of it") {
			t.Errorf("another person hears %s", all)
		}
	})
}

// stranger is a person without any rights but to what is their own.
func (th *theatre) stranger(at *house, id string) *client.Client {
	th.Helper()
	if _, err := client.Call[struct{}](th.Context(), at.Client, http.MethodPost, "/users", map[string]string{"id": id, "password": "a long enough password"}); err != nil {
		th.Fatal(err)
	}
	made, err := client.Call[struct{ Key string }](th.Context(), at.Client, http.MethodPost, "/keys?user="+id, map[string]any{"name": "test", "scopes": []string{"write"}})
	if err != nil {
		th.Fatal(err)
	}
	return client.New(at.base, made.Key)
}
