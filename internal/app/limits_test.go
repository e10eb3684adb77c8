package app_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
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
		s.want(201, "PUT", "/api/v1/docs/users/u1/notes/n0", `{}`, "")
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
