package marks_test

import (
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/server"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// mark is what the tests look at.
type mark struct {
	ID, UserID, OwnerID, Folder string
	Pinned                      bool
	SeenAt, Version             int64
}

func TestAMarkIsOfOnePersonAlone(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		root := servertest.Enter(t, cfg)
		ada, bob, eve := root.SignIn("ada"), root.SignIn("bob"), root.SignIn("eve")
		var team, project struct{ ID string }
		ada.Into(&team, 201, "POST", "accounts", `{"name":"Team"}`)
		ada.Into(&project, 201, "POST", "accounts/"+team.ID+"/projects", `{"name":"Project"}`)
		ada.Wants(202, "PUT", "accounts/"+team.ID+"/members/bob", `{"role":"viewer"}`)
		bob.Wants(204, "POST", "invitations/"+team.ID+"/accept", "")
		ada.Wants(201, "POST", "chats", `{"id":"shared","title":"Shared","projectId":"`+project.ID+`"}`)
		ada.Wants(201, "POST", "chats", `{"id":"own"}`)

		var m mark
		ada.Into(&m, 200, "PATCH", "chats/shared/mark", `{"pinned":true,"folder":"  My \n work "}`)
		if want := (mark{ID: "shared", UserID: "ada", OwnerID: "ada", Folder: "My work", Pinned: true, Version: 1}); m != want {
			t.Errorf("it is %+v, not %+v", m, want)
		}
		// A viewer may not change the chat, but what they think of it is theirs.
		m = mark{}
		bob.Into(&m, 200, "PATCH", "chats/shared/mark?user=ada", `{"seenAt":50}`)
		if want := (mark{ID: "shared", UserID: "bob", OwnerID: "ada", SeenAt: 50, Version: 1}); m != want {
			t.Errorf("the viewer's is %+v, not %+v", m, want)
		}
		// Nobody reads that of another, or is told that there is one.
		bob.Wants(404, "GET", "docs/users/ada/chat-marks/shared", "")
		ada.Wants(404, "GET", "docs/users/bob/chat-marks/shared", "")
		if text := ada.Wants(200, "GET", "replication/chat_marks/pull", ""); strings.Contains(text, "bob") || !strings.Contains(text, "My work") {
			t.Errorf("the copy has %s", text)
		}
		// Of a chat that one may not read there is no mark.
		eve.Wants(404, "PATCH", "chats/shared/mark?user=ada", `{"pinned":true}`)
		bob.Wants(404, "PATCH", "chats/own/mark?user=ada", `{"pinned":true}`)
		bob.Wants(404, "PATCH", "chats/gone/mark", `{"pinned":true}`)
		ada.WithKey("read").Wants(403, "PATCH", "chats/own/mark", `{"pinned":true}`)
		for _, body := range []string{`{"seenAt":-1}`, `{"seenAt":"now"}`, `{"pinned":"yes"}`, `{"color":"red"}`, `[]`, `{"folder":"` + strings.Repeat("x", 101) + `"}`} {
			ada.Wants(400, "PATCH", "chats/own/mark", body, "invalid")
		}
		// Through no other door.
		ada.WithKey("write").Wants(403, "PUT", "docs/users/ada/chat-marks/own", `{"ownerId":"bob"}`)
		// The chat itself says nothing of all that.
		if text := bob.Wants(200, "GET", "chats/shared?user=ada", ""); strings.Contains(text, "My work") || strings.Contains(text, "pinned") {
			t.Errorf("the chat tells %s", text)
		}

		// With the chat go the marks, of all people.
		ada.Wants(204, "DELETE", "chats/shared", "")
		root.Settled()
		for _, who := range []string{"ada", "bob"} {
			root.Wants(404, "GET", "docs/users/"+who+"/chat-marks/shared", "")
		}
	})
}

func TestWhatWasSeenStaysSeen(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		me := servertest.Enter(t, cfg)
		me.Wants(201, "POST", "chats", `{"id":"c"}`)
		var m mark
		for _, c := range []struct {
			said          string
			seen, version int64
		}{{`{"seenAt":100}`, 100, 1}, {`{"seenAt":90}`, 100, 1}, {`{"seenAt":100}`, 100, 1}, {`{}`, 100, 1}, {`{"seenAt":110}`, 110, 2}, {`{"folder":"F"}`, 110, 3}, {`{"folder":""}`, 110, 4}} {
			m = mark{}
			if me.Into(&m, 200, "PATCH", "chats/c/mark", c.said); m.SeenAt != c.seen || m.Version != c.version {
				t.Errorf("after %s it is %+v", c.said, m)
			}
		}
		if m.Folder != "" {
			t.Errorf("it is in the folder %q", m.Folder)
		}
	})
}
