package door_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// clerk is a model that asks something, computes something when it is answered, and says
// so once it is let go on.
type clerk struct{ computed, goOn chan struct{} }

func (*clerk) Name() string { return "clerk" }

func (c *clerk) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		says := []llm.Event{llm.ToolCall{ID: "asks", Name: "ask_user", Arguments: `{"question":"Which sum?"}`}}
		switch last := req.Messages[len(req.Messages)-1]; {
		case strings.Contains(req.System, "Write a title"):
			says = []llm.Event{llm.Text{Text: "Sums"}}
		case last.Role == llm.RoleTool:
			for _, at := range []chan struct{}{c.computed, c.goOn} {
				select {
				case at <- struct{}{}:
				case <-ctx.Done():
					yield(nil, ctx.Err())
					return
				}
			}
			says = []llm.Event{llm.Text{Text: "That makes 42."}}
		case last.Parts[0] == llm.Text{Text: "The usual one."}:
			says = []llm.Event{llm.ToolCall{ID: "computes", Name: "calculator", Arguments: `{"expression":"6*7"}`}}
		}
		for _, e := range append(says, llm.Finish{Reason: llm.ReasonStop}) {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// A message that answers an agent is part of the agent's run, which may be known only when the
// agent has done half of its work. All of it is told, once and in order.
func TestWhatAnAgentDoesWithAnAnswerIsToldInOrder(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model, late := &clerk{make(chan struct{}), make(chan struct{})}, make(chan struct{})
		cfg.Model = model
		cfg.Triggers = []nestor.Trigger{{
			ID: "late", Collection: "users/*/orch-chats/*/messages", Events: []nestor.ChangeType{nestor.Create},
			Condition: "event.document.data.content == 'The usual one.'", Action: "POST /webhook/late",
		}}
		cfg.Handlers = map[string]server.Handler{"late": func(ctx context.Context, _ *server.Job) (server.Effect, error) {
			select { // the run of the message is not looked at before this
			case <-late:
			case <-ctx.Done():
			}
			return nil, ctx.Err()
		}}
		p := servertest.Enter(t, cfg)
		for name, told := range map[string][]string{
			"AG-UI":  {`"TOOL_CALL_START"`, `"TOOL_CALL_RESULT"`, `"That makes 42."`},
			"AI SDK": {`"tool-input-available"`, `"tool-output-available"`, `"That makes 42."`},
		} {
			t.Run(name, func(t *testing.T) {
				id, s := "ann-"+nestor.NewID(), streams[name]
				ann := &client{Person: p.In(t).SignIn(id).WithKey("write")}
				if _, answer := ann.asks(s.says("agent:general", "Compute something.")); !strings.Contains(answer, "Which sum?") {
					t.Fatalf("it does not ask: %s", answer)
				}
				answers := make(chan string, 1)
				go func() {
					again := s.says("agent:general", "The usual one.")
					again.body = strings.Replace(again.body, `"id":"m"`, `"id":"m2"`, 1)
					_, answer := ann.asks(again)
					answers <- answer
				}()
				<-model.computed
				late <- struct{}{}
				for (&client{Person: p.In(t)}).runs(id)[0].JoinedTo == "" { // until it is known whose run it is
				}
				<-model.goOn
				answer := <-answers
				rest := answer
				for _, text := range told {
					before, after, found := strings.Cut(rest, text)
					if rest = after; !found || strings.Count(answer, text) != 1 {
						t.Fatalf("%s is told %d times, and not in order, after\n%s\nin\n%s", text, strings.Count(answer, text), before, answer)
					}
				}
			})
		}
		p.Settled()
	})
}
