package httpapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestWhatAProgramSaysIsSeenAsWhatOurStagesSay(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.seed("local", "c1")
		stage := []string{"Authorization", a.grant("local", chat, chat+"/sub-agents/a1/messages/x1")}
		inChat := []string{"Authorization", a.grant("local", chat, chat+"/messages/m1")}
		s := a.follow("/chats/c1/events").live()
		const draft = "/drafts/" + chat + "/sub-agents/a1/messages/d1"
		a.want(204, "POST", draft, `{"reasoning":"hm"}`, "", stage...)
		s.want("d1 reasoning 0 hm")
		a.want(204, "POST", draft, `{"text":"Grüß"}`, "", stage...)
		const delta = `{"path":"` + chat + `/sub-agents/a1/messages/d1","taskId":"t1","subAgentId":"a1","kind":"text","text":"Grüß","offset":0,"id":"d1","chatId":"c1"}`
		if e := s.next(); e.name != "delta" || e.data != delta {
			t.Errorf("got %+v, want %s", e, delta)
		}
		a.want(204, "POST", draft, `{"text":" Gott"}`, "", stage...)
		s.want("d1 text 4  Gott")
		a.want(200, "POST", "/batch", `{"operations":[{"op":"create","path":"`+chat+`/sub-agents/a1/messages/d1","body":{"role":"assistant","content":"Grüß Gott"}}]}`, "", stage...)
		if lines := s.line() + ", " + s.line(); !strings.Contains(lines, "d1 done") || !strings.Contains(lines, "create sub_agent_messages d1") {
			t.Errorf("the document came as %s", lines)
		}
		a.want(409, "POST", draft, `{"text":"too late"}`, "already_exists", stage...)
		a.want(403, "POST", "/drafts/"+chat+"/messages/d2", `{"text":"a"}`, "forbidden", stage...)
		a.want(204, "POST", "/drafts/"+chat+"/messages/d2", `{"text":"a"}`, "", inChat...)
		s.want("d2 text 0 a")
		a.want(204, "POST", "/drafts/"+chat+"/messages/d2", `{"drop":true}`, "", inChat...)
		s.want("d2 drop 0")
	})
}

func TestADraftOfAProgramThatIsGoneEnds(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{api: func(o *httpapi.Options) { o.Drafts = feed.RemoteOptions{Silence: 50 * time.Millisecond} }})
	a.seed("local", "c1")
	s := a.follow("/chats/c1/events").live()
	a.want(204, "POST", "/drafts/"+chat+"/messages/d1", `{"text":"a"}`, "")
	s.want("d1 text 0 a", "d1 drop 0")
}

func TestADraftThatMakesNoSenseIsRefused(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{api: func(o *httpapi.Options) { o.Drafts = feed.RemoteOptions{PerUser: 100 << 10} }})
		a.seed("local", "c1")
		a.seed("eve", "e1")
		key := a.apiKey("eve", access.ScopeWrite)
		a.want(200, "GET", "/me", "", "", "Authorization", key) // its first use is written down
		s := a.follow("/stream?path=users/**").live()
		for path, status := range map[string]int{
			"users/local/notes/n": 400, chat: 400, chat + "/messages": 400, chat + "/tasks/t2": 400, chat + "/messages/m1": 409,
			"users/local/orch-chats/none/messages/m": 404, chat + "/sub-agents/none/messages/m": 404, "secrets/x": 400,
		} {
			if got, text := a.call("POST", "/drafts/"+path, `{"text":"x"}`); got != status {
				t.Errorf("%s: %d %s, want %d", path, got, text, status)
			}
		}
		const draft = "/drafts/" + chat + "/messages/d1"
		a.want(400, "POST", draft, `{"texts":"x"}`, "texts")
		a.want(400, "POST", draft, ``, "")
		a.want(429, "POST", draft, `{"text":"`+strings.Repeat("x", 100<<10)+`"}`, `"of":"user"`)
		a.want(413, "POST", draft, `{"text":"`+strings.Repeat("x", 1<<20+1)+`"}`, "too_large")
		for name, as := range map[string]string{
			"another's token": a.grant("eve", "users/eve/orch-chats/e1"), "another's key": key,
		} {
			if status, text := a.call("POST", draft, `{"text":"x"}`, "Authorization", as); status != 404 {
				t.Errorf("%s: %d %s", name, status, text)
			}
		}
		a.want(204, "POST", "/drafts/users/eve/orch-chats/e1/messages/d1", `{"text":"first"}`, "")
		s.want("d1 text 0 first") // and nothing before
	})
}

// Drafts do not count as writes of a user, and have a limit of their own.
func TestDeltasAreLimitedApartFromWrites(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{api: func(o *httpapi.Options) {
		o.Deltas = access.LimiterOptions{PerSecond: 0.001, Burst: 3}
		o.Writes = access.LimiterOptions{PerSecond: 0.001, Burst: 1}
	}})
	a.seed("local", "c1")
	as := []string{"Authorization", a.grant("local", chat, chat+"/messages/m1")}
	const draft = "/drafts/" + chat + "/messages/d1"
	for range 3 {
		a.want(204, "POST", draft, `{"text":"x"}`, "", as...)
	}
	a.want(429, "POST", draft, `{"text":"x"}`, "rate_limited", as...)
	a.want(201, "PUT", "/docs/"+chat+"/messages/d1", `{"role":"assistant","content":"xxx"}`, "", as...)
}
