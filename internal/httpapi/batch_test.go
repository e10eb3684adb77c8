package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// operations is a batch of operations on documents of local: each is an op, an
// id and the rest of the fields.
func operations(list ...string) string {
	for i, o := range list {
		op, rest, _ := strings.Cut(o, " ")
		id, fields, found := strings.Cut(rest, " ")
		if found {
			fields = "," + fields
		}
		list[i] = fmt.Sprintf(`{"op":%q,"path":"users/local/%s"%s}`, op, id, fields)
	}
	return `{"operations":[` + strings.Join(list, ",") + `]}`
}

func TestABatchIsWrittenAsAWhole(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.write("users/local/notes/old", `{"text":"old","keep":1}`, "users/local/notes/gone", `{}`, "users/local/notes/back", `{}`)
		a.want(204, "DELETE", "/docs/users/local/notes/back", "", "")
		mark := a.mark()
		answer := a.want(200, "POST", "/batch", operations(
			`create orch-chats/c1 "body":{"title":"new"}`,
			`create orch-chats/c1/messages/m1 "body":{"role":"user","content":"in a chat of the same batch"}`,
			`patch notes/old "body":{"text":"new"},"ifMatch":1`,
			`patch notes/old "body":{"more":true},"ifMatch":2`,
			`put notes/put "body":{"text":"put"}`,
			`create notes/back "body":{}`,
			`delete notes/gone "ifMatch":1`,
		), "")
		text, _ := json.Marshal(answer)
		const want = `{"written":[{"path":"users/local/orch-chats/c1","version":1},{"path":"users/local/orch-chats/c1/messages/m1","version":1},` +
			`{"path":"users/local/notes/old","version":2},{"path":"users/local/notes/old","version":3},{"path":"users/local/notes/put","version":1},` +
			`{"path":"users/local/notes/back","version":3},{"path":"users/local/notes/gone"}]}`
		if string(text) != want {
			t.Errorf("the answer is\n%s, want\n%s", text, want)
		}
		if changes := a.changesAfter(mark); len(changes) != 7 {
			t.Errorf("it wrote %v", changes)
		}
		a.want(200, "GET", "/docs/users/local/notes/old", "", `"keep":1,"more":true,"text":"new"`)
		a.want(200, "GET", "/docs/users/local/notes/back", "", `"version":3`)
		a.want(404, "GET", "/docs/users/local/notes/gone", "", "")
	})
}

func TestABatchWithARefusedOperationWritesNothing(t *testing.T) {
	t.Parallel()
	const fine, more = `put notes/first "body":{}`, `put notes/last "body":{}`
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.seed("local", "c1")
		a.write("users/local/notes/n1", `{}`)
		for name, c := range map[string]struct {
			operation string
			status    int
			code      nestor.Code
		}{
			"what is not there":         {`patch notes/none "body":{}`, 404, nestor.CodeNotFound},
			"a delete of nothing":       {`delete notes/none`, 404, nestor.CodeNotFound},
			"what is there":             {`create notes/n1 "body":{}`, 409, nestor.CodeExists},
			"another version":           {`put notes/n1 "body":{},"ifMatch":2`, 412, nestor.CodeConflict},
			"another version to patch":  {`patch notes/n1 "body":{},"ifMatch":2`, 412, nestor.CodeConflict},
			"another version to delete": {`delete notes/n1 "ifMatch":2`, 412, nestor.CodeConflict},
			"a version of nothing":      {`put notes/none "body":{},"ifMatch":1`, 412, nestor.CodeConflict},
			"a document of the wrong shape": {
				`create orch-chats/c1/tasks/t2 "body":{"status":7}`, 400, nestor.CodeInvalid,
			},
			"a second agent of a task": {
				`create orch-chats/c1/sub-agents/a2 "body":{"taskId":"t1","role":"x","status":"active","iterationCount":0}`, 409, nestor.CodeExists,
			},
			"a secret":                  {`create ../../secrets/x "body":{}`, 400, nestor.CodeInvalid},
			"what the server keeps":     {`put usage/2026-01-01 "body":{}`, 403, nestor.CodeForbidden},
			"no body":                   {`put notes/n1`, 400, nestor.CodeInvalid},
			"a body that is none":       {`put notes/n1 "body":[]`, 400, nestor.CodeInvalid},
			"a body too many":           {`delete notes/n1 "body":{}`, 400, nestor.CodeInvalid},
			"no operation":              {`move notes/n1`, 400, nestor.CodeInvalid},
			"a version for what is new": {`create notes/n2 "body":{},"ifMatch":1`, 400, nestor.CodeInvalid},
			"a version that is none":    {`put notes/n1 "body":{},"ifMatch":0`, 400, nestor.CodeInvalid},
			"a collection":              {`put notes "body":{}`, 400, nestor.CodeInvalid},
			"a chat, whose agents work": {`delete orch-chats/c1`, 400, nestor.CodeInvalid},
			"too large a body":          {`put notes/n1 "body":{"x":"` + strings.Repeat("x", 1<<20) + `"}`, 413, nestor.CodeTooLarge},
		} {
			mark := a.mark()
			status, text := a.call("POST", "/batch", operations(fine, c.operation, more), "Idempotency-Key", "k")
			var failed struct {
				Error struct {
					Code    nestor.Code
					Details struct {
						Index int
						Path  string
					}
				}
			}
			if err := json.Unmarshal([]byte(text), &failed); err != nil {
				t.Fatal(err)
			}
			path := strings.Fields(c.operation)[1]
			if e := failed.Error; status != c.status || e.Code != c.code || e.Details.Index != 1 || e.Details.Path != "users/local/"+path {
				t.Errorf("%s: %d %.500s", name, status, text)
			}
			if changes := a.changesAfter(mark); len(changes) > 0 {
				t.Errorf("%s: it wrote %v", name, changes)
			}
		}
		if asked := a.agents.asked(); len(asked) > 0 {
			t.Errorf("agents were told to %v", asked)
		}
		// A single write says the same of a document without its chat.
		message := `create orch-chats/none/messages/m "body":{"role":"user","content":"x"}`
		single, _ := a.call("PUT", "/docs/users/local/orch-chats/none/messages/m", `{"role":"user","content":"x"}`)
		if status, text := a.call("POST", "/batch", operations(message, `delete notes/n1`)); status != single || !strings.Contains(text, `"index":0`) {
			t.Errorf("%d %s, want the %d of a single write", status, text, single)
		}
		a.want(200, "GET", "/docs/users/local/notes/n1", "", `"version":1`)
	})
}

func TestABatchIsBounded(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{api: func(o *httpapi.Options) {
		o.MaxBody = 64 << 10
		o.Writes = access.LimiterOptions{PerSecond: 0.001, Burst: 150}
	}})
	many := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf(`put notes/n%d "body":{}`, i))
		}
		return list
	}
	mark := a.mark()
	a.want(400, "POST", "/batch", `{"operations":[]}`, "1 to 100")
	a.want(400, "POST", "/batch", `{}`, "operations is missing")
	a.want(400, "POST", "/batch", `{"operations":[],"atomic":true}`, "atomic")
	a.want(400, "POST", "/batch", operations(many(101)...), "1 to 100")
	a.want(400, "POST", "/batch", operations(many(1)...), "Idempotency-Key", "Idempotency-Key", strings.Repeat("k", 256))
	a.want(413, "POST", "/batch", operations(`put notes/n "body":{"x":"`+strings.Repeat("x", 64<<10)+`"}`), "")
	if changes := a.changesAfter(mark); len(changes) > 0 {
		t.Errorf("it wrote %v", changes)
	}
	// Each operation is one of the writes that a user may make.
	as := []string{"Authorization", a.apiKey("local", access.ScopeWrite)}
	a.want(200, "POST", "/batch", operations(many(100)...), "", as...)
	a.want(200, "POST", "/batch", operations(many(100)...), "", as...)
	a.want(429, "POST", "/batch", operations(many(1)...), "rate_limited", as...)
}

func TestARepeatedBatchIsAnsweredAgain(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		const path = "users/olga/orch-chats/c1"
		b := func(text string) string {
			return `{"operations":[{"op":"put","path":"` + path + `/sub-agents/a1/messages/` + text + `","body":{"role":"assistant","content":"` + text + `"}},` +
				`{"op":"patch","path":"` + path + `/sub-agents/a1","body":{"iterationCount":2}}]}`
		}
		stage := []string{"Authorization", w.grant("olga", path, path+"/sub-agents/a1"), "Idempotency-Key", "job-1"}
		first := w.want(200, "POST", "/batch", b("x"), "", stage...)
		mark := w.mark()
		// Another attempt has another token for the same documents.
		again := w.want(200, "POST", "/batch", b("x"), "", "Authorization", w.grant("olga", path, path+"/sub-agents/a1"), "Idempotency-Key", "job-1")
		if fmt.Sprint(first) != fmt.Sprint(again) {
			t.Errorf("the first answer is %v, the second %v", first, again)
		}
		w.want(409, "POST", "/batch", b("y"), "already_exists", stage...)
		if changes := w.changesAfter(mark); len(changes) > 0 {
			t.Errorf("the repetition wrote %v", changes)
		}
		// Another user's key, or another credential's, is another key.
		other := `{"operations":[{"op":"put","path":"users/otto/notes/n","body":{}}]}`
		w.want(200, "POST", "/batch", other, `"version":1`, "Authorization", w.apiKey("otto", access.ScopeWrite), "Idempotency-Key", "job-1")
		w.want(404, "POST", "/batch", b("x"), "", "Authorization", w.grant("olga", "users/olga/orch-chats/c2"), "Idempotency-Key", "job-1")
		w.want(404, "POST", "/batch", b("x"), "", "Authorization", w.apiKey("olga", access.ScopeWrite, "users/olga/notes/**"), "Idempotency-Key", "job-1")
		w.want(200, "POST", "/batch", b("y"), "", "Authorization", w.grant("olga", path, path+"/sub-agents/a1"), "Idempotency-Key", "job-2")
		w.want(200, "POST", "/batch", b("y"), "", "Authorization", w.grant("olga", path, path+"/sub-agents/a1"))
	})
}

// Whoever sends the same several times at once gets one answer.
func TestABatchThatIsSentTwiceAtOnceIsCarriedOutOnce(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.write("users/local/notes/n1", `{}`)
		for round := range 10 {
			body := operations(fmt.Sprintf(`create notes/new%d "body":{}`, round), fmt.Sprintf(`patch notes/n1 "body":{"round":%d}`, round))
			answers, lock := map[string]int{}, sync.Mutex{}
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					status, text := a.call("POST", "/batch", body, "Idempotency-Key", fmt.Sprint(round))
					lock.Lock()
					defer lock.Unlock()
					answers[fmt.Sprint(status, " ", text)]++
				})
			}
			wg.Wait()
			if len(answers) != 1 || !strings.HasPrefix(slices.Collect(maps.Keys(answers))[0], "200 ") {
				t.Errorf("the answers are %v", answers)
			}
		}
		a.want(200, "GET", "/docs/users/local/notes/n1", "", `"version":11`)
	})
}

func TestRulesDecideAboutEachOperationOfABatch(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		const chat = "users/olga/orch-chats/c1"
		say := `{"op":"create","path":"` + chat + `/messages/j1","body":{"role":"user","content":"x"}}`
		forbidden := `{"op":"create","path":"` + chat + `/messages/j2","body":{"role":"assistant","content":"x"}}`
		mia, otto := w.session("mia"), w.session("otto")
		mark := w.mark()
		w.want(403, "POST", "/batch", `{"operations":[`+say+`,`+forbidden+`]}`, `"index":1`, "Authorization", mia)
		w.want(404, "POST", "/batch", `{"operations":[`+say+`]}`, `"index":0`, "Authorization", otto)
		if changes := w.changesAfter(mark); len(changes) > 0 {
			t.Errorf("it wrote %v", changes)
		}
		w.want(200, "POST", "/batch", `{"operations":[`+say+`]}`, "", "Authorization", mia)
		if who := w.who(chat + "/messages/j1"); who != "mia" {
			t.Errorf("it was said by %s", who)
		}
	})
}

func TestWhoTakesAChatAwayHasNoPartInItInTheSameBatch(t *testing.T) {
	t.Parallel()
	shared, err := rules.New(rules.Options{Members: account.Members{}, Key: key(), Name: "rules.json", File: []byte(
		`{"rules":[{"id":"chats","path":"users/{user}/orch-chats/**","operations":["read","create","update"],"condition":"chat.role != '' && chat.projectId != 'team.spare'"}]}`)})
	if err != nil {
		t.Fatal(err)
	}
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open, func(o *httpapi.Options) { o.Rules = shared })
		const chat = "users/olga/orch-chats/c1"
		takeAway := `{"op":"patch","path":"` + chat + `","body":{"projectId":"team.spare"}}`
		say := `{"op":"create","path":"` + chat + `/messages/j1","body":{"role":"user","content":"x"}}`
		as := []string{"Authorization", w.session("mia")}
		w.want(404, "POST", "/batch", `{"operations":[`+takeAway+`,`+say+`]}`, `"index":1`, as...)
		w.want(200, "POST", "/batch", `{"operations":[`+say+`,`+takeAway+`]}`, "", as...)
	})
}

func TestTheAnswersOfAUserGoWithThem(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		body := `{"operations":[{"op":"put","path":"users/eve/notes/n","body":{}}]}`
		a.want(200, "POST", "/batch", body, "", "Authorization", a.apiKey("eve", access.ScopeWrite), "Idempotency-Key", "k")
		kept := func() int {
			var page store.Page
			err := a.store.View(t.Context(), func(r store.Reader) (err error) {
				page, err = r.Query(store.Query{Collection: "secrets/eve/batches"})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return len(page.Items)
		}
		if n := kept(); n != 1 {
			t.Fatalf("%d answers are kept", n)
		}
		a.want(204, "DELETE", "/users/eve", "", "")
		if n := kept(); n != 0 {
			t.Errorf("%d answers stay", n)
		}
	})
}
