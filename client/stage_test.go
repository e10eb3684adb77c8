package client_test

import (
	"errors"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

func TestAProgramWritesAndSpeaksAsAStage(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		url, _ := start(t, cfg)
		c := client.New(url, servertest.Token)
		chat, err := c.CreateChat(t.Context(), client.NewChat{ID: "c1"})
		if err != nil {
			t.Fatal(err)
		}
		answer := nestor.Path("users/local/orch-chats/c1/messages/answer")
		if err := c.SayInDraft(t.Context(), answer, client.Words{Text: "so"}); err != nil {
			t.Fatal(err)
		}
		write := func(title string) ([]client.Written, error) {
			return c.Batch(t.Context(), "key", client.Operation{
				Op: client.Create, Path: answer, Body: nestor.Message{Role: nestor.RoleAssistant, Content: "so it is"},
			}, client.Operation{Op: client.Patch, Path: "users/local/orch-chats/c1", Body: map[string]string{"title": title}, IfMatch: chat.Version})
		}
		for e, err := range c.Events(t.Context(), "c1", client.Now) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Delta != nil && e.Delta.Path == answer && e.Delta.Text == "so" {
				written, err := write("new")
				if err != nil || len(written) != 2 || written[1] != (client.Written{Path: "users/local/orch-chats/c1", Version: chat.Version + 1}) {
					t.Fatal(written, err)
				}
			}
			if e.Change != nil && e.Change.Path == answer {
				break
			}
		}
		if written, err := write("new"); err != nil || len(written) != 2 {
			t.Errorf("a repetition is answered with %v, %v", written, err)
		}
		if m, err := client.Read[nestor.Message](t.Context(), c, answer); err != nil || m.ID != "answer" || m.Content != "so it is" {
			t.Errorf("what is read is %+v, %v", m, err)
		}
		if _, err := client.Read[nestor.Message](t.Context(), c, "users/local/notes/none"); !errors.Is(err, nestor.ErrNotFound) {
			t.Errorf("what is not there: %v", err)
		}
		if err := c.SayInDraft(t.Context(), answer, client.Words{Text: "more"}); !errors.Is(err, nestor.ErrExists) {
			t.Errorf("a draft of what is written: %v", err)
		}
		_, err = c.Batch(t.Context(), "", client.Operation{Op: client.Put, Path: "users/local/notes/n", Body: map[string]any{}},
			client.Operation{Op: client.Delete, Path: "users/local/notes/none"})
		var refused *nestor.Error
		if !errors.As(err, &refused) || refused.Code != nestor.CodeNotFound || refused.Details["index"] != 1.0 {
			t.Errorf("a delete of nothing: %v", err)
		}
	})
}
