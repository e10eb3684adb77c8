package siege

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// outside is everything that the server calls: the model, two tools, and the
// receiver of a webhook, which keeps the tokens that it is given.
type outside struct {
	*httptest.Server

	mu      sync.Mutex
	prompts func(key, body string) // looks at each request to the model
	asked   map[string]int         // requests by key
	runs    map[string]int         // of tools
	tokens  map[string]string      // of webhooks by the path of the chat
}

// forbiddenTool is never approved by anybody.
const forbiddenTool = "danger"

// maxRequests are as many replies as the model gives with calls for one chat, so
// that agents who make agents come to an end.
const maxRequests = 40

func newOutside(t testing.TB) *outside {
	o := &outside{asked: map[string]int{}, runs: map[string]int{}, tokens: map[string]string{}}
	o.Server = httptest.NewServer(o)
	t.Cleanup(o.Close)
	return o
}

func (o *outside) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the server has gone
	}
	switch {
	case strings.HasPrefix(r.URL.Path, "/tool/"):
		o.mu.Lock()
		o.runs[strings.TrimPrefix(r.URL.Path, "/tool/")]++
		o.mu.Unlock()
		fmt.Fprint(w, "done")
	case r.URL.Path == "/hook":
		o.hook(body)
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		o.complete(w, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), body)
	default:
		http.NotFound(w, r)
	}
}

func (o *outside) hook(body []byte) {
	var delivery struct {
		Token    string
		Document struct{ Path string }
		Path     string
	}
	if json.Unmarshal(body, &delivery) != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range []string{delivery.Document.Path, delivery.Path} {
		if i := strings.Index(p, "/hooks/"); i > 0 {
			o.tokens[p[:i]] = delivery.Token
		}
	}
}

func (o *outside) token(chat string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.tokens[chat]
}

func (o *outside) ran(tool string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.runs[tool]
}

// prompt is a request to the model.
type prompt struct {
	Messages []struct {
		Role    string
		Content any
	}
	Tools []struct {
		Function struct {
			Name       string
			Parameters schema
		}
	}
}

type schema struct {
	Type       any
	Properties map[string]schema
	Required   []string
	Enum       []any
	Items      *schema
}

// complete answers with calls of tools that are offered, some of them with what
// agents are after, and concludes after a few.
func (o *outside) complete(w http.ResponseWriter, key string, body []byte) {
	var p prompt
	if err := json.Unmarshal(body, &p); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	o.mu.Lock()
	o.asked[key]++
	n, look := o.asked[key], o.prompts
	o.mu.Unlock()
	if look != nil {
		look(key, string(body))
	}
	h := fnv.New64a()
	_, _ = h.Write(body) // never fails
	say(w, p.reply(rand.New(rand.NewPCG(h.Sum64(), 0)), n > maxRequests))
}

// said is a reply: words, and one call at most.
type said struct{ text, call, args string }

func (p *prompt) reply(r *rand.Rand, conclude bool) said {
	results := 0
	for _, m := range p.Messages {
		if m.Role == "tool" {
			results++
		}
	}
	var names []int
	final := -1
	for i, t := range p.Tools {
		switch t.Function.Name {
		case "web_fetch", "tavily_search":
		case "final_answer":
			final = i
		case "read_document", "write_document", "search_documents":
			names = append(names, i, i, i)
		default:
			names = append(names, i)
		}
	}
	switch {
	case final >= 0 && (conclude || results > 3 || r.IntN(5) == 0):
		return said{call: "final_answer", args: p.Tools[final].Function.Parameters.text(r)}
	case len(names) == 0 || conclude || results > 3 || r.IntN(4) == 0:
		return said{text: "As you wish."}
	}
	chosen := p.Tools[names[r.IntN(len(names))]].Function
	return said{text: "Let me see.", call: chosen.Name, args: chosen.Parameters.text(r)}
}

func (s schema) text(r *rand.Rand) string {
	args := map[string]any{}
	for _, name := range s.Required {
		args[name] = s.Properties[name].value(name, r)
	}
	for _, name := range []string{"title", "search", "query"} { // what leads to documents
		if p, ok := s.Properties[name]; ok && args[name] == nil && r.IntN(2) == 0 {
			args[name] = p.value(name, r)
		}
	}
	b, err := json.Marshal(args)
	if err != nil {
		return "{}"
	}
	return string(b)
}

func (s schema) value(name string, r *rand.Rand) any {
	if len(s.Enum) > 0 {
		return s.Enum[r.IntN(len(s.Enum))]
	}
	switch s.Type {
	case "integer", "number":
		return 1
	case "boolean":
		return r.IntN(2) == 0
	case "array":
		if s.Items != nil {
			return []any{s.Items.value(name, r)}
		}
		return []any{}
	case "object":
		return map[string]any{}
	}
	switch name {
	case "title":
		return []string{privateTitle, "Notes"}[r.IntN(2)]
	case "query", "search", "q":
		return "canary"
	case "expression":
		return "6*7"
	case "type", "role":
		return []string{"general", "researcher"}[r.IntN(2)]
	case "subAgentId", "agentId":
		return "X"
	}
	return "some words"
}

// say sends a reply as chat completions stream it.
func say(w http.ResponseWriter, s said) {
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(delta any, reason any) {
		text, err := json.Marshal(map[string]any{
			"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "siege",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": reason}},
		})
		if err == nil {
			fmt.Fprintf(w, "data: %s\n\n", text)
		}
	}
	chunk(map[string]any{"role": "assistant", "content": s.text}, nil)
	reason := "stop"
	if s.call != "" {
		reason = "tool_calls"
		chunk(map[string]any{"tool_calls": []any{map[string]any{
			"index": 0, "id": fmt.Sprintf("call_%x", rand.Uint64()), "type": "function", "function": map[string]any{"name": s.call, "arguments": s.args},
		}}}, nil)
	}
	chunk(map[string]any{}, reason)
	fmt.Fprint(w, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"siege","choices":[],"usage":{"prompt_tokens":50,"completion_tokens":20,"total_tokens":70}}`+"\n\ndata: [DONE]\n\n")
}
