package graphs_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
	"github.com/nestorhq/nestor/tool"
)

// calling is a model that calls the tools that a prompt names, all at once, and then says
// what they said. The prompt "again" has it call one for ever.
type calling struct {
	*demo.Model
	asked chan *llm.Request
	args  string // of each call; of a calculation if they are not given
}

func (m *calling) Generate(_ context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	copied := *req
	copied.Messages = append([]llm.Message{}, req.Messages...)
	m.asked <- &copied
	last := req.Messages[len(req.Messages)-1]
	var events []llm.Event
	var heard []string
	for _, p := range last.Parts {
		switch p := p.(type) {
		case llm.ToolResult:
			heard = append(heard, p.Name+" says "+p.Content)
		case llm.Text:
			for _, name := range strings.Fields(p.Text) {
				events = append(events, llm.ToolCall{ID: "same", Name: name, Arguments: cmp.Or(m.args, `{"expression":"6*7"}`)})
			}
		}
	}
	if strings.Contains(strings.Join(heard, ""), "again") {
		events = append(events, llm.ToolCall{ID: "same", Name: "again", Arguments: `{}`})
	}
	if len(events) == 0 {
		events = append(events, llm.Text{Text: strings.Join(heard, ", ")}, llm.Finish{Reason: llm.ReasonStop})
	} else {
		events = append([]llm.Event{llm.Text{Text: "Wait."}}, append(events, llm.Finish{Reason: llm.ReasonToolCalls})...)
	}
	return func(yield func(llm.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

type nothing struct {
	Expression string `json:"expression,omitempty"`
}

func TestToolsThatAModelCallsAreRun(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model := &calling{Model: demo.New(demo.Options{Instant: true}), asked: make(chan *llm.Request, 100)}
		cfg.Model = model
		var callers atomic.Value
		cfg.Tools = []*tool.Tool{
			tool.New("again", tool.Options{Effect: tool.Pure}, func(ctx context.Context, _ nothing) (string, error) {
				callers.Store(tool.CallOf(ctx))
				return "again", nil
			}),
			tool.New("long", tool.Options{Effect: tool.Pure}, func(context.Context, nothing) (string, error) { return strings.Repeat("x", 20_000), nil }),
			tool.New("asks", tool.Options{NeedsApproval: true}, func(context.Context, nothing) (string, error) { panic("nobody approved") }),
		}
		p := start(t, cfg)
		nodes := []string{"s on-start", `tools input-tools {"tools":["calculator","again","long","asks"]}`, "n invoke-language-model", "o output", "th output", "c output"}
		edges := []string{"s.signal>n.run", "s.text>n.prompt", "tools.tools>n.tools", "n.done>o.run", "n.text>o.value", "n.done>th.run", "n.thread>th.value", "n.done>c.run", "n.toolCalls>c.value"}
		p.draws("g", nodes, edges...)
		text := p.ends(p.runs("g", `"calculator asks none"`), `"status":"completed"`, `"o":"calculator says 42, asks says there is no tool asks that can be run here, none says there is no tool none`,
			`"name":"calculator","output":"42","status":"success"`, `"name":"asks"`)
		var x struct {
			Output struct {
				Th struct {
					Messages []struct {
						Role, Text string
						Partials   []struct {
							Type    string
							Payload struct {
								CallID, ShortID, Status string
								Input                   json.RawMessage
								Output                  *string
							}
						}
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(text), &x); err != nil {
			t.Fatal(err)
		}
		said := x.Output.Th.Messages
		if len(said) != 4 || said[1].Role != "assistant" || said[1].Text != "Wait." || len(said[1].Partials) != 3 || said[2].Role != "tool" || said[3].Role != "assistant" {
			t.Fatalf("the thread is %+v", said)
		}
		request, response := said[1].Partials[0], said[2].Partials[0]
		if request.Type != "toolRequest" || request.Payload.ShortID != "calculator" || string(request.Payload.Input) != `{"expression":"6*7"}` ||
			response.Type != "toolResponse" || response.Payload.CallID != request.Payload.CallID || response.Payload.Status != "success" || *response.Payload.Output != "42" ||
			said[2].Partials[1].Payload.Status != "failed" || said[1].Partials[1].Payload.CallID == request.Payload.CallID {
			t.Errorf("the partials are %+v and %+v", request, response)
		}
		first := <-model.asked
		for _, offered := range first.Tools {
			if offered.Name == "asks" {
				t.Error("a tool that needs approval is offered")
			}
		}
		if len(first.Tools) != 3 {
			t.Errorf("%d tools are offered", len(first.Tools))
		}
		p.wants(200, "GET", "usage", "", `"calls":2`)

		p.ends(p.runs("g", `"long"`), `"status":"completed"`, "[cut: the first 16384 of 20000 bytes are shown]")
		p.wants(200, "PATCH", graphs+"/g", `{`+strings.Replace(drawn(nodes, edges...), `"nodeId":"invoke-language-model"`, `"nodeId":"invoke-language-model","parameters":{"maxRounds":2}`, 1)+`}`)
		p.ends(p.runs("g", `"again"`), `"status":"failed"`, `"code":"too_large"`, "the model still called tools after 2 rounds")
		if call := callers.Load().(tool.Call); call.UserID != "local" || len(call.AskedBy) != 1 || call.AskedBy[0] != "local" || call.IdempotencyKey == "" {
			t.Errorf("the tool was called as %+v", call)
		}

		// Another node goes on with the thread.
		p.draws("twice", []string{"s on-start", `tools input-tools {"tools":["calculator"]}`, "a invoke-language-model", `b invoke-language-model {"prompt":""}`},
			"s.signal>a.run", "s.text>a.prompt", "tools.tools>a.tools", "a.done>b.run", "a.thread>b.thread")
		for len(model.asked) > 0 {
			<-model.asked
		}
		p.ends(p.runs("twice", `"calculator"`), `"status":"completed"`)
		<-model.asked
		<-model.asked
		last := <-model.asked
		if call, ok := last.Messages[1].Parts[1].(llm.ToolCall); !ok || call.Name != "calculator" || len(last.Messages) != 5 || last.Messages[2].Parts[0].(llm.ToolResult).CallID != call.ID {
			t.Errorf("it went on with %+v", last.Messages)
		}
	})
}

func TestArgumentsThatNoDocumentHoldsAreAnErrorThatTheModelIsTold(t *testing.T) {
	deep := func(levels int) string {
		return `{"expression":` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + `}`
	}
	for args, want := range map[string]string{
		`{"expression":1e400}`:                 "the number 1e400 is out of range",
		`{"expression":123456789012345678901}`: "does not fit in 64 bits",
		deep(47):                               `want \"string\"`,
		deep(48):                               "nested more than 48 levels",
		deep(70):                               "nested more than 48 levels",
		deep(5000):                             "nested more than 48 levels",
	} {
		t.Run(fmt.Sprintf("%.40s", args), func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, cfg server.Config) {
				cfg.Model = &calling{Model: demo.New(demo.Options{Instant: true}), asked: make(chan *llm.Request, 100), args: args}
				p := start(t, cfg)
				p.draws("g", []string{"s on-start", `tools input-tools {"tools":["calculator"]}`, "n invoke-language-model", "wants invoke-language-model {\"maxRounds\":0}", "o output", "th output", "c output", "w output"},
					"s.signal>n.run", "s.text>n.prompt", "tools.tools>n.tools", "n.done>o.run", "n.text>o.value", "n.done>th.run", "n.thread>th.value", "n.done>c.run", "n.toolCalls>c.value",
					"n.done>wants.run", "s.text>wants.prompt", "wants.done>w.run", "wants.toolCalls>w.value")
				text := p.ends(p.runs("g", `"calculator"`), `"status":"completed"`, `"o":"calculator says invalid arguments: `, want)
				if strings.Contains(text, "Go value") || strings.Contains(text, "float64") {
					t.Errorf("a person is told of Go: %s", text)
				}
			})
		})
	}
}

func TestAToolOfAModelThatIsInterruptedIsRunAgainOnlyWhereThatIsSafe(t *testing.T) {
	for effect, want := range map[tool.Effect]string{tool.Idempotent: `"o":"calculator says 42, letter says written, calculator says 42"`, tool.Once: `"code":"interrupted"`} {
		t.Run(string(effect), func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, cfg server.Config) {
				model := &calling{Model: demo.New(demo.Options{Instant: true}), asked: make(chan *llm.Request, 100)}
				began, runs := make(chan string, 2), atomic.Int64{}
				cfg.Model, cfg.Drain = model, 1
				cfg.Tools = []*tool.Tool{tool.New("letter", tool.Options{Effect: effect}, func(ctx context.Context, _ nothing) (string, error) {
					began <- tool.CallOf(ctx).IdempotencyKey
					if runs.Add(1) == 1 {
						<-ctx.Done()
						return "", ctx.Err()
					}
					return "written", nil
				})}
				p := start(t, cfg)
				p.draws("g", []string{"s on-start", `tools input-tools {"tools":["calculator","letter"]}`, "n invoke-language-model", "o output"},
					"s.signal>n.run", "s.text>n.prompt", "tools.tools>n.tools", "n.done>o.run", "n.text>o.value")
				x := p.runs("g", `"calculator letter calculator"`)
				key := <-began
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
				again := start(t, cfg)
				again.ends(x, want)
				asked := map[tool.Effect]int{tool.Idempotent: 2, tool.Once: 1}[effect] // what the model said first is not asked again
				if n := len(model.asked); n != asked {
					t.Errorf("the model was asked %d times", n)
				}
				if effect == tool.Idempotent && <-began != key || effect == tool.Once && runs.Load() != 1 {
					t.Errorf("the tool ran %d times", runs.Load())
				}
				again.wants(200, "GET", "usage", "", map[tool.Effect]string{tool.Idempotent: `"calls":2`, tool.Once: `"calls":1`}[effect])
			})
		})
	}
}
