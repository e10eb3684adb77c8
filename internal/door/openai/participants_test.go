package openai_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
	"github.com/nestorhq/nestor/tool"
)

// visitor sends requests to the door.
type visitor struct{ *servertest.Person }

// request is one to the door, with a body in JSON.
func (v visitor) request(method, path, body string) *http.Request {
	v.Helper()
	r := v.Request(method, "", body)
	r.URL = &url.URL{Scheme: "http", Host: "127.0.0.1", Path: path}
	r.Header.Del("Sec-Fetch-Site") // a program sends none
	return r
}

func (v visitor) wants(status int, method, path, body string, texts ...string) string {
	v.Helper()
	return v.Answers(status, v.request(method, path, body), texts...)
}

type completion struct {
	Choices []struct {
		Message struct {
			Content string `json:"content"`
		} `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Total int `json:"total_tokens"`
	} `json:"usage"`
}

// says continues a conversation, and returns it with the reply.
func (v visitor) says(model string, talk []map[string]string, text string) ([]map[string]string, string) {
	v.Helper()
	talk = append(talk, map[string]string{"role": "user", "content": text})
	body, err := json.Marshal(map[string]any{"model": model, "messages": talk})
	if err != nil {
		v.Fatal(err)
	}
	var got completion
	if err := json.Unmarshal([]byte(v.wants(200, "POST", "/v1/chat/completions", string(body))), &got); err != nil || len(got.Choices) != 1 {
		v.Fatalf("got %+v, %v", got, err)
	}
	if got.Choices[0].FinishReason != "stop" || got.Usage.Total == 0 {
		v.Errorf("got %+v", got)
	}
	said := got.Choices[0].Message.Content
	return append(talk, map[string]string{"role": "assistant", "content": said}), said
}

// The orchestrator delegates, results are told, and questions of agents are passed on; all of that is
// one answer to whoever asks.
func TestTheOrchestratorAnswersWithWhatItsAgentsFound(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		v := visitor{servertest.Enter(t, cfg)}
		talk, said := v.says("orchestrator", nil, "Compute 6*7")
		if !strings.Contains(said, "42") {
			t.Errorf("it said %q", said)
		}
		talk, said = v.says("orchestrator", talk, "Book a table for two")
		if !strings.Contains(said, "?") {
			t.Errorf("it said %q", said)
		}
		if _, said = v.says("orchestrator", talk, "Friday at 8"); !strings.Contains(strings.ToLower(said), "friday at 8") {
			t.Errorf("the answer to the question led to %q", said)
		}
		var chats struct{ Items []any }
		v.Into(&chats, 200, "GET", "chats", "")
		if len(chats.Items) != 1 {
			t.Errorf("one conversation became %d chats", len(chats.Items))
		}
	})
}

func TestAGraphAnswers(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		v := visitor{servertest.Enter(t, cfg)}
		v.Wants(201, "POST", "records/agent_graphs", `{"id":"echo","name":"Echo","nodes":[
			{"id":"s","nodeId":"on-start","position":{"x":1,"y":2},"parameters":{}},{"id":"o","nodeId":"output","position":{"x":1,"y":2},"parameters":{}}],"edges":[
			{"sourceNodeId":"s","sourcePortId":"signal","targetNodeId":"o","targetPortId":"run"},
			{"sourceNodeId":"s","sourcePortId":"text","targetNodeId":"o","targetPortId":"value"}]}`)
		v.wants(200, "GET", "/v1/models/graph:echo", "", `"id":"graph:echo"`, `"name":"Echo"`)
		v.wants(200, "POST", "/v1/chat/completions", `{"model":"graph:echo","messages":[{"role":"user","content":"Hello there"}]}`, `"content":"Hello there"`)
		v.wants(400, "POST", "/v1/chat/completions", `{"model":"graph:echo","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f"}}]}`,
			`"param":"tools"`, "agent:general")
	})
}

type nothing struct{}

// Who waits for an answer is told that somebody must approve something first. A response
// in the background goes on by itself when somebody has.
func TestAnApprovalIsWaitedFor(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		cfg.Tools = []*tool.Tool{tool.New("pay", tool.Options{Description: "Pays.", NeedsApproval: true}, func(context.Context, nothing) (string, error) { return "it was paid", nil })}
		v := visitor{servertest.Enter(t, cfg)}
		const ask = `{"model":"agent:general","input":"Use the pay tool with {}"`
		v.wants(200, "POST", "/v1/responses", ask+`}`, `"status":"completed"`, "Somebody must approve what is to be done before this goes on: pay.")
		var got struct{ ID, Status string }
		if err := json.Unmarshal([]byte(v.wants(200, "POST", "/v1/responses", ask+`,"background":true}`)), &got); err != nil {
			t.Fatal(err)
		}
		v.Settled()
		at := "/v1/responses/" + got.ID
		v.wants(200, "GET", at, "", `"status":"in_progress"`)
		run := strings.TrimPrefix(got.ID, "resp_")
		var waiting nestor.RunResult
		v.Into(&waiting, 200, "GET", "runs/"+run, "")
		chat := "chats/" + waiting.Run.ChatID
		var agents struct{ Items []nestor.SubAgent }
		v.Into(&agents, 200, "GET", chat+"/sub-agents", "")
		var calls struct{ Items []nestor.ToolCall }
		v.Into(&calls, 200, "GET", chat+"/sub-agents/"+agents.Items[0].ID+"/tool-calls", "")
		v.Wants(200, "POST", chat+"/sub-agents/"+agents.Items[0].ID+"/tool-calls/"+calls.Items[0].ID+"/decision", `{"action":"approve"}`)
		v.Settled()
		v.wants(200, "GET", at, "", `"status":"completed"`, "it was paid")
		// The same as a stream, which has nothing but its end to tell to who has the rest.
		r := v.request("GET", at, "")
		r.URL.RawQuery = "stream=true"
		v.Answers(200, r, "event: response.completed", "it was paid")
	})
}

// What a key may not do is not done by this door either.
func TestAKeyThatMayOnlyRead(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		local := servertest.Enter(t, cfg)
		anna := local.SignIn("anna")
		writer, reader := visitor{anna.WithKey("write")}, visitor{anna.WithKey("read")}
		var got struct{ ID string }
		if err := json.Unmarshal([]byte(writer.wants(200, "POST", "/v1/responses", `{"model":"model:default","input":"Hello"}`)), &got); err != nil {
			t.Fatal(err)
		}
		reader.wants(200, "GET", "/v1/models", "", "model:default")
		reader.wants(200, "GET", "/v1/responses/"+got.ID, "", `"status":"completed"`)
		reader.wants(403, "POST", "/v1/responses", `{"model":"model:default","input":"Hello"}`, `"code":"insufficient_permissions"`)
		reader.wants(403, "POST", "/v1/chat/completions", `{"model":"model:default","messages":[{"role":"user","content":"Hello"}]}`, `"code":"insufficient_permissions"`)
		reader.wants(403, "POST", "/v1/responses/"+got.ID+"/cancel", "", `"code":"insufficient_permissions"`)
		reader.wants(403, "DELETE", "/v1/responses/"+got.ID, "", `"code":"insufficient_permissions"`)
		nobody := visitor{local.With("")}
		for _, call := range [][2]string{
			{"GET", "/v1/models"},
			{"GET", "/v1/models/orchestrator"},
			{"POST", "/v1/chat/completions"},
			{"POST", "/v1/responses"},
			{"GET", "/v1/responses/" + got.ID},
			{"DELETE", "/v1/responses/" + got.ID},
			{"POST", "/v1/responses/" + got.ID + "/cancel"},
			{"GET", "/v1/anything"},
		} {
			nobody.wants(401, call[0], call[1], `{}`, `"code":"invalid_api_key"`, `"type":"invalid_request_error"`)
		}
		writer.wants(200, "DELETE", "/v1/responses/"+got.ID, "", `"deleted":true`)
		var chats struct{ Items []any }
		writer.Into(&chats, 200, "GET", "chats", "")
		if len(chats.Items) != 0 {
			t.Errorf("the chat of the last response is still there: %v", chats.Items)
		}
	})
}
