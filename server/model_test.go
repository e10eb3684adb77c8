package server_test

import (
	"strings"
	"testing"

	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/model"
	"github.com/nestorhq/nestor/model/modeltest"
	"github.com/nestorhq/nestor/server"
)

// The program's models are connections that everybody can choose and nobody can
// change.
func TestAProgramBringsModels(t *testing.T) {
	script, err := modeltest.Parse("-- reply title --\nwhen system lacks orchestrat\ntext: A title\nrepeat\n\n-- reply answer --\nwhen last user contains hello\ntext: Hello yourself.\n")
	if err != nil {
		t.Fatal(err)
	}
	a := start(t, server.Config{Model: script, Models: map[string]model.Model{"parrot": echo{}}})
	for chat, want := range map[string]struct{ connection, answer, end string }{
		"c1": {"", "Hello yourself.", ""},
		"c2": {"parrot", "You said: ", "hello"}, // after the state of the chat
	} {
		c := a.Client()
		if _, err := c.CreateChat(t.Context(), client.NewChat{ID: chat, ModelConnectionID: want.connection}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Say(t.Context(), chat, "hello"); err != nil {
			t.Fatal(err)
		}
		if err := a.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		last := ""
		for m, err := range c.Messages(t.Context(), chat) {
			if err != nil {
				t.Fatal(err)
			}
			last = m.Content
		}
		if !strings.HasPrefix(last, want.answer) || !strings.HasSuffix(last, want.end) {
			t.Errorf("%s was answered %q, want %q … %q", chat, last, want.answer, want.end)
		}
	}
	a.wants(200, "GET", "models", "", `"id":"default"`, `"id":"parrot"`, `"modelId":"echo-1"`, `"accessFormat":"program"`)
	a.wants(403, "PUT", "models/parrot", `{"accessFormat":"demo"}`)
	a.wants(403, "DELETE", "models/default", "")
	a.wants(400, "PUT", "models/mine", `{"accessFormat":"program","modelId":"x"}`, "accessFormat")
	a.wants(201, "PUT", "models/mine", `{"accessFormat":"demo","fallbackId":"parrot"}`)
}
