package httpapi_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// until reads a stream up to the block that holds a text, and returns all of it.
func (s *events) until(text string) string {
	s.Helper()
	var all strings.Builder
	for !strings.Contains(all.String(), text) {
		line, err := s.body.ReadString('\n')
		if err != nil {
			s.Fatalf("the stream ended before %s: %v\n%s", text, err, all.String())
		}
		all.WriteString(line)
	}
	return all.String()
}

func TestNoStreamShowsWhatItsReaderMayNotSee(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		for _, c := range w.callers {
			own := "users/" + c.user + "/ends"
			streams := map[string]string{
				"/stream": "/stream",
				"replication": "/replication/stream?userId=olga&scope=chats&scope=tasks&scope=messages/c1&scope=messages/c3&" +
					"scope=sub_agent_messages/c1/a1&scope=documents/users/olga/notes&scope=documents/" + own,
			}
			if slices.Equal(c.sees, []string{inSharedChat, inAccount}) {
				// All chats of olga's, of which one is shared.
				streams["her chats"] = "/stream?path=users/olga/orch-chats/*/**&path=" + own + "/*"
			}
			if strings.HasPrefix(c.name, "a webhook") {
				own = "users/olga/orch-chats/c2/messages"
				streams["replication"] += "&scope=messages/c2"
			}
			for name, path := range streams {
				s := w.follow(path, "Authorization", c.bearer)
				s.body.ReadString('\n') // it has begun
				w.fill()
				for chat, text := range map[nestor.Path]string{"users/olga/orch-chats/c1": inSharedChat, "users/olga/orch-chats/c3": ofOlga} {
					d := w.feed.Begin(feed.Draft{Path: chat.Child("messages", "d")})
					d.Text(text)
					defer d.Drop()
				}
				w.write(own+"/end", `{"role":"user","content":"the end"}`)
				w.check(c, name, s.until("the end"))
				s.cancel()
			}
		}
	})
}

func TestASharedChatIsFollowedByThoseItIsSharedWith(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		for _, path := range []string{"/chats/c1/events?user=olga", "/stream?path=users/olga/orch-chats/c1/**"} {
			s := w.follow(path, "Authorization", w.session("vic")).live()
			w.write("users/olga/orch-chats/c1/messages/new", `{"role":"user","content":"x"}`)
			if line := s.line(); !strings.HasSuffix(line, "messages new") {
				t.Errorf("%s: heard %s", path, line)
			}
			d := w.feed.Begin(feed.Draft{Path: "users/olga/orch-chats/c1/messages/draft"})
			d.Text("hm")
			s.want("draft text 0 hm")
			d.Drop()
			s.cancel()
		}
	})
}

func TestAStreamEndsSoonAfterTheRightToIt(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		tokens, err := w.gate.Login(t.Context(), "vic", password, access.Client{})
		if err != nil {
			t.Fatal(err)
		}
		k, key, err := w.gate.CreateAPIKey(t.Context(), onUser("vic"), access.APIKey{Name: "k", Scopes: []string{access.ScopeRead}})
		if err != nil {
			t.Fatal(err)
		}
		session, apiKey := []string{"Authorization", "Bearer " + tokens.Access}, []string{"Authorization", "Bearer " + key}
		w.want(200, "GET", "/me", "", "", apiKey...) // its first use is noted, which a stream would tell
		member := []string{"Authorization", w.session("mia")}
		for _, c := range []struct {
			name    string
			streams []*events
			end     func() error
		}{
			{
				"the session ends",
				[]*events{w.follow("/stream", session...).live(), w.follow("/replication/stream?scope=chats", session...)},
				func() error { return w.gate.EndSession(t.Context(), onSession("vic", tokens.SessionID)) },
			},
			{
				"the key is revoked",
				[]*events{w.follow("/stream", apiKey...).live(), w.follow("/replication/chats/stream", apiKey...)},
				func() error { return w.gate.RevokeAPIKey(t.Context(), onKey("vic", k.ID)) },
			},
			{
				"the member leaves",
				[]*events{
					w.follow("/chats/c1/events?user=olga", member...).live(),
					w.follow("/stream?path=users/olga/orch-chats/c1/**", member...).live(),
				},
				func() error { w.leave("mia"); return nil },
			},
			{
				"the user is disabled",
				[]*events{w.follow("/stream", "Authorization", w.session("vic")).live(), w.follow("/replication/stream?scope=chats", "Authorization", w.session("vic"))},
				func() error { return w.gate.SetDisabled(t.Context(), onUser("vic"), true) },
			},
		} {
			if err := c.end(); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			for _, s := range c.streams {
				var err error
				for err == nil { // until it ends
					_, err = s.block()
				}
				if !errors.Is(err, io.EOF) {
					t.Errorf("%s: a stream ended by %v", c.name, err)
				}
			}
		}
	})
}

func TestWhatIsNoLongerSharedIsToldToBeGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engines.SQLite(t))
	s := w.follow("/stream?path=users/olga/orch-chats/c1/**&path=users/vic/**", "Authorization", w.session("vic")).live()
	w.write("users/olga/orch-chats/c1", `{"title":"canary: private now"}`)
	e := s.next()
	if e.name != "change" || !strings.Contains(e.data, `"type":"delete"`) || !strings.Contains(e.data, `"document":null`) || strings.Contains(e.data, "canary") {
		t.Errorf("told %+v", e)
	}
}

func TestAPushIsJudgedByTheRules(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		const state = `{"id":"ID","userId":"olga","chatId":"c1","role":"ROLE","type":"text","content":"pushed","isLlmMessage":true}`
		for i, c := range w.callers {
			accepted := c.name == "a member" || c.name == "the owner" || c.name == "a key that may write"
			id := "pushed" + string(rune('a'+i))
			body := strings.NewReplacer("ID", id, "ROLE", "user").Replace(`[{"newDocumentState":` + state + `}]`)
			_, text := w.call("POST", "/replication/messages/push", body, "Authorization", c.bearer)
			status, _ := w.call("GET", "/docs/users/olga/orch-chats/c1/messages/"+id, "")
			if (text == "[]") != accepted || (status == 200) != accepted {
				t.Errorf("%s: %s, and the message: %d", c.name, text, status)
			}
		}
		// A browser is no assistant.
		body := strings.NewReplacer("ID", "assistant", "ROLE", "assistant").Replace(`[{"newDocumentState":` + state + `}]`)
		if _, text := w.call("POST", "/replication/messages/push", body, "Authorization", w.session("olga")); !strings.Contains(text, `"_deleted":true`) {
			t.Errorf("answered %s", text)
		}
	})
}
