package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/server"
)

func TestMain(m *testing.M) { testmain.Run(m) }

func TestTheWorkerTakesThePlaceOfTheToolRunner(t *testing.T) {
	servertest.Each(t, takesThePlace)
}

func takesThePlace(t *testing.T, cfg server.Config) {
	secret := "whsec_" + base64.StdEncoding.EncodeToString([]byte("a secret of twenty-four b"))
	var worker atomic.Pointer[Worker]
	hooks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { worker.Load().ServeHTTP(w, r) }))
	defer hooks.Close()

	cfg.TriggersFile = filepath.Join(t.TempDir(), "triggers.json")
	triggers := `{"extend": true, "triggers": [{"id": "on-sub-agent-tool", "action": "` + hooks.URL + `/tool-call", "secret": "${TOOLWORKER_SECRET}"}]}`
	if err := os.WriteFile(cfg.TriggersFile, []byte(triggers), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg.Env = func(name string) string { return map[string]string{"TOOLWORKER_SECRET": secret}[name] }
	cfg.Addr, cfg.AllowPrivate = "127.0.0.1:0", true
	s, _ := servertest.Start(t, cfg)
	url := s.URL()
	w, err := New(url, secret, Tools)
	if err != nil {
		t.Fatal(err)
	}
	worker.Store(w)

	send(t, http.MethodPut, url+"/api/v1/docs/users/local/orch-chats/c1", `{}`)
	for _, body := range []string{
		`{"id": "agent", "name": "agent:general", "instruction": "Compute 6*7"}`,
		`{"id": "call", "name": "tool:calculator", "instruction": "6*7"}`,
	} {
		send(t, http.MethodPost, url+"/api/v1/chats/c1/tasks", body)
	}
	for _, id := range []string{"agent", "call"} {
		task := ended(t, url, id)
		if task.Status != nestor.TaskSuccess || !strings.Contains(task.Result, "I would rather not say") {
			t.Errorf("the task %s is %s: %s %s", id, task.Status, task.Result, task.Error)
		}
	}
}

func TestADeliveryThatIsNotSignedIsRefused(t *testing.T) {
	w, err := New("http://127.0.0.1:1", "whsec_"+base64.StdEncoding.EncodeToString([]byte("a secret of twenty-four b")), Tools)
	if err != nil {
		t.Fatal(err)
	}
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/tool-call", strings.NewReader(`{"path":"users/u/x/y"}`)))
	if rec.Code != http.StatusUnauthorized {
		t.Errorf("status %d", rec.Code)
	}
}

func send(t *testing.T, method, url, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+servertest.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode >= 300 {
		text, _ := io.ReadAll(resp.Body)
		t.Fatalf("%s %s: %s: %s", method, url, resp.Status, text)
	}
	return resp
}

// ended follows the chat until the task has ended.
func ended(t *testing.T, url, id string) nestor.Task {
	t.Helper()
	events := send(t, http.MethodGet, url+"/api/v1/chats/c1/events?from=0", "")
	lines := bufio.NewScanner(events.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var event struct {
			Collection string      `json:"collection"`
			Document   nestor.Task `json:"document"`
		}
		if json.Unmarshal([]byte(data), &event) == nil && event.Collection == "tasks" &&
			event.Document.ID == id && event.Document.Status.Ended() {
			return event.Document
		}
	}
	t.Fatalf("the stream ended: %v", lines.Err())
	return nestor.Task{}
}
