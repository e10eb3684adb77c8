package a2a_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// rpc makes a call of the protocol and returns the answer as it is.
func rpc(t *testing.T, url, key, method string, params any) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/a2a/orchestrator", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// asks are the parameters of a message that wants notifications at url.
func asks(text, url string) map[string]any {
	return map[string]any{
		"message":       map[string]any{"kind": "message", "messageId": "m1", "role": "user", "parts": []any{map[string]any{"kind": "text", "text": text}}},
		"configuration": map[string]any{"pushNotificationConfig": map[string]any{"url": url, "token": "the-token-of-the-client"}},
	}
}

// A notification that could not be delivered before the server was killed is delivered
// by the next one.
func TestANotificationSurvivesAKilledServer(t *testing.T) {
	for engine, db := range map[string]func(testing.TB) string{"sqlite": nil, "postgres": servertest.Postgres} {
		t.Run(engine, func(t *testing.T) {
			var open atomic.Bool
			refused, got := make(chan struct{}, 100), make(chan *http.Request, 100)
			hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !open.Load() {
					w.WriteHeader(http.StatusServiceUnavailable)
					refused <- struct{}{}
					return
				}
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				got <- r
			}))
			defer hook.Close()
			env := []string{"NESTOR_DATA=" + t.TempDir()}
			if db != nil {
				env = append(env, "NESTOR_DB="+db(t))
			}
			process := serve(t, env...)
			rpc(t, process.URL, servertest.Token, "message/send", asks("Hello", hook.URL))
			<-refused
			process.Kill()
			open.Store(true)
			serve(t, env...)
			r := <-got
			var task struct {
				Kind   string
				Status struct{ State string }
			}
			if err := json.NewDecoder(r.Body).Decode(&task); err != nil || task.Kind != "task" || task.Status.State != "completed" {
				t.Errorf("the notification is %+v, %v", task, err)
			}
			if token := r.Header.Get("X-A2A-Notification-Token"); token != "the-token-of-the-client" {
				t.Errorf("the notification has the token %q", token)
			}
		})
	}
}

// Who runs the server decides whether notifications may go to its own network.
func TestNotificationsGoToPublicAddressesOnly(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg = listening(cfg)
		cfg.AllowPrivate = false
		p := servertest.Enter(t, cfg)
		hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a notification came") }))
		defer hook.Close()
		if said := rpc(t, p.URL(), p.Token, "message/send", asks("Hello", hook.URL)); !strings.Contains(said, "-32602") || !strings.Contains(said, "loopback") {
			t.Errorf("an address: %s", said)
		}
		if said := p.Wants(200, "GET", "chats", ""); strings.Contains(said, `"path"`) {
			t.Errorf("a message that was refused left %s", said)
		}
		named := strings.Replace(hook.URL, "127.0.0.1", "localhost", 1)
		if said := rpc(t, p.URL(), p.Token, "message/send", asks("Hello", named)); !strings.Contains(said, "completed") {
			t.Errorf("a name: %s", said)
		}
		p.Settled()
		if said := p.Wants(200, "GET", "jobs?state=dead", ""); !strings.Contains(said, "a2a-push-due") || strings.Contains(said, "the-token-of-the-client") {
			t.Errorf("given up are %s", said)
		}
		if said := p.Wants(200, "POST", "query", `{"collection":"users/local/a2a-pushes"}`); !strings.Contains(said, `"host":"localhost`) || strings.Contains(said, "the-token-of-the-client") {
			t.Errorf("known is %s", said)
		}
	})
}
