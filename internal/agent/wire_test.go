package agent_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/anthropic"
	"github.com/nestorhq/nestor/internal/llm/gemini"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
	"github.com/nestorhq/nestor/internal/llm/openai"
)

// provider is a server that speaks a provider's format and answers as a function
// says. A status other than 200 comes with a body, else the events are the reply.
type provider struct {
	t      *testing.T
	wire   llmtest.Wire
	answer func(body string) (status int, refusal string, reply []llm.Event)

	mu     sync.Mutex
	bodies []string
}

func (p *provider) serve() string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			p.t.Error(err)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.bodies = append(p.bodies, string(body))
		status, refusal, reply := p.answer(string(body))
		if status != http.StatusOK {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, refusal)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(p.wire.Transcript(reply))
	}))
	p.t.Cleanup(s.Close)
	return s.URL
}

// open is a model that calls the server.
func (p *provider) open(format string) llm.Model {
	p.t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	var m llm.Model
	var err error
	switch url := p.serve(); format {
	case "openai":
		p.wire = llmtest.OpenAI
		m, err = openai.New(llm.Target{Model: "test", BaseURL: url, HTTPClient: client}, openai.Options{})
	case "anthropic":
		p.wire = llmtest.Anthropic
		m, err = anthropic.New(llm.Target{Model: "test", BaseURL: url, HTTPClient: client}, anthropic.Options{})
	case "gemini":
		p.wire = llmtest.Gemini
		m, err = gemini.New(llm.Target{Model: "test", APIKey: "k", BaseURL: url, HTTPClient: client}, gemini.Options{})
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return m
}

func says(text string) []llm.Event {
	return []llm.Event{llm.Text{Text: text}, llm.Usage{Input: 10, Output: 2}, llm.Finish{Reason: llm.ReasonStop}}
}

func calls(id, arguments string) []llm.Event {
	return []llm.Event{llm.ToolCall{ID: id, Name: "pages", Arguments: arguments}, llm.Usage{Input: 10, Output: 2}, llm.Finish{Reason: llm.ReasonToolCalls}}
}

const onlyPages = `{"roles": {"reader": {"description": "reads", "instructions": "You read.", "tools": ["pages"]}}}`

// The conversation does not fit the window that the provider turns out to have,
// and no setting knows of it.
func TestAConversationThatTheProviderFindsTooLongIsCondensedAndGoesOn(t *testing.T) {
	eachBench(t, func(t *testing.T, b *bench) {
		for _, tt := range []struct{ name, format, refusal string }{
			{"openai", "openai", `{"error":{"message":"This model's maximum context length is 2000 tokens. However, your messages resulted in 5000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`},
			{"vllm", "openai", `{"object":"error","message":"This model's maximum context length is 2000 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion).","type":"BadRequestError","param":null,"code":400}`},
			{"llama.cpp", "openai", `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}`},
			{"anthropic", "anthropic", `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 5000 tokens > 2000 maximum"}}`},
			{"gemini", "gemini", `{"error":{"code":400,"message":"The input token count (5000) exceeds the maximum number of tokens allowed (2000).","status":"INVALID_ARGUMENT"}}`},
		} {
			t.Run(tt.name, func(t *testing.T) {
				refused := 0
				p := &provider{t: t, answer: func(body string) (int, string, []llm.Event) {
					switch {
					case len(body) > 9_000:
						refused++
						return 400, tt.refusal, nil
					case strings.Contains(body, "You write the memory"):
						return 200, "", says("It read of apples.")
					case strings.Contains(body, "cherry cherry"):
						return 200, "", says("Read.")
					case strings.Contains(body, "berry berry"):
						return 200, "", calls("c3", `{"words": 800, "of": "cherry"}`)
					case strings.Contains(body, "apple apple"):
						return 200, "", calls("c2", `{"words": 800, "of": "berry"}`)
					}
					return 200, "", calls("c1", `{"words": 800, "of": "apple"}`)
				}}
				w := newWorld(t, b, setup{Roles: []byte(onlyPages), models: map[string]llm.Model{"": p.open(tt.format)}})
				w.do("task reader: Read everything.")
				w.finish()
				task := list[nestor.Task](w, w.chat, "tasks")[0]
				if task.Status != nestor.TaskSuccess || task.Result != "Read." {
					t.Errorf("the task is %s: %s%s", task.Status, task.Result, task.Error)
				}
				if refused == 0 || refused > 6 {
					t.Errorf("the provider refused %d requests", refused)
				}
			})
		}
	})
}

var nine = regexp.MustCompile(`"(?:id|tool_call_id)":"([^"]*)"`)

// The first model is as strict as Mistral, which takes nine letters and digits
// and nothing else; the second gives ids of its own.
func TestAProviderGetsItsOwnIdsBackAndThoseOfOthersInItsForm(t *testing.T) {
	eachBench(t, func(t *testing.T, b *bench) {
		strict := &provider{t: t}
		strict.answer = func(body string) (int, string, []llm.Event) {
			for _, m := range nine.FindAllStringSubmatch(body, -1) {
				if !regexp.MustCompile(`^[a-zA-Z0-9]{9}$`).MatchString(m[1]) {
					return 400, fmt.Sprintf(`{"object":"error","message":"Tool call id was %s but must be a-z, A-Z, 0-9, with a length of 9.","code":"3230"}`, m[1]), nil
				}
			}
			switch {
			case strings.Contains(body, "plum plum"):
				return 200, "", says("Done.")
			case strings.Contains(body, "apple apple"):
				return 200, "", says("Apples.")
			}
			return 200, "", calls("aB3dE5gH7", `{"words": 3, "of": "apple"}`)
		}
		other := &provider{t: t, answer: func(body string) (int, string, []llm.Event) {
			if strings.Contains(body, "plum plum") {
				return 200, "", says("Plums.")
			}
			return 200, "", calls("toolu_01XYZ", `{"words": 3, "of": "plum"}`)
		}}
		w := newWorld(t, b, setup{Roles: []byte(onlyPages), models: map[string]llm.Model{"": strict.open("openai")}})
		w.do("task reader: Read of apples.")
		// An agent that ended is read from the store when it goes on.
		w.models[""].speaker = other.open("anthropic")
		w.do("steer task1: Read of plums.")
		w.models[""].speaker = strict.open("openai")
		w.do("steer task1: And?")
		w.finish()
		if task := list[nestor.Task](w, w.chat, "tasks")[0]; task.Status != nestor.TaskSuccess || task.Result != "Done." {
			t.Errorf("the task is %s: %s%s", task.Status, task.Result, task.Error)
		}
		var stored []string
		for _, m := range list[nestor.SubAgentMessage](w, w.agent("agent1"), "messages") {
			for _, c := range m.ToolCalls {
				stored = append(stored, c.ProviderID)
			}
		}
		slices.Sort(stored)
		if !slices.Equal(stored, []string{"aB3dE5gH7", "toolu_01XYZ"}) {
			t.Errorf("the ids %v are stored", stored)
		}
		count := func(bodies []string, id string) (n int) {
			for _, body := range bodies {
				n = max(n, strings.Count(body, `"`+id+`"`))
			}
			return n
		}
		if count(strict.bodies, "aB3dE5gH7") != 2 || count(other.bodies, "toolu_01XYZ") != 2 {
			t.Errorf("call and result are not under the provider's own ids in\n%s\n%s", strict.bodies, other.bodies)
		}
	})
}

// What the reply says comes over the wire of each provider.
func TestARefusalFailsTheTaskWithTheProvidersReason(t *testing.T) {
	eachBench(t, func(t *testing.T, b *bench) {
		for _, tt := range []struct{ name, format, stream, says, why string }{
			{
				"the model declines", "openai",
				`data: {"choices":[{"delta":{"refusal":"I cannot help with that."}}]}` + "\n\n" +
					`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
				"I cannot help with that.", "I cannot help with that.",
			},
			{
				"a filter stops it", "openai",
				`data: {"choices":[{"delta":{"content":"First, you"}}]}` + "\n\n" +
					`data: {"choices":[{"delta":{},"finish_reason":"content_filter"}]}` + "\n\ndata: [DONE]\n\n",
				"First, you", "content_filter",
			},
			{
				"the prompt is blocked", "gemini",
				`data: {"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":9}}` + "\r\n\r\n",
				"", "PROHIBITED_CONTENT",
			},
			{
				"it recites", "gemini",
				`data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Call me"}]}}]}` + "\r\n\r\n" +
					`data: {"candidates":[{"finishReason":"RECITATION"}]}` + "\r\n\r\n",
				"Call me", "RECITATION",
			},
			{
				"the classifier steps in", "anthropic",
				"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\n\n" +
					"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\",\"stop_details\":{\"type\":\"refusal\",\"category\":\"cyber\",\"explanation\":\"Not this.\"}},\"usage\":{\"output_tokens\":1}}\n\n" +
					"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
				"", "Not this. (cyber)",
			},
		} {
			t.Run(tt.name, func(t *testing.T) {
				p := &provider{t: t}
				m := p.open(tt.format)
				p.wire = llmtest.Verbatim(tt.stream)
				w := newWorld(t, b, setup{Roles: []byte(onlyPages), models: map[string]llm.Model{"": m}})
				p.answer = func(string) (int, string, []llm.Event) { return 200, "", nil }
				w.do("task reader: Tell me.")
				w.do("user: And you?")
				w.finish()
				task := list[nestor.Task](w, w.chat, "tasks")[0]
				if task.Status != nestor.TaskFailed || !strings.Contains(task.Error, tt.why) {
					t.Errorf("the task is %s: %q, want the reason %q", task.Status, task.Error, tt.why)
				}
				var told, visible bool
				for _, m := range list[nestor.Message](w, w.chat, "messages") {
					told = told || m.Type == nestor.MessageError && m.TaskID == "" && strings.Contains(m.Content, tt.why)
					visible = visible || m.Role == nestor.RoleAssistant && m.Content == tt.says && m.TaskID == ""
				}
				if !told || visible != (tt.says != "") {
					t.Errorf("the chat was told: %v; what was said is visible: %v", told, visible)
				}
				visible = false
				for _, m := range list[nestor.SubAgentMessage](w, w.agent("agent1"), "messages") {
					visible = visible || m.Role == nestor.RoleAssistant && m.Content == tt.says
				}
				if visible != (tt.says != "") {
					t.Errorf("what the agent said is visible: %v", visible)
				}
			})
		}
	})
}

// The first call has no such parameter and fails; the second succeeds with a
// text that looks like a failure.
func TestAFailedResultReachesTheProviderOnceAndOnlyThatIsOne(t *testing.T) {
	eachBench(t, func(t *testing.T, b *bench) {
		for _, tt := range []struct{ format, failed, fine string }{
			{"openai", `"content":"Error: invalid arguments`, `"content":"Error: it rains`},
			{"anthropic", `"is_error":true`, `"is_error":false`},
			{"gemini", `"response":{"error":"invalid arguments`, `"response":{"output":"Error: it rains`},
		} {
			t.Run(tt.format, func(t *testing.T) {
				p := &provider{t: t, answer: func(body string) (int, string, []llm.Event) {
					switch {
					case strings.Contains(body, "it rains Error"):
						return 200, "", says("Both.")
					case strings.Contains(body, "invalid arguments"):
						return 200, "", calls("c2", `{"words": 2, "of": "Error: it rains"}`)
					}
					return 200, "", calls("c1", `{"colour": "red"}`)
				}}
				w := newWorld(t, b, setup{Roles: []byte(onlyPages), models: map[string]llm.Model{"": p.open(tt.format)}})
				w.do("task reader: Read.")
				w.finish()
				seen := slices.IndexFunc(p.bodies, func(body string) bool { return strings.Contains(body, "it rains Error") })
				if seen < 0 {
					t.Fatal("the model never saw both results")
				}
				if body := p.bodies[seen]; strings.Count(body, tt.failed) != 1 || strings.Count(body, tt.fine) != 1 || strings.Contains(body, "Error: Error:") {
					t.Errorf("want %s and %s once each in %s", tt.failed, tt.fine, body)
				}
				for _, m := range list[nestor.SubAgentMessage](w, w.agent("agent1"), "messages") {
					if m.Role == nestor.RoleTool && (m.IsError == nil || *m.IsError != strings.HasPrefix(m.Content, "invalid arguments")) {
						t.Errorf("%q is stored with isError %v", m.Content, m.IsError)
					}
				}
			})
		}
	})
}

// A provider refuses a history with a name that it would not take for a tool; the model
// had made it up itself.
func TestInventedToolsAreToldToTheModelAndRefusedByNoProvider(t *testing.T) {
	names := regexp.MustCompile(`"name":"([^"]*)"`)
	taken := regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)
	invented := []string{"multi_tool_use.parallel", "my tool!", "", strings.Repeat("x", 200), "日本"}
	eachBench(t, func(t *testing.T, b *bench) {
		for _, format := range []string{"openai", "anthropic", "gemini"} {
			t.Run(format, func(t *testing.T) {
				p := &provider{t: t, answer: func(body string) (int, string, []llm.Event) {
					for _, m := range names.FindAllStringSubmatch(body, -1) {
						if !taken.MatchString(m[1]) {
							return 400, fmt.Sprintf(`{"error":{"message":"Invalid name: %q"}}`, m[1]), nil
						}
					}
					if strings.Contains(body, "there is no tool my tool!") && strings.Contains(body, "Make the calls side by side in one reply") &&
						strings.Contains(body, "the call does not name its tool") {
						return 200, "", says("I see.")
					}
					var reply []llm.Event
					for _, name := range invented {
						reply = append(reply, llm.ToolCall{ID: "c1", Name: name, Arguments: "{}"})
					}
					return 200, "", append(reply, llm.Usage{Input: 10, Output: 2}, llm.Finish{Reason: llm.ReasonToolCalls})
				}}
				w := newWorld(t, b, setup{Roles: []byte(onlyPages), models: map[string]llm.Model{"": p.open(format)}})
				w.do("task reader: Read.")
				w.finish()
				if task := list[nestor.Task](w, w.chat, "tasks")[0]; task.Status != nestor.TaskSuccess || task.Result != "I see." {
					t.Errorf("the task is %s: %s%s", task.Status, task.Result, task.Error)
				}
				var asked, called []string
				for _, m := range list[nestor.SubAgentMessage](w, w.agent("agent1"), "messages") {
					for _, c := range m.ToolCalls {
						asked = append(asked, c.Function.Name)
					}
				}
				for _, c := range list[nestor.ToolCall](w, w.agent("agent1"), "tool-calls") {
					called = append(called, c.ToolName)
				}
				slices.Sort(called)
				if !slices.Equal(asked, invented) || !slices.Equal(called, slices.Sorted(slices.Values(invented))) {
					t.Errorf("the messages have %q and the calls %q", asked, called)
				}
			})
		}
	})
}
