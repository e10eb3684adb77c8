package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/replication"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// probe is a request about the document THING, by somebody who may not read it.
type probe struct{ method, path, body string }

// probes are all ways to ask about a chat of olga's, a message in it, a note of
// hers, the user herself, an account, a project and a key. GUESS is right where
// there is a document.
func probes() []probe {
	list := []probe{}
	add := func(method, path, body string) { list = append(list, probe{method, path, body}) }
	const chat, in = "/chats/THING?user=olga", "/chats/THING/"
	docs := map[string]string{
		"users/olga/orch-chats/THING":             `{"title":"GUESS"}`,
		"users/olga/orch-chats/THING/messages/m1": `{"role":"user","content":"GUESS"}`,
		"users/olga/notes/THING":                  `{"text":"GUESS"}`,
		"users/THING":                             `{"name":"GUESS","admin":true,"disabled":false}`,
		"accounts/THING":                          `{"name":"GUESS","members":{"olga":"owner"}}`,
		"accounts/THING/projects/THING.p":         `{"name":"GUESS"}`,
		"users/olga/keys/THING":                   `{"name":"GUESS","scopes":["read"],"hint":"x"}`,
	}
	for path, body := range docs {
		add("GET", "/docs/"+path, "")
		add("PUT", "/docs/"+path, body)
		add("PATCH", "/docs/"+path, body)
		add("DELETE", "/docs/"+path, "")
		for _, o := range []string{`"put","ifMatch":1,"body":` + body, `"put","body":` + body, `"create","body":` + body, `"patch","body":` + body, `"delete"`} {
			add("POST", "/batch", `{"operations":[{"path":"`+path+`","op":`+o+`}]}`)
		}
	}
	add("POST", "/drafts/users/olga/orch-chats/THING/messages/m1", `{"text":"x"}`)
	add("POST", "/drafts/users/olga/orch-chats/THING/messages/m2", `{"text":"x"}`)
	add("GET", chat, "")
	add("PATCH", chat, `{"title":"GUESS"}`)
	add("DELETE", chat, "")
	add("POST", "/chats?user=olga", `{"id":"THING","title":"GUESS"}`)
	add("POST", "/chats?user=olga", `{"id":"THING","title":"GUESS","projectId":"team.p"}`)
	add("POST", "/chats?user=olga", `{"id":"new","projectId":"THING.p"}`) // whether the project is one of hers
	add("POST", "/replication/chats/push", `[{"newDocumentState":{"id":"new","userId":"olga","projectId":"THING.p"}}]`)
	add("POST", in+"stop?user=olga", "")
	add("POST", in+"messages?user=olga", `{"id":"m1","content":"GUESS"}`)
	add("POST", in+"tasks?user=olga", `{"id":"t1","name":"agent:x","instruction":"GUESS"}`)
	add("POST", in+"tasks/t1/cancel?user=olga", "")
	add("POST", in+"tasks/t1/messages?user=olga", `{"content":"x"}`)
	for _, below := range []string{"messages", "tasks", "sub-agents", "sub-agents/a1/messages", "sub-agents/a1/tool-calls", "events", "events?snapshot=1"} {
		and := "?"
		if strings.Contains(below, "?") {
			and = "&"
		}
		add("GET", in+below+and+"user=olga", "")
	}
	for _, q := range []string{
		`{"flat":"chats","where":{"field":"title","op":"=","value":"GUESS"}}`,
		`{"flat":"messages","where":{"field":"content","op":"=","value":"GUESS"}}`,
		`{"collection":"users/olga/orch-chats/THING/messages"}`,
		`{"collection":"users/olga/notes","where":{"field":"id","op":"=","value":"THING"}}`,
	} {
		add("POST", "/query", q)
	}
	add("GET", "/accounts/THING", "")
	add("PUT", "/accounts/THING/members/otto", `{"role":"owner"}`)
	add("DELETE", "/accounts/THING/members/olga", "")
	add("PATCH", "/accounts/THING", `{"budget":{"tokens":1}}`)
	add("GET", "/accounts/THING/projects", "")
	add("POST", "/accounts/THING/projects", `{"name":"x"}`)
	add("PATCH", "/projects/THING.p", `{"name":"x"}`)
	add("DELETE", "/projects/THING.p", "")
	add("GET", "/projects/THING.p/chats", "")
	add("POST", "/chats", `{"id":"mine","projectId":"THING.p"}`)
	add("DELETE", "/keys/THING?user=olga", "")
	add("DELETE", "/sessions/THING?user=olga", "")
	add("GET", "/replication/messages/pull?userId=olga&chatId=THING", "")
	for _, p := range []struct{ path, ids, fields string }{
		{"chats/push", `"id":"THING","userId":"olga"`, `,"title":"GUESS"`},
		{"messages/push", `"id":"m1","userId":"olga","chatId":"THING"`, `,"role":"user","content":"GUESS"`},
		{"documents/push?collection=users/olga/notes", `"id":"THING"`, `,"text":"GUESS"`},
		{"documents/push?collection=users", `"id":"THING"`, `,"name":"GUESS","admin":true,"disabled":false`},
		{"documents/push?collection=accounts", `"id":"THING"`, `,"name":"GUESS","members":{"olga":"owner"}`},
		{"documents/push?collection=users/olga/keys", `"id":"THING"`, `,"name":"GUESS","scopes":["read"],"hint":"x"`},
	} {
		gone, guess, other := "{"+p.ids+`,"_deleted":true}`, "{"+p.ids+p.fields+"}", "{"+p.ids+strings.ReplaceAll(p.fields, "GUESS", "another")+"}"
		for _, row := range []string{
			`{"newDocumentState":` + gone + `}`,
			`{"newDocumentState":` + gone + `,"assumedMasterState":` + guess + `}`,
			`{"newDocumentState":` + gone + `,"assumedMasterState":` + other + `}`,
			`{"newDocumentState":` + guess + `}`,
			`{"newDocumentState":` + guess + `,"assumedMasterState":` + guess + `}`,
			`{"newDocumentState":` + other + `,"assumedMasterState":` + guess + `}`,
			`{"newDocumentState":` + guess + `,"assumedMasterState":` + gone + `}`,
		} {
			add("POST", "/replication/"+p.path, "["+row+"]")
		}
	}
	return list
}

// Whether there is a document that the caller may not read, and what it says,
// changes no byte of any answer.
func TestNoAnswerTellsWhatIsHidden(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		write := func(id string) {
			w.write(
				"users/olga/orch-chats/"+id, `{"title":"the-guess"}`,
				"users/olga/orch-chats/"+id+"/messages/m1", `{"role":"user","content":"the-guess"}`,
				"users/olga/notes/"+id, `{"text":"the-guess"}`,
				"users/"+id, `{"name":"the-guess","admin":true,"disabled":false}`,
				"accounts/"+id, `{"name":"the-guess","members":{"olga":"owner"}}`,
				"accounts/"+id+"/projects/"+id+".p", `{"name":"the-guess"}`,
				"users/olga/keys/"+id, `{"name":"the-guess","scopes":["read"],"hint":"x"}`,
				"users/olga/sessions/"+id, `{"agent":"the-guess","refreshedAt":1,"expiresAt":1}`,
			)
		}
		write("thing-there")
		for _, c := range w.callers {
			if c.user != "otto" && c.user != "vic" && c.user != "mia" && c.name != "a webhook of another path" {
				continue
			}
			for _, p := range probes() {
				right, none := w.probe(c, p, "thing-there", "the-guess"), w.probe(c, p, "thing-none", "the-guess")
				if right != none {
					t.Errorf("%s %s %s as %s: where there is one and it is as guessed\n%s\nand where there is none\n%s", p.method, p.path, p.body, c.name, right, none)
				}
				if wrong := w.probe(c, p, "thing-there", "otherwise"); wrong != right {
					t.Errorf("%s %s %s as %s: a right guess\n%s\nand a wrong one\n%s", p.method, p.path, p.body, c.name, right, wrong)
				}
			}
		}
		w.want(200, "GET", "/docs/users/olga/orch-chats/thing-there", "", "the-guess", "Authorization", w.session("olga"))
	})
}

// probe returns all of an answer that may differ, with the same id in it.
func (w *world) probe(c caller, p probe, id, guess string) string {
	w.Helper()
	fill := strings.NewReplacer("THING", id, "GUESS", guess)
	res := w.request(p.method, fill.Replace(p.path), fill.Replace(p.body), "Authorization", c.bearer)
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		w.Fatal(err)
	}
	if res.StatusCode < 300 && !strings.HasPrefix(p.path, "/replication/") && p.path != "/query" {
		w.Errorf("%s %s as %s: %d %s", p.method, p.path, c.name, res.StatusCode, text)
	}
	said := fmt.Sprintf("%d %s etag %s refused %s", res.StatusCode, text, res.Header.Get("ETag"), res.Header.Get(replication.RefusedHeader))
	return strings.NewReplacer(id, "THING", guess, "GUESS").Replace(said)
}

// A push that is refused says why, in words that a person can be shown.
func TestARefusedPushSaysWhy(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		push := func(as, flat, rows string) (string, string) {
			t.Helper()
			res := w.request(http.MethodPost, "/replication/"+flat+"/push", rows, "Authorization", w.session(as))
			defer res.Body.Close()
			text, err := io.ReadAll(res.Body)
			if err != nil || res.StatusCode != http.StatusOK {
				t.Fatal(res.StatusCode, err)
			}
			return string(text), res.Header.Get(replication.RefusedHeader)
		}
		const in = `"userId":"olga","chatId":"c1"`
		for name, c := range map[string]struct{ as, flat, rows, want string }{
			"nothing is refused": {"mia", "messages", `[{"newDocumentState":{"id":"new",` + in + `,"role":"user","content":"x"}}]`, ""},
			"a viewer says something": {
				"vic", "messages", `[{"newDocumentState":{"id":"new2",` + in + `,"role":"user","content":"x"}}]`,
				`[{"id":"new2","code":"forbidden","message":"you may not create users/olga/orch-chats/c1/messages/new2"}]`,
			},
			"it is not a message, and the next one is": {
				"olga", "messages", `[{"newDocumentState":{"id":"bäd 😀",` + in + `,"role":"user","content":"x"}},{"newDocumentState":{"id":"good",` + in + `,"role":"user","content":"x"}}]`,
				`"code":"invalid"`,
			},
			"somebody was faster": {
				"olga", "chats", `[{"newDocumentState":{"id":"c1","title":"new"},"assumedMasterState":{"id":"c1","title":"old"}}]`, "",
			},
			"what is hidden": {
				"mia", "chats", `[{"newDocumentState":{"id":"c3","userId":"olga","title":"x"}}]`,
				`[{"id":"c3","code":"not_found","message":"there is no document users/olga/orch-chats/c3"}]`,
			},
		} {
			masters, why := push(c.as, c.flat, c.rows)
			if c.want == "" && why != "" || !strings.Contains(why, c.want) {
				t.Errorf("%s: %s, and %s", name, why, masters)
			}
			for _, r := range why {
				if r < ' ' || r > '~' {
					t.Errorf("%s: a header cannot carry %q", name, why)
				}
			}
		}
		// However many are refused, the header stays one that proxies let through.
		var rows []string
		for i := range 200 {
			rows = append(rows, fmt.Sprintf(`{"newDocumentState":{"id":"many%d",%s,"role":"user","content":"x"}}`, i, in))
		}
		masters, why := push("vic", "messages", "["+strings.Join(rows, ",")+"]")
		if len(why) > 5000 || !strings.Contains(why, "many0") || strings.Count(masters, `"_deleted":true`) != 200 {
			t.Errorf("%d bytes for %d rows", len(why), strings.Count(masters, `"_deleted":true`))
		}
	})
}
