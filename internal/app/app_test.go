package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/app"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

func TestMain(m *testing.M) { testmain.Run(m) }

const token = "a-token-for-the-tests"

// server is a running program and its output.
type server struct {
	*testing.T
	url  string
	stop func() error
	out  *output
}

// output collects what the program prints.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

func start(t *testing.T, cfg app.Config) *server {
	t.Helper()
	cfg.Addr, cfg.Token = "127.0.0.1:0", token
	return startAt(t, cfg)
}

// startAt starts a server with the address and the token that cfg has.
func startAt(t *testing.T, cfg app.Config) *server {
	t.Helper()
	s := &server{T: t, out: &output{}}
	cfg.Stdout, cfg.Stderr = s.out, s.out
	listening, done := make(chan string, 1), make(chan error, 1)
	cfg.Listening = func(url string) { listening <- url }
	ctx, cancel := context.WithCancel(t.Context())
	go func() { done <- app.Run(ctx, cfg) }()
	select {
	case s.url = <-listening:
	case err := <-done:
		cancel()
		t.Fatalf("the server did not start: %v", err)
	}
	s.stop = sync.OnceValue(func() error { cancel(); return <-done })
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// each runs fn with the configuration of every engine.
func each(t *testing.T, fn func(t *testing.T, cfg app.Config)) {
	t.Run("sqlite", func(t *testing.T) { fn(t, app.Config{Data: t.TempDir()}) })
	t.Run("postgres", func(t *testing.T) { fn(t, app.Config{Data: t.TempDir(), DB: servertest.Postgres(t)}) })
}

var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// call sends a request and returns status and body.
func (s *server) call(method, path, body string, header ...string) (int, string) {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := client.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.Fatal(err)
	}
	return res.StatusCode, string(b)
}

func (s *server) want(status int, method, path, body, contains string, header ...string) string {
	s.Helper()
	got, text := s.call(method, path, body, header...)
	if got != status || !strings.Contains(text, contains) {
		s.Errorf("%s %s: %d %s, want %d with %q", method, path, got, text, status, contains)
	}
	return text
}

func TestDocumentsOverHTTP(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		s := start(t, cfg)
		const doc = "/api/v1/docs/users/u1/notes/n1"
		s.want(404, "GET", doc, "", `"code":"not_found"`)
		s.want(201, "PUT", doc, `{"text":"hi"}`, `"version":1`)
		s.want(200, "PUT", doc, `{"text":"ho"}`, `"version":2`, "If-Match", `"1"`)
		s.want(412, "PUT", doc, `{"text":"no"}`, `"code":"conflict"`, "If-Match", "1")
		s.want(200, "PATCH", doc, `{"more":1}`, `"more":1,"text":"ho","version":3`)
		s.want(404, "PATCH", "/api/v1/docs/users/u1/notes/none", `{}`, `"code":"not_found"`)
		s.want(200, "POST", "/api/v1/query", `{"collection":"users/u1/notes","where":{"field":"more","op":">=","value":1}}`, `"id":"n1"`)
		s.want(200, "POST", "/api/v1/query", `{"collection":"users/u1/notes","where":{"field":"more","op":">","value":1}}`, `"items":[]`)
		s.want(204, "DELETE", doc, "", "")
		s.want(404, "GET", doc, "", `"code":"not_found"`)
		s.want(200, "GET", "/api/v1/schemas", "", `"sub_agent_tool_calls":{`)
	})
}

func TestBadRequestsAreToldWhatIsWrong(t *testing.T) {
	s := start(t, app.Config{Data: t.TempDir()})
	for name, c := range map[string]struct {
		status                       int
		method, path, body, contains string
		header                       []string
	}{
		"no token":            {401, "GET", "/api/v1/jobs", "", "Authorization: Bearer TOKEN", []string{"Authorization", ""}},
		"a wrong token":       {401, "GET", "/api/v1/jobs", "", "unauthenticated", []string{"Authorization", "Bearer nope"}},
		"a collection path":   {400, "GET", "/api/v1/docs/users/u1/notes", "", "names a collection", nil},
		"a path trick":        {400, "GET", "/api/v1/docs/users/%2e%2e/notes/n", "", "is not allowed", nil},
		"no JSON":             {400, "PUT", "/api/v1/docs/users/u1/notes/n", "{", "not JSON", nil},
		"a body too large":    {413, "PUT", "/api/v1/docs/users/u1/notes/n", `{"a":"` + strings.Repeat("x", 3<<20) + `"}`, "too_large", nil},
		"a bad If-Match":      {400, "PUT", "/api/v1/docs/users/u1/notes/n", "{}", "If-Match", []string{"If-Match", "abc"}},
		"a misspelt field":    {400, "POST", "/api/v1/query", `{"colection":"x"}`, "colection", nil},
		"an unknown route":    {404, "GET", "/api/v1/nothing", "", "there is no GET /api/v1/nothing", nil},
		"an unknown job":      {404, "POST", "/api/v1/jobs/none/retry", "", "no dead job", nil},
		"an unknown state":    {400, "GET", "/api/v1/jobs?state=lost", "", "ready, running, blocked, dead", nil},
		"an unknown trigger":  {404, "PATCH", "/api/v1/triggers/none", `{"enabled":true}`, "no trigger", nil},
		"a switch of nothing": {400, "PATCH", "/api/v1/triggers/on-new-task", `{}`, "enabled", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{T: t, url: s.url}
			s.want(c.status, c.method, c.path, c.body, c.contains, c.header...)
		})
	}
}

// receiver is a webhook's target that tells what it got.
func receiver(t *testing.T, status func() int) (*httptest.Server, chan map[string]any) {
	got := make(chan map[string]any, 10)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		w.WriteHeader(status())
		got <- body
	}))
	t.Cleanup(srv.Close)
	return srv, got
}

func triggersFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "triggers.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAWebhookIsDeliveredAndItsReceiverWritesBack(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		hook, got := receiver(t, func() int { return 200 })
		cfg.AllowPrivate = true
		cfg.Triggers = triggersFile(t, `{"triggers":[{"id":"hook","collection":"users/*/notes","action":"`+hook.URL+`"}]}`)
		s := start(t, cfg)
		s.want(201, "PUT", "/api/v1/docs/users/u1/notes/n1", `{"text":"hi"}`, "")
		body := <-got
		if body["triggerId"] != "hook" || body["path"] != "users/u1/notes/n1" || body["event"] != "create" {
			t.Errorf("delivered %v", body)
		}
		bearer := "Bearer " + body["token"].(string)
		s.want(201, "PUT", "/api/v1/docs/users/u1/notes/n1/answers/a", `{"by":"receiver"}`, "", "Authorization", bearer)
		s.want(200, "POST", "/api/v1/query", `{"collection":"users/u1/notes/n1/answers"}`, "receiver", "Authorization", bearer)
		// Nothing else is there for that token.
		s.want(404, "PUT", "/api/v1/docs/users/u1/notes/n2", `{}`, "not_found", "Authorization", bearer)
		s.want(404, "GET", "/api/v1/docs/users/u2/notes/n1", "", "not_found", "Authorization", bearer)
		s.want(403, "POST", "/api/v1/query", `{"flat":"chats"}`, "forbidden", "Authorization", bearer)
		s.want(403, "POST", "/api/v1/query", `{"collection":"users/u1/notes"}`, "forbidden", "Authorization", bearer)
		for _, path := range []string{"/api/v1/jobs", "/api/v1/triggers"} {
			s.want(403, "GET", path, "", "forbidden", "Authorization", bearer)
		}
	})
}

func TestAWebhookIsRetriedOverHoursUnlessItsTriggerSaysOtherwise(t *testing.T) {
	set, err := trigger.New([]nestor.Trigger{{ID: "hook", Collection: "users/*/notes", Action: "https://example.com/hook"}}, trigger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	hook, _ := set.Get("hook")
	var patience time.Duration
	for attempt := 1; attempt < hook.Retry.MaxAttempts; attempt++ {
		patience += worker.Backoff(hook.Retry, attempt, nestor.ErrUnavailable)
	}
	if patience < 2*time.Hour || patience > 6*time.Hour {
		t.Errorf("given up after %s", patience)
	}
}

func TestAWebhookToThisMachineSaysWhichFlagPermitsIt(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		hook, _ := receiver(t, func() int { return 200 })
		cfg.Triggers = triggersFile(t, `{"triggers":[{"id":"hook","collection":"users/*/notes","action":"`+hook.URL+`"}]}`)
		s := start(t, cfg)
		s.want(201, "PUT", "/api/v1/docs/users/u1/notes/n1", `{}`, "")
		for {
			text := s.want(200, "GET", "/api/v1/jobs?state=dead", "", "items")
			if strings.Contains(text, `"items":[]`) {
				continue // until the refusal has been recorded
			}
			if !strings.Contains(text, "start the server with --allow-private to permit it") {
				t.Errorf("got %s", text)
			}
			return
		}
	})
}

func TestADeadLetterIsSeenAndReplayed(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		var mu sync.Mutex
		status := 400
		hook, got := receiver(t, func() int { mu.Lock(); defer mu.Unlock(); return status })
		cfg.AllowPrivate = true
		cfg.Triggers = triggersFile(t, `{"triggers":[{"id":"hook","collection":"users/*/notes","action":"`+hook.URL+`"}]}`)
		s := start(t, cfg)
		s.want(201, "PUT", "/api/v1/docs/users/u1/notes/n1", `{}`, "")
		<-got
		var list struct {
			Items []struct{ nestor.Job }
		}
		for len(list.Items) == 0 { // until the refusal has been recorded
			text := s.want(200, "GET", "/api/v1/jobs?state=dead", "", "items")
			if err := json.Unmarshal([]byte(text), &list); err != nil {
				t.Fatal(err)
			}
		}
		if !strings.Contains(list.Items[0].Error, "400") {
			t.Errorf("the reason is %q", list.Items[0].Error)
		}
		mu.Lock()
		status = 200
		mu.Unlock()
		s.want(202, "POST", "/api/v1/jobs/"+list.Items[0].ID+"/retry", "", "queued")
		<-got
	})
}

func TestWorkGoesOnAfterARestart(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		hook, got := receiver(t, func() int { return 200 })
		s := start(t, cfg) // this one has no trigger for notes
		s.want(201, "PUT", "/api/v1/docs/users/u1/notes/n1", `{"v":1}`, "")
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		cfg.AllowPrivate = true
		cfg.Triggers = triggersFile(t, `{"extend":true,"triggers":[{"id":"hook","collection":"users/*/notes","action":"`+hook.URL+`"}]}`)
		s = start(t, cfg)
		s.want(200, "PUT", "/api/v1/docs/users/u1/notes/n1", `{"v":2}`, `"version":2`)
		if body := <-got; body["event"] != "update" {
			t.Errorf("delivered %v", body)
		}
	})
}

func TestTriggersAreListedWithoutSecretsAndSwitched(t *testing.T) {
	env := map[string]string{"S": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}
	cfg := app.Config{Data: t.TempDir(), Env: func(name string) string { return env[name] }}
	cfg.Triggers = triggersFile(t, `{"triggers":[{"id":"hook","collection":"a","action":"https://example.com","secret":"${S}"}]}`)
	s := start(t, cfg)
	if text := s.want(200, "GET", "/api/v1/triggers", "", `"id":"hook"`); strings.Contains(text, "MfKQ9r8") {
		t.Errorf("the secret is shown: %s", text)
	}
	s.want(200, "PATCH", "/api/v1/triggers/hook", `{"enabled":false}`, `"enabled":false`)
}

func TestHealthAndMetrics(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		s := start(t, cfg)
		s.want(200, "GET", "/healthz", "", "ok")
		s.want(200, "GET", "/readyz", "", "ready")
		s.want(201, "PUT", "/api/v1/docs/users/u1/notes/n1", `{}`, "")
		for _, metric := range []string{
			`nestor_writes_total{type="create"} 2`, `nestor_jobs{state="dead"} 0`, "nestor_feed_lag_changes",
			"nestor_job_hop_seconds_count", "nestor_trigger_fired_total", "go_goroutines",
		} {
			s.want(200, "GET", "/metrics", "", metric)
		}
	})
}

func TestAConfigurationThatCannotWorkIsExplained(t *testing.T) {
	running := app.Config{Data: t.TempDir()}
	start(t, running)
	populated := app.Config{Data: t.TempDir(), Stdout: &output{}, Stderr: &output{}}
	if err := app.AddUser(t.Context(), populated, app.NewUser{ID: "ada"}, "a password for the tests"); err != nil {
		t.Fatal(err)
	}
	const short = "thirty-one-characters-and-no-mo"
	for name, c := range map[string]struct {
		cfg      app.Config
		contains string
	}{
		"tokens below zero":                            {app.Config{Data: t.TempDir(), UserTokens: -1}, "--user-tokens"},
		"a cost below zero":                            {app.Config{Data: t.TempDir(), UserCost: -0.01}, "--user-cost"},
		"a cost without end":                           {app.Config{Data: t.TempDir(), UserCost: math.Inf(1)}, "--user-cost"},
		"a cost that is no number":                     {app.Config{Data: t.TempDir(), UserCost: math.NaN()}, "--user-cost"},
		"an open address with users and a short token": {app.Config{Data: populated.Data, Addr: "0.0.0.0:0", Token: "x"}, "openssl rand"},
		"a proxy's address with a short token": {
			app.Config{Data: t.TempDir(), Addr: "127.0.0.1:0", TrustedProxies: []string{"127.0.0.1"}, Token: short}, "at least 32",
		},
		"a name in the network with a short token": {app.Config{Data: t.TempDir(), Addr: "127.0.0.1:0", Hosts: []string{"nestor.example"}, Token: short}, "at least 32"},
		"a token like the server's own":            {app.Config{Data: t.TempDir(), Token: "nst_k_" + short}, "nst_"},
		"a token that no request can send":         {app.Config{Data: t.TempDir(), Token: short + "xx\n"}, "space"},
		"a proxy that is none":                     {app.Config{Data: t.TempDir(), TrustedProxies: []string{"proxy.example"}}, "--trusted-proxies"},
		"every address as a proxy":                 {app.Config{Data: t.TempDir(), TrustedProxies: []string{"0.0.0.0/0"}}, "anybody"},
		"a second server on the folder":            {app.Config{Data: running.Data, Addr: "127.0.0.1:0"}, "another nestor runs on this data folder"},
		"an open address without users":            {app.Config{Data: t.TempDir(), Addr: "0.0.0.0:0"}, "nestor users add"},
		"an open address with a short token":       {app.Config{Data: t.TempDir(), Addr: "0.0.0.0:0", Token: short}, "at least 32"},
		"a rules file that is missing":             {app.Config{Data: t.TempDir(), Rules: "/nonexistent"}, "rules file"},
		"rules that are none":                      {app.Config{Data: t.TempDir(), Rules: triggersFile(t, `{"rules":[{"id":"x"}]}`)}, "path"},
		"an address that is none":                  {app.Config{Data: t.TempDir(), Addr: "8787"}, "host:port"},
		"a bound below nothing":                    {app.Config{Data: t.TempDir(), UserConcurrency: -1}, "--user-concurrency"},
		"a pool of less than one":                  {app.Config{Data: t.TempDir(), DBConnections: -1}, "--db-connections"},
		"a database that is none":                  {app.Config{Data: t.TempDir(), DB: "mysql://x"}, "postgres://"},
		"a level that is none":                     {app.Config{Data: t.TempDir(), LogLevel: "loud"}, "debug, info"},
		"a triggers file that is missing":          {app.Config{Data: t.TempDir(), Triggers: "/nonexistent"}, "triggers file"},
		"a handler that is none": {
			app.Config{Data: t.TempDir(), Triggers: triggersFile(t, `{"triggers":[{"id":"x","collection":"a","action":"POST /webhook/zzz"}]}`)},
			`there is no built-in handler "zzz"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			out := &output{}
			c.cfg.Stdout, c.cfg.Stderr = out, out
			err := app.Run(ctx, c.cfg)
			if err == nil || !strings.Contains(err.Error(), c.contains) {
				t.Errorf("the error is %v", err)
			}
			if strings.Contains(out.String(), "serving") {
				t.Error("it claims to serve")
			}
		})
	}
}

func TestCommandsWorkBesideARunningServer(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		s := start(t, cfg)
		s.want(201, "PUT", "/api/v1/docs/users/u1/notes/n1", `{}`, "")
		out := &output{}
		cfg.Stdout = out
		for _, err := range []error{
			app.Migrate(t.Context(), cfg),
			app.ListJobs(t.Context(), cfg, app.JobFilter{State: nestor.JobDead}),
		} {
			if err != nil {
				t.Error(err)
			}
		}
		if !strings.Contains(out.String(), "up to date") || !strings.Contains(out.String(), "No jobs.") {
			t.Errorf("printed %q", out)
		}
		if err := app.RetryJob(t.Context(), cfg, "none"); nestor.CodeOf(err) != nestor.CodeNotFound {
			t.Errorf("retrying no job: %v", err)
		}
	})
}

func TestTryingATriggerSaysWhatFires(t *testing.T) {
	file := triggersFile(t, `{"triggers":[
		{"id":"yes","collection":"users/*/notes","action":"POST /webhook/log"},
		{"id":"no","collection":"users/*/notes","condition":"event.document.x == 2","action":"POST /webhook/log"}]}`)
	doc := filepath.Join(t.TempDir(), "doc.json")
	if err := os.WriteFile(doc, []byte(`{"x":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	out := &output{}
	cfg := app.Config{Triggers: file, Stdout: out}
	if err := app.TestTriggers(cfg, app.TestEvent{Type: nestor.Create, Path: "users/u/notes/n", Doc: doc}); err != nil {
		t.Fatal(err)
	}
	want := "FIRES  yes  it has no condition\nno     no   its condition is false\n"
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out, want)
	}
	for name, e := range map[string]app.TestEvent{
		"no document":    {Type: nestor.Create, Path: "users/u/notes/n"},
		"no path":        {Type: nestor.Create, Doc: doc},
		"no such event":  {Type: "touch", Path: "users/u/notes/n", Doc: doc},
		"a missing file": {Type: nestor.Create, Path: "users/u/notes/n", Doc: "/nonexistent"},
	} {
		if err := app.TestTriggers(cfg, e); nestor.CodeOf(err) != nestor.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The token of a delivery is for the stage that was told, and no way to make up what the
// runtime says: circles of agents, approvals, books.
// An agent that a program makes works for the run of its task, which the program's token bounds.
func TestAnAgentThatAStageMakesIsPartOfTheRunOfItsTask(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		hook, got := receiver(t, func() int { return 200 })
		cfg.AllowPrivate = true
		cfg.Triggers = triggersFile(t, `{"triggers":[{"id":"on-new-task","collection":"users/*/orch-chats/*/tasks","events":["create"],
			"condition":"event.document.data.status == 'pending'","action":"`+hook.URL+`"}]}`)
		s := start(t, cfg)
		const chat = "/api/v1/docs/users/local/orch-chats/c"
		s.want(201, "POST", "/api/v1/chats", `{"id":"c"}`, "")
		s.want(201, "POST", "/api/v1/chats/c/tasks", `{"id":"T","name":"agent:general","instruction":"x"}`, `"runId":"T"`)
		as := []string{"Authorization", "Bearer " + (<-got)["token"].(string)}
		s.want(201, "PUT", chat+"/sub-agents/A", `{"taskId":"T","role":"general","status":"active","iterationCount":0}`, `"runId":"T"`, as...)
		s.want(200, "GET", "/api/v1/docs/users/local/runs/T", "", `"reach":[{"patterns":["users/local/orch-chats/c/**"]}]`)
	})
}

func TestATokenWritesWhatItsStageSaysAndNothingElse(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		hook, got := receiver(t, func() int { return 200 })
		cfg.AllowPrivate = true
		cfg.Triggers = triggersFile(t, `{"triggers":[{"id":"on-user-message","collection":"users/*/orch-chats/*/messages","events":["create"],
			"condition":"event.document.data.role == 'user'","action":"`+hook.URL+`"}]}`)
		s := start(t, cfg)
		const chat = "/api/v1/docs/users/local/orch-chats/c"
		s.want(201, "POST", "/api/v1/chats", `{"id":"c"}`, "")
		s.want(201, "POST", "/api/v1/chats/c/messages", `{"id":"m","content":"hi"}`, "")
		as := []string{"Authorization", "Bearer " + (<-got)["token"].(string)}
		const task = `"type":"agent","name":"agent:general","instruction":"x"`
		s.want(403, "PUT", chat+"/sub-agents/X", `{"taskId":"A","role":"general","status":"active","iterationCount":0}`, "forbidden", as...)
		s.want(403, "PUT", chat+"/tasks/A", `{`+task+`,"status":"running","subAgentId":"X","parentAgentId":"X"}`, "forbidden", as...)
		s.want(404, "POST", "/api/v1/chats/c/tasks/A/cancel", "", "not_found", as...)
		s.want(201, "PUT", chat+"/tasks/B", `{`+task+`,"status":"pending","triggerMessageId":"m"}`, `"askedBy":["local"]`, as...)
		s.want(403, "PUT", chat+"/sub-agents/a", `{"taskId":"B","role":"general","status":"active","iterationCount":0}`, "forbidden", as...)
		s.want(403, "PATCH", chat+"/tasks/B", `{"status":"running"}`, "forbidden", as...)
		s.want(403, "PATCH", chat, `{"usage":{"inputTokens":0,"outputTokens":0}}`, `"field":"usage"`, as...)
		s.want(403, "DELETE", chat+"/messages/m", "", "forbidden", as...)
		s.want(403, "DELETE", "/api/v1/chats/c", "", "forbidden", as...)
		s.want(201, "PUT", chat+"/messages/m-answer", `{"role":"assistant","content":"hello","repliesTo":"m"}`, "", as...)
		s.want(200, "PATCH", chat, `{"title":"Greetings"}`, "", as...)
		s.want(201, "PUT", chat+"/notes/n", `{}`, "", as...)
	})
}
