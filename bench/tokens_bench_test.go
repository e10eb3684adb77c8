package bench

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/tokens"
)

// BenchmarkTokenMeter measures what is paid before every model call: whether a
// conversation of 200 messages is over the limit. Far below it only lengths are
// looked at; near it every message is looked up, and one that is new is counted.
func BenchmarkTokenMeter(b *testing.B) {
	for _, bm := range []struct {
		name  string
		bytes int // per message
		grow  bool
	}{
		{"200 small messages, far below the limit", 200, false},
		{"200 longer messages, near the limit", 1600, false},
		{"200 longer messages, one of them new", 1600, true},
	} {
		for _, model := range []string{"gpt-5", "claude-opus-5"} {
			b.Run(bm.name+", "+model, func(b *testing.B) {
				var meter tokens.Meter
				req := conversation(200, bm.bytes)
				meter.Request(model, req)
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if bm.grow {
						text := fmt.Sprint(i, strings.Repeat(" and so on", bm.bytes/10))
						req.Messages[199].Parts = []llm.Part{llm.ToolResult{CallID: "c", Name: "search", Content: text}}
					}
					if meter.Over(model, req, 120_000) {
						b.Fatal("the conversation is over the limit")
					}
				}
			})
		}
	}
}

// BenchmarkTokenCount measures how long a text takes that was not seen before.
func BenchmarkTokenCount(b *testing.B) {
	prose := "A crash, a restart or a lost node never loses or doubles a step.\n"
	for _, size := range []int{1 << 10, 64 << 10, 1 << 20} {
		for _, text := range []struct{ name, text string }{
			{"prose", strings.Repeat(prose, size/len(prose)+1)[:size]},
			{"one letter", strings.Repeat("a", size)},
		} {
			for _, model := range []string{"gpt-5", "claude-opus-5"} {
				b.Run(fmt.Sprintf("%d KB of %s, %s", size>>10, text.name, model), func(b *testing.B) {
					tokens.Count(model, "x") // so that the vocabulary is there
					b.SetBytes(int64(size))
					for b.Loop() {
						tokens.Count(model, text.text)
					}
				})
			}
		}
	}
}

// conversation is a request with n messages of some size: questions, calls,
// results and answers.
func conversation(n, size int) *llm.Request {
	req := &llm.Request{System: strings.Repeat("Be helpful and brief. ", 50)}
	for i := range 10 {
		req.Tools = append(req.Tools, llm.Tool{
			Name: fmt.Sprint("tool_", i), Description: "Searches the documents of the user.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`),
		})
	}
	for i := range n {
		text := fmt.Sprint(i, strings.Repeat(" word", size/5))
		id := fmt.Sprint("call", i/4)
		switch i % 4 {
		case 0:
			req.Messages = append(req.Messages, llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: text}}})
		case 1:
			call := llm.ToolCall{ID: id, Name: "tool_1", Arguments: `{"query":"` + text + `"}`}
			req.Messages = append(req.Messages, llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{call}})
		case 2:
			result := llm.ToolResult{CallID: id, Name: "tool_1", Content: text}
			req.Messages = append(req.Messages, llm.Message{Role: llm.RoleTool, Parts: []llm.Part{result}})
		case 3:
			req.Messages = append(req.Messages, llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{llm.Text{Text: text}}})
		}
	}
	return req
}
