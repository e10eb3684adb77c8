package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor/internal/app"
)

func TestWorkBeyondWhatMayWaitIsRefusedAndChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		began, release := make(chan struct{}, 100), make(chan struct{})
		hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			began <- struct{}{}
			<-release
		}))
		t.Cleanup(hook.Close)
		cfg.AllowPrivate, cfg.Concurrency, cfg.UserMaxWaiting = true, 1, 3
		cfg.Triggers = triggersFile(t, `{"triggers":[{"id":"hook","collection":"users/*/notes","action":"`+hook.URL+`"}]}`)
		s := start(t, cfg)
		t.Cleanup(func() {
			select {
			case <-release:
			default:
				close(release)
			}
		})
		// The worker is busy for somebody else, so that all of u1's jobs wait.
		s.want(201, "PUT", "/api/v1/docs/users/busy/notes/n0", `{}`, "")
		<-began
		for i := range 3 {
			s.want(201, "PUT", fmt.Sprintf("/api/v1/docs/users/u1/notes/n%d", i+1), `{}`, "")
		}
		for _, request := range [][3]string{
			{"PUT", "/api/v1/docs/users/u1/notes/more", `{}`},
			{"POST", "/api/v1/batch", `{"operations":[{"op":"put","path":"users/u1/other/x","body":{}},{"op":"put","path":"users/u1/notes/more","body":{}}]}`},
		} {
			req, err := http.NewRequestWithContext(t.Context(), request[0], s.url+request[1], strings.NewReader(request[2]))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+token)
			res, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if wait, err := strconv.Atoi(res.Header.Get("Retry-After")); res.StatusCode != http.StatusTooManyRequests || err != nil || wait < 1 {
				t.Errorf("%v: %d, Retry-After %q", request, res.StatusCode, res.Header.Get("Retry-After"))
			}
		}
		s.want(429, "PUT", "/api/v1/docs/users/u1/notes/more", `{}`, `"of":"user"`)
		s.want(404, "GET", "/api/v1/docs/users/u1/notes/more", "", "not_found")
		s.want(404, "GET", "/api/v1/docs/users/u1/other/x", "", "not_found")
		// What causes no job, what changes something that is there, and another user.
		s.want(201, "PUT", "/api/v1/docs/users/u1/other/y", `{}`, "")
		s.want(200, "PATCH", "/api/v1/docs/users/u1/notes/n1", `{"text":"changed"}`, "")
		s.want(201, "PUT", "/api/v1/docs/users/u2/notes/n1", `{}`, "")
		s.want(200, "GET", "/metrics", "", `nestor_refused_total{of="user"} 3`)
		for _, metric := range []string{`nestor_refused_total{of="server"} 0`, "nestor_jobs_oldest_seconds", "nestor_worker_jobs 1", "nestor_worker_concurrency 1"} {
			s.want(200, "GET", "/metrics", "", metric)
		}
		close(release)
	})
}

func TestAServerWorksWithOneConnection(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		cfg.DBConnections = 1
		hook, got := receiver(t, func() int { return 200 })
		cfg.AllowPrivate = true
		cfg.Triggers = triggersFile(t, `{"triggers":[{"id":"hook","collection":"users/*/notes","action":"`+hook.URL+`"}]}`)
		s := start(t, cfg)
		for i := range 5 {
			s.want(201, "PUT", fmt.Sprintf("/api/v1/docs/users/u1/notes/n%d", i), `{}`, "")
			<-got
		}
		s.want(201, "POST", "/api/v1/chats", `{"id":"c1"}`, "")
		s.want(201, "POST", "/api/v1/chats/c1/messages", `{"content":"hello"}`, "")
		s.want(200, "POST", "/api/v1/query", `{"collection":"users/u1/notes"}`, "n4")
		s.want(200, "GET", "/readyz", "", "ready")
		s.want(200, "GET", "/metrics", "", "nestor_jobs")
	})
}

func TestAJobThatWaitsForALimitSaysSo(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		began, release := make(chan string, 100), make(chan struct{})
		hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			began <- r.URL.Path
			<-release
		}))
		t.Cleanup(hook.Close)
		cfg.AllowPrivate, cfg.UserConcurrency, cfg.AccountConcurrency = true, 2, 1
		cfg.Triggers = triggersFile(t, `{"triggers":[
			{"id":"note","collection":"users/*/notes","action":"`+hook.URL+`/note"},
			{"id":"in-chat","collection":"users/*/orch-chats/*/notes","action":"`+hook.URL+`/in-chat"}]}`)
		s := start(t, cfg)
		end := sync.OnceFunc(func() { close(release) })
		t.Cleanup(end)
		for i := range 3 {
			s.want(201, "PUT", fmt.Sprintf("/api/v1/docs/users/u1/notes/n%d", i), `{}`, "")
		}
		<-began
		<-began
		s.want(200, "GET", "/api/v1/jobs?state=ready", "", `"waitsFor":{"of":"user","id":"u1","limit":2}`)
		s.want(200, "GET", "/metrics", "", `nestor_at_limit{of="user"} 1`)

		s.want(201, "PUT", "/api/v1/docs/users/u2/orch-chats/c1", `{"accountId":"team"}`, "")
		for i := range 2 {
			s.want(201, "PUT", fmt.Sprintf("/api/v1/docs/users/u2/orch-chats/c1/notes/n%d", i), `{}`, "")
		}
		if what := <-began; what != "/in-chat" {
			t.Errorf("%s began", what)
		}
		s.want(200, "GET", "/api/v1/jobs?state=ready", "", `"waitsFor":{"of":"account","id":"team","limit":1}`)
		s.want(200, "GET", "/metrics", "", `nestor_at_limit{of="account"} 1`)
		end()
		for range 2 { // what waited is done, too
			<-began
		}
	})
}

func TestTheLimitOfAnAccountIsAnAdministratorsToSet(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		s := start(t, cfg)
		var made struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal([]byte(s.want(201, "POST", "/api/v1/accounts", `{"name":"Team"}`, "")), &made); err != nil {
			t.Fatal(err)
		}
		at := "/api/v1/accounts/" + made.ID + "/limit"
		s.want(404, "GET", at, "", "no limit of its own")
		for _, wrong := range []string{`{"jobs":0}`, `{"jobs":-1}`, `{"jobs":"5"}`, `{}`, `{"jobs":5,"more":1}`} {
			s.want(400, "PUT", at, wrong, `"invalid"`)
		}
		s.want(404, "GET", at, "", "no limit of its own")
		s.want(404, "PUT", "/api/v1/accounts/none/limit", `{"jobs":5}`, "not_found")
		for _, text := range []string{"%00", "%ff%fe", "%ed%a0%80"} { // which PostgreSQL does not take as texts
			s.want(400, "GET", "/api/v1/jobs?trigger="+text, "", "invalid")
		}
		s.want(200, "PUT", at, `{"jobs":5}`, `"jobs":5`)
		s.want(200, "PUT", at, `{"jobs":6}`, `"jobs":6`)
		s.want(200, "GET", at, "", `"jobs":6`)
		s.want(204, "DELETE", at, "", "")
		s.want(404, "GET", at, "", "no limit of its own")
	})
}
