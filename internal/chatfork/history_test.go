package chatfork_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/chatfork"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

func at(chat string) nestor.Path { return nestor.Path("users/u").Child("orch-chats", chat) }

// from is where a fork of a chat begins that shares its message m.
func from(chat string) *nestor.ForkPoint {
	return &nestor.ForkPoint{UserID: "u", ChatID: chat, MessageID: "m", SaidAt: 1 << 50}
}

func create(t *testing.T, s store.Store, docs map[nestor.Path]any) {
	t.Helper()
	err := s.Update(t.Context(), func(tx store.Tx) error {
		paths := make([]nestor.Path, 0, len(docs))
		for p := range docs {
			paths = append(paths, p)
		}
		slices.Sort(paths) // a chat before its messages
		for _, p := range paths {
			if _, err := tx.Create(p, docs[p]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func shared(t *testing.T, s store.Store, chat string) (said []nestor.Path, err error) {
	t.Helper()
	err = s.View(t.Context(), func(r store.Reader) error {
		said = nil
		c, err := store.Find[nestor.Chat](r, at(chat))
		if err != nil {
			return err
		}
		return chatfork.EachShared(r, c, func(d *nestor.Document) error {
			said = append(said, d.Path)
			return nil
		})
	})
	return said, err
}

// No server writes such chats; a database may hold them all the same.
func TestForksThatComeFromThemselvesAreReadAndDeleted(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		catalogue, err := store.NewCatalogue(slices.Concat(store.DefaultCatalogue.All()[:6], chatfork.Collections)...)
		if err != nil {
			t.Fatal(err)
		}
		s := open(t, store.Options{Rules: store.Rules{Catalogue: catalogue}, Modules: []store.Schema{{Module: "forks", Collections: chatfork.Collections}}})
		docs := map[nestor.Path]any{}
		for chat, of := range map[string]string{"a": "b", "b": "a", "self": "self"} {
			docs[at(chat)] = nestor.Chat{Title: chat, ForkedFrom: from(of)}
			docs[at(chat).Child("messages", "m")] = nestor.Message{Role: nestor.RoleUser, Content: chat}
			docs[chatfork.NotePath(at(of), at(chat))] = nestor.ChatFork{UserID: "u", ChatID: of, ForkUserID: "u", ForkChatID: chat}
		}
		create(t, s, docs)
		for chat, want := range map[string][]nestor.Path{"a": {at("b").Child("messages", "m")}, "b": {at("a").Child("messages", "m")}, "self": nil} {
			if got, err := shared(t, s, chat); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s shares %v, %v", chat, got, err)
			}
		}
		for _, chat := range []string{"a", "self", "b"} {
			if err := s.Update(t.Context(), func(tx store.Tx) error { return tx.Delete(at(chat), store.AnyVersion) }); err != nil {
				t.Errorf("%s: %v", chat, err)
			}
		}
	})
}

func TestAForkGoesOnFromSoManyOthers(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		docs := map[nestor.Path]any{at("c0000"): nestor.Chat{Title: "First"}}
		for i := range chatfork.MaxAbove + 1 {
			docs[at(fmt.Sprintf("c%04d", i+1))] = nestor.Chat{Title: "Fork", ForkedFrom: from(fmt.Sprintf("c%04d", i))}
		}
		create(t, s, docs)
		if _, err := shared(t, s, fmt.Sprintf("c%04d", chatfork.MaxAbove)); err != nil {
			t.Error(err)
		}
		if _, err := shared(t, s, fmt.Sprintf("c%04d", chatfork.MaxAbove+1)); nestor.CodeOf(err) != nestor.CodeTooLarge {
			t.Errorf("got %v", err)
		}
	})
}

// A fork from before the first message shares nothing, though the chat that it was made
// of shares that message with another one.
func TestAForkFromBeforeTheFirstMessageOfAForkSharesNothing(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		create(t, s, map[nestor.Path]any{
			at("first"):                           nestor.Chat{},
			at("first").Child("messages", "m"):    nestor.Message{Role: nestor.RoleUser, Content: "Hello"},
			at("second"):                          nestor.Chat{ForkedFrom: from("first")},
			at("second").Child("messages", "own"): nestor.Message{Role: nestor.RoleUser, Content: "And?"},
		})
		err := s.Update(t.Context(), func(tx store.Tx) error {
			second, err := store.Find[nestor.Chat](tx, at("second"))
			if err != nil {
				return err
			}
			point, err := chatfork.PointBefore(tx, second, "m")
			if err != nil {
				return err
			}
			_, err = tx.Create(at("third"), nestor.Chat{ForkedFrom: &point})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if said, err := shared(t, s, "third"); err != nil || len(said) > 0 {
			t.Errorf("it shares %v, %v", said, err)
		}
	})
}
