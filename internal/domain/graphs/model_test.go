package graphs_test

import (
	"context"
	"iter"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// caller is a model that says something and wants a tool.
type caller struct {
	*demo.Model
	asked chan *llm.Request
}

func (m *caller) Generate(_ context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	m.asked <- req
	return func(yield func(llm.Event, error) bool) {
		for _, e := range []llm.Event{
			llm.Text{Text: "Wait\x00"}, llm.ToolCall{ID: "c1", Name: "calculator", Arguments: `{"expression":"6*7"}`}, llm.Finish{Reason: llm.ReasonToolCalls},
		} {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func TestAModelIsAskedWithTheThreadAndItsTools(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model := &caller{demo.New(demo.Options{Instant: true}), make(chan *llm.Request, 10)}
		cfg.Model = model
		p := start(t, cfg)
		p.draws("g", []string{
			"s on-start", `tools input-tools {"tools":["calc*"]}`, `m input-language-model {"maxTokens":77}`, "add add-tools-to-thread",
			`one invoke-language-model {"maxRounds":0}`, `two invoke-language-model {"maxRounds":0}`, "o output {\"name\":\"calls\"}", "th output {\"name\":\"thread\"}",
		}, "s.signal>add.run", "tools.tools>add.tools", "add.done>one.run", "add.thread>one.thread", "m.model>one.model", "s.text>one.prompt",
			"one.done>two.run", "one.thread>two.thread", "one.text>two.prompt", "two.done>o.run", "two.toolCalls>o.value", "two.done>th.run", "two.thread>th.value")
		x := p.runs("g", `"Hello"`)
		p.ends(x, `"status":"completed"`, `"calls":[{"arguments":{"expression":"6*7"},"name":"calculator"}]`,
			`"thread":{"messages":[{"role":"user","text":"Hello"},{"role":"assistant","text":"Wait�"},{"role":"user","text":"Wait�"},{"role":"assistant","text":"Wait�"}],"tools":["calc*"]}`)
		first, second := <-model.asked, <-model.asked
		if first.MaxTokens != 77 || len(first.Tools) != 1 || first.Tools[0].Name != "calculator" || len(first.Messages) != 1 {
			t.Errorf("the first request was %+v", first)
		}
		if second.MaxTokens != 0 || len(second.Tools) != 1 || len(second.Messages) != 3 {
			t.Errorf("the second request was %+v", second)
		}
		p.wants(200, "GET", "usage", "", `"calls":2`)
	})
}
