package app_test

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/app"
)

// A task of type tool is carried out however it comes into the chat, with the
// built-in triggers as with the six of the first schema, which know nothing of
// such tasks. No model takes part: none can be reached.
func TestAToolIsCalledAsATask(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		for name, triggers := range map[string]string{"built-in": "", "of the first schema": "../trigger/testdata/syntrix.json"} {
			t.Run(name, func(t *testing.T) {
				cfg := cfg
				cfg.Triggers, cfg.Env = triggers, vars(map[string]string{"NESTOR_MODEL": "openai:none", "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": "http://127.0.0.1:1"})
				s := start(t, cfg)
				chat := "c" + nestor.NewID()
				at := "/api/v1/docs/users/local/orch-chats/" + chat
				s.want(201, "PUT", at, `{"title":"Sums"}`, "")
				const role = `"role":"assistant","type":"text","content":"What may I compute?"`
				s.want(201, "PUT", at+"/messages/m1", `{`+role+`}`, "")
				in := "/api/v1/chats/" + chat + "/tasks"
				s.want(201, "POST", in, `{"id":"posted","name":"tool:calculator","instruction":"6*7","triggerMessageId":"m1"}`, `"triggerMessageId":"m1"`)
				s.want(200, "POST", in, `{"id":"posted","name":"tool:calculator","instruction":"6*7","triggerMessageId":"m1"}`, `"id":"posted"`)
				s.want(201, "PUT", at+"/tasks/put", `{"type":"tool","name":"tool:calculator","instruction":"","args":{"expression":"6*8"}}`, `"status":"pending"`)
				s.want(201, "PUT", at+"/tasks/wrong", `{"type":"tool","name":"tool:abacus","instruction":"6*9"}`, "")
				for body, want := range map[string]string{
					`{"name":"tool:abacus","instruction":"6*9"}`:                              "there is no tool abacus. The tools are: calculator",
					`{"name":"tool:calculator","args":{"sum":1}}`:                             `there is no parameter \"sum\"`,
					`{"name":"tool:calculator","instruction":"1","triggerMessageId":"other"}`: "there is no message other in this chat",
				} {
					s.want(400, "POST", in, body, want)
				}
				for id, want := range map[string]string{"posted": "success 42", "put": "success 48", "wrong": "failed there is no tool abacus."} {
					task := s.ended(at + "/tasks/" + id)
					if got := string(task.Status) + " " + task.Result + task.Error; !strings.HasPrefix(got, want) {
						t.Errorf("%s is %q, want %q", id, got, want)
					}
				}
				s.said(chat, "42", "48")
				if listed := s.want(200, "GET", in, "", `"items"`); strings.Count(listed, `"id"`) != 3 {
					t.Errorf("what was refused left something: %s", listed)
				}
			})
		}
	})
}

// ended waits for the end of a task.
func (s *server) ended(at string) (task nestor.Task) {
	s.Helper()
	for until := time.Now().Add(30 * time.Second); !task.Status.Ended() && time.Now().Before(until); runtime.Gosched() {
		_, body := s.call("GET", at, "")
		if err := json.Unmarshal([]byte(body), &task); err != nil {
			s.Fatal(body)
		}
	}
	return task
}

// said waits until the chat has been told the texts.
func (s *server) said(chat string, texts ...string) {
	s.Helper()
	for until := time.Now().Add(30 * time.Second); len(texts) > 0; runtime.Gosched() {
		_, body := s.call("GET", "/api/v1/chats/"+chat+"/messages", "")
		for len(texts) > 0 && strings.Contains(body, `"content":"`+texts[0]+`"`) {
			texts = texts[1:]
		}
		if len(texts) > 0 && time.Now().After(until) {
			s.Fatalf("the chat was not told %q: %s", texts, body)
		}
	}
}
