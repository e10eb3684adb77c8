package httpapi_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// puller is a client that keeps a copy of a scope, as somebody.
type puller struct {
	*world
	path, bearer string
	checkpoint   string
	copy         []string // ids, in order
}

func (w *world) puller(path, bearer string) *puller {
	return &puller{world: w, path: path, bearer: bearer}
}

// pull brings the copy up to date, page by page, and returns the status of the
// last answer. A copy that is too old is begun anew.
func (p *puller) pull() int {
	p.Helper()
	for {
		status, text := p.call("GET", p.path+"&limit=2&checkpoint="+url.QueryEscape(p.checkpoint), "", "Authorization", p.bearer)
		if status != 200 {
			if p.checkpoint, p.copy = "", nil; status == 410 {
				p.pull()
			}
			return status
		}
		var page struct {
			Documents []struct {
				ID      string `json:"id"`
				UserID  string `json:"userId"`
				Title   string `json:"title"`
				Deleted bool   `json:"_deleted"`
			}
			Checkpoint struct{ Seq string }
		}
		if err := json.Unmarshal([]byte(text), &page); err != nil {
			p.Fatal(err)
		}
		for _, d := range page.Documents {
			p.copy = slices.DeleteFunc(p.copy, func(id string) bool { return id == d.ID })
			if !d.Deleted {
				p.copy = append(p.copy, d.ID)
			} else if d.UserID != "olga" || d.Title != "" {
				p.Errorf("told of what is gone: %s", text)
			}
		}
		slices.Sort(p.copy)
		if p.checkpoint = page.Checkpoint.Seq; len(page.Documents) < 2 {
			return status
		}
	}
}

func (p *puller) wants(status int, ids string) {
	p.Helper()
	if got := p.pull(); got != status || strings.Join(p.copy, " ") != ids {
		p.Errorf("the answer is %d and the copy %v, want %d and %s", got, p.copy, status, ids)
	}
}

const (
	olgas   = "users/olga/orch-chats/"
	inTeam  = `{"accountId":"team"}`
	inOther = `{"accountId":"other"}`
)

func TestWhoWasAwayLearnsWhatIsNoLongerShared(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		lose func(w *world)
		then string // what is left of the copy
	}{
		"the chat is deleted":           {func(w *world) { w.want(204, "DELETE", "/chats/c5?user=olga", "", "") }, "c1 c6 c7"},
		"the chat is deleted as a path": {func(w *world) { w.want(204, "DELETE", "/docs/"+olgas+"c5", "", "") }, "c1 c6 c7"},
		"the chat is deleted by a push": {func(w *world) {
			state := `{"id":"c5","userId":"olga","accountId":"team"`
			_, text := w.call("POST", "/replication/chats/push?userId=olga",
				`[{"newDocumentState":`+state+`,"_deleted":true},"assumedMasterState":`+state+`}}]`, "Authorization", w.session("olga"))
			if text != "[]" {
				w.Fatalf("not accepted: %s", text)
			}
		}, "c1 c6 c7"},
		"the chat is written without it":        {func(w *world) { w.want(200, "PUT", "/docs/"+olgas+"c5", `{"title":"new"}`, inTeam[1:len(inTeam)-1]) }, "c1 c5 c6 c7"},
		"the chat goes to an unknown account":   {func(w *world) { w.want(200, "PATCH", "/docs/"+olgas+"c5", `{"accountId":"private"}`, "") }, "c1 c6 c7"},
		"all chats go one by one":               {func(w *world) { w.deleteAll("c1", "c5", "c6") }, "c7"},
		"a chat goes to another shared account": {func(w *world) { w.want(200, "PATCH", "/docs/"+olgas+"c5", inOther, "") }, "c1 c5 c6 c7"},
	}
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		for name, tt := range cases {
			t.Run(name, func(t *testing.T) {
				(&world{api: w.in(t)}).loses(tt.lose, tt.then)
			})
		}
	})
}

// loses has vic keep copies of what olga shares, and then lose sight of the chat
// c5, unless it is still among what he sees then.
func (w *world) loses(lose func(*world), then string) {
	w.Helper()
	const task = `{"type":"agent","name":"agent:x","instruction":"x","status":"pending"}`
	w.fill()
	w.write(
		"accounts/other", `{"name":"Other","members":{"olga":"owner","vic":"viewer"}}`, "users/vic/memberships/other", `{"role":"viewer"}`,
		olgas+"c5", inTeam, olgas+"c6", inTeam, olgas+"c7", inOther, olgas+"private", `{"accountId":"private"}`, olgas+"c5/tasks/t5", task,
	)
	w.mark()
	bearer := w.session("vic")
	chats, tasks := w.puller("/replication/chats/pull?userId=olga", bearer), w.puller("/replication/tasks/pull?userId=olga", bearer)
	in := w.puller("/replication/messages/pull?userId=olga&chatId=c5", bearer)
	chats.wants(200, "c1 c5 c6 c7")
	tasks.wants(200, "t1 t5")
	in.wants(200, "")
	stream := w.follow("/replication/stream?userId=olga&scope=chats", "Authorization", bearer)
	defer stream.cancel()
	stream.until("RESYNC")
	lose(w)
	w.mark()
	chats.wants(200, then)
	chats.wants(200, then)
	if strings.Contains(then, "c5") {
		tasks.wants(200, "t1 t5")
		in.wants(200, "")
		return
	}
	if told := stream.until(`"_deleted":true`); strings.Contains(told, "secret now") {
		w.Errorf("the stream tells %s", told)
	}
	left := "t1"
	if !strings.Contains(then, "c1") {
		left = ""
	}
	tasks.wants(410, left)
	tasks.wants(200, left)
	in.wants(404, "")
	// Somebody who never saw the chat is told nothing of it.
	if status, text := w.call("GET", "/replication/chats/pull?userId=olga&checkpoint=1", "", "Authorization", w.session("otto")); status != 403 {
		w.Errorf("another user gets %d %s", status, text)
	}
}

func (w *world) deleteAll(chats ...string) {
	w.Helper()
	for _, id := range chats {
		w.want(204, "DELETE", "/chats/"+id+"?user=olga", "", "")
	}
}

// A chat that was never shared is not mentioned, whatever happens to it.
func TestAPullTellsNothingOfChatsThatWereNotShared(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		w.mark() // waits until all that was written can be pulled
		bearer := w.session("vic")
		chats := w.puller("/replication/chats/pull?userId=olga", bearer)
		chats.wants(200, "c1")
		w.write(olgas+"c8", `{"title":"x"}`, olgas+"c3", `{"title":"y"}`)
		w.want(204, "DELETE", "/chats/c8?user=olga", "", "")
		w.want(204, "DELETE", "/chats/c3?user=olga", "", "")
		_, text := w.call("GET", chats.path+"&checkpoint="+chats.checkpoint, "", "Authorization", bearer)
		if !strings.Contains(text, `"documents":[]`) {
			t.Errorf("it tells %s", text)
		}
	})
}

func (w *world) join(accountID, user string, role account.Role) {
	w.Helper()
	err := w.store.Update(w.Context(), func(tx store.Tx) error {
		invited, err := account.SetMember(tx, "olga", accountID, user, role)
		if err == nil && invited {
			err = account.Accept(tx, user, accountID)
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
}

func TestWhoJoinsOrLeavesAnAccountIsToldWithoutComingBack(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		w.write(
			"accounts/other", `{"name":"Other","createdBy":"olga","members":{"olga":"owner"}}`,
			olgas+"c7", `{"title":"in another account","accountId":"other"}`,
		)
		w.mark() // waits until all that was written can be pulled
		bearer := w.session("vic")
		chats := w.puller("/replication/chats/pull?userId=olga", bearer)
		chats.wants(200, "c1")
		replication := w.follow("/replication/stream?userId=olga&scope=chats", "Authorization", bearer)
		replication.until("RESYNC")
		events := w.follow("/stream?path="+olgas+"*/**", "Authorization", bearer).live()
		own := w.follow("/stream", "Authorization", bearer).live()

		w.join("other", "vic", account.Viewer)
		w.mark()
		replication.until("RESYNC")
		events.want("resync")
		own.want("create documents other") // the membership itself, and no resync
		chats.wants(410, "c1 c7")
		w.write(olgas+"c7", `{"title":"seen by who joined","accountId":"other"}`)
		replication.until("seen by who joined")
		events.want("update chats c7")

		w.join("other", "vic", account.Member) // reads no more than before
		w.write(olgas+"c7", `{"title":"still seen","accountId":"other"}`)
		if told := replication.until("still seen"); strings.Contains(told, "RESYNC") {
			t.Errorf("told %s", told)
		}
		events.want("update chats c7")

		err := w.store.Update(t.Context(), func(tx store.Tx) error { return account.RemoveMember(tx, "olga", "other", "vic") })
		if err != nil {
			t.Fatal(err)
		}
		w.mark()
		replication.until("RESYNC")
		events.want("resync")
		chats.wants(410, "c1")
		w.write(olgas+"c7", `{"title":"canary: not seen any more","accountId":"other"}`, olgas+"c1", `{"title":"seen","accountId":"team"}`)
		if told := replication.until(`"seen"`); strings.Contains(told, "canary") {
			t.Errorf("told %s", told)
		}
		events.want("update chats c1")
	})
}

func TestAPushedChatHasItsPlace(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{api: func(o *httpapi.Options) { o.Place = account.Place }})
		a.user(access.NewUser{ID: "ada"})
		as := []string{"Authorization", a.apiKey("ada", access.ScopeWrite)}
		posted := a.want(201, "POST", "/chats", `{}`, "", as...)
		push := func(rows string) string {
			t.Helper()
			_, text := a.call("POST", "/replication/chats/push", rows, as...)
			return text
		}
		const created = `{"id":"c1","userId":"ada","title":"new"}`
		for range 2 { // an answer may get lost
			if text := push(`[{"newDocumentState":` + created + `}]`); text != "[]" {
				t.Fatalf("not accepted: %s", text)
			}
		}
		got := a.want(200, "GET", "/chats/c1", "", `"title":"new"`, as...)
		if got["accountId"] == nil || got["accountId"] != posted["accountId"] || got["projectId"] != posted["projectId"] {
			t.Errorf("it is %v, and a posted one %v", got, posted)
		}
		// The client changes the chat before it has heard where the chat belongs.
		if text := push(`[{"newDocumentState":{"id":"c1","userId":"ada","title":"newer"},"assumedMasterState":` + created + `}]`); text != "[]" {
			t.Errorf("the next edit: %s", text)
		}
		if got := a.want(200, "GET", "/chats/c1", "", `"title":"newer"`, as...); got["accountId"] != posted["accountId"] {
			t.Errorf("it has lost its place: %v", got)
		}
		if text := push(`[{"newDocumentState":{"id":"c1","userId":"ada","_deleted":true},"assumedMasterState":{"id":"c1","userId":"ada","title":"newer"}}]`); text != "[]" {
			t.Errorf("its delete: %s", text)
		}
		if text := push(`[{"newDocumentState":{"id":"c2","userId":"ada","projectId":"somebody.p"}}]`); !strings.Contains(text, `"_deleted":true`) {
			t.Errorf("in a project of others: %s", text)
		}
	})
}

func TestAgentsAreStoppedBeforeTheirChatIsDeleted(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		olga := []string{"Authorization", w.session("olga")}
		for _, c := range []struct {
			status             int
			method, path, body string
			as                 []string
			want               string
		}{
			{403, "DELETE", "/chats/c1?user=olga", "", []string{"Authorization", w.session("vic")}, ""},
			{404, "DELETE", "/chats/c1?user=olga", "", []string{"Authorization", w.session("otto")}, ""},
			{404, "DELETE", "/chats/none", "", olga, ""},
			{412, "DELETE", "/chats/c1", "", append([]string{"If-Match", "99"}, olga...), ""},
			{204, "DELETE", "/chats/c1", "", olga, "stop users/olga/orch-chats/c1 olga"},
			{204, "DELETE", "/docs/users/olga/orch-chats/c2", "", olga, "stop users/olga/orch-chats/c2 olga"},
			{200, "POST", "/replication/chats/push", `[{"newDocumentState":{"id":"c3","title":"` + ofOlga + `","_deleted":true},
				"assumedMasterState":{"id":"c3","title":"` + ofOlga + `"}}]`, olga, "stop users/olga/orch-chats/c3 olga"},
		} {
			status, text := w.call(c.method, c.path, c.body, c.as...)
			if asked := strings.Join(w.agents.asked(), ", "); status != c.status || asked != c.want {
				t.Errorf("%s %s: %d %s, and the agents were asked: %s", c.method, c.path, status, text, asked)
			}
		}
		for _, id := range []string{"c1", "c2", "c3"} {
			w.want(404, "GET", "/chats/"+id, "", "", olga...)
		}
	})
}

// A key is its user's: a member who happens to use the same one for the same words says
// them, and is not given what somebody else said.
func TestAnIdempotencyKeyIsItsUsersInASharedChat(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		say := func(user string, status int) any {
			return w.want(status, "POST", "/chats/c1/messages?user=olga", `{"content":"yes"}`, "", "Authorization", w.session(user), "Idempotency-Key", "1")["id"]
		}
		ofOlga, ofMia := say("olga", 201), say("mia", 201)
		if ofOlga == ofMia || say("mia", 200) != ofMia || say("olga", 200) != ofOlga {
			t.Errorf("olga said %v, and mia %v", ofOlga, ofMia)
		}
		account := func(user string, status int) any {
			return w.want(status, "POST", "/accounts", `{"name":"Ours"}`, "", "Authorization", w.session(user), "Idempotency-Key", "1")["id"]
		}
		if account("olga", 201) == account("mia", 201) {
			t.Error("both made the same account")
		}
		w.want(401, "POST", "/chats/c1/messages", `{"content":"yes"}`, "", "Authorization", w.revokedKey("olga"), "Idempotency-Key", "1")
		w.want(404, "POST", "/chats/c1/messages", `{"content":"yes"}`, "", "Authorization", w.apiKey("olga", access.ScopeWrite, "users/olga/notes/**"), "Idempotency-Key", "1")
		w.want(404, "POST", "/chats/c1/messages", `{"content":"yes"}`, "", "Authorization", w.grant("olga", "users/olga/orch-chats/c2"), "Idempotency-Key", "1")
	})
}
