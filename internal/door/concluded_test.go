package door_test

import (
	"context"
	"iter"
	"maps"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// librarian is a model that has two agents look something up and, when it is let go on,
// concludes something from what they found.
type librarian struct{ concludes, goOn chan struct{} }

func (*librarian) Name() string { return "librarian" }

func (l *librarian) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		var asked strings.Builder
		for _, part := range req.Messages[len(req.Messages)-1].Parts {
			if text, ok := part.(llm.Text); ok {
				asked.WriteString(text.Text)
			}
		}
		says := func(events ...llm.Event) {
			for _, e := range append(events, llm.Finish{Reason: llm.ReasonStop}) {
				if !yield(e, nil) {
					return
				}
			}
		}
		switch asked := asked.String(); {
		case strings.Contains(req.System, "Write a title"):
			says(llm.Text{Text: "A title"})
		case asked == "Look up A":
			says(llm.Text{Text: "A is 1."})
		case asked == "Look up B":
			says(llm.Text{Text: "B is 2."})
		case strings.Contains(asked, "All that was started has ended"):
			for _, at := range []chan struct{}{l.concludes, l.goOn} {
				select {
				case at <- struct{}{}:
				case <-ctx.Done():
					yield(nil, ctx.Err())
					return
				}
			}
			says(llm.Text{Text: "So B is "}, llm.Text{Text: "greater."})
		default:
			says(
				llm.Text{Text: "I look both up."},
				llm.ToolCall{ID: "a", Name: "create_agent", Arguments: `{"type":"general","instruction":"Look up A"}`},
				llm.ToolCall{ID: "b", Name: "create_agent", Arguments: `{"type":"general","instruction":"Look up B"}`},
			)
		}
	}
}

// wholes are requests whose answers come as a whole.
var wholes = map[string]stream{
	"OpenAI, a completion as a whole": {
		request{"POST", "/v1/chat/completions", `{"model":"WHOM","messages":[{"role":"user","content":"WHAT"}]}`}, "", "choices.*.message.content",
	},
	"OpenAI, a response as a whole": {request{"POST", "/v1/responses", `{"model":"WHOM","input":"WHAT"}`}, "", "output.*.content.*.text"},
	"MCP": {
		request{"POST", "/mcp", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{"message":"WHAT"}}}`}, "", "result.structuredContent.text",
	},
	"A2A, a task as a whole": {request{"POST", "/a2a/WHOM", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{` +
		`"kind":"message","messageId":"w","role":"user","parts":[{"kind":"text","text":"WHAT"}]}}}`}, "", "result.artifacts.*.parts.*.text"},
}

// What two agents found is told once each, and then what is concluded from it, once. The run
// goes on until that is said, and so does the answer, whichever the door.
func TestAConclusionIsToldOnceAfterAllResults(t *testing.T) {
	all := maps.Clone(streams)
	maps.Copy(all, wholes)
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model := &librarian{make(chan struct{}), make(chan struct{})}
		cfg.Model = model
		p := servertest.Enter(t, cfg)
		for name, s := range all {
			t.Run(name, func(t *testing.T) {
				id := "ann-" + nestor.NewID()
				ann := &client{Person: p.In(t).SignIn(id).WithKey("write")}
				answers := make(chan string, 1)
				go func() {
					_, answer := ann.asks(s.says("orchestrator", "Compare A and B."))
					answers <- answer
				}()
				<-model.concludes
				runs := (&client{Person: p.In(t)}).runs(id)
				if len(runs) != 1 || runs[0].Status != nestor.RunRunning {
					t.Errorf("while the conclusion is drawn the runs are %+v", runs)
				}
				<-model.goOn
				answer := <-answers
				told := s.told(answer)
				for _, text := range []string{"A is 1.", "B is 2.", "So B is greater."} {
					if n := strings.Count(told, text); n != 1 {
						t.Errorf("%q is told %d times in %q, by\n%s", text, n, told, answer)
					}
				}
				if !strings.HasSuffix(told, "So B is greater.") {
					t.Errorf("the conclusion is not the last word of %q", told)
				}
				p.Settled()
				if runs := (&client{Person: p.In(t)}).runs(id); len(runs) != 1 || runs[0].Status != nestor.RunSuccess {
					t.Errorf("in the end the runs are %+v", runs)
				}
			})
		}
	})
}
