package bench

import (
	"fmt"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/anthropic"
	"github.com/nestorhq/nestor/internal/llm/gemini"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
	"github.com/nestorhq/nestor/internal/llm/openai"
)

// BenchmarkModelStream measures how fast the events of a reply come out of each
// provider's stream, from the bytes of the response body on. One operation is a
// reply of 1,000 text pieces and four tool calls; allocs/event is the number
// that a busy node pays per token.
func BenchmarkModelStream(b *testing.B) {
	for _, p := range []struct {
		name string
		wire llmtest.Wire
		open func(stream []byte) (llm.Model, error)
	}{
		{"openai", llmtest.OpenAI, func(stream []byte) (llm.Model, error) {
			return openai.New(llm.Target{Model: "m", APIKey: "k", HTTPClient: llmtest.Replay(stream)}, openai.Options{})
		}},
		{"anthropic", llmtest.Anthropic, func(stream []byte) (llm.Model, error) {
			return anthropic.New(llm.Target{Model: "m", APIKey: "k", HTTPClient: llmtest.Replay(stream)}, anthropic.Options{})
		}},
		{"gemini", llmtest.Gemini, func(stream []byte) (llm.Model, error) {
			return gemini.New(llm.Target{Model: "m", APIKey: "k", HTTPClient: llmtest.Replay(stream)}, gemini.Options{})
		}},
	} {
		b.Run(p.name, func(b *testing.B) {
			stream := p.wire.Transcript(longReply())
			model, err := p.open(stream)
			if err != nil {
				b.Fatal(err)
			}
			req := &llm.Request{Messages: []llm.Message{
				{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "Tell me a story."}}},
			}}
			b.SetBytes(int64(len(stream)))
			events := 0
			allocs := testing.AllocsPerRun(1, func() {
				events = 0
				for _, err := range model.Generate(b.Context(), req) {
					if err != nil {
						b.Fatal(err)
					}
					events++
				}
			})
			for b.Loop() {
				for _, err := range model.Generate(b.Context(), req) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(allocs/float64(events), "allocs/event")
		})
	}
}

func longReply() []llm.Event {
	var events []llm.Event
	for i := range 1000 {
		events = append(events, llm.Text{Text: fmt.Sprintf(" word%d", i)})
	}
	for i := range 4 {
		events = append(events, llm.ToolCall{
			ID:        fmt.Sprintf("call_%d", i),
			Name:      "search",
			Arguments: `{"limit":10,"query":"the history of the steam engine in Switzerland"}`,
		})
	}
	return append(events, llm.Usage{Input: 100, Output: 1100}, llm.Finish{Reason: llm.ReasonToolCalls})
}
