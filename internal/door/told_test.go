package door_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// spacious is a model that says something with space around it.
type spacious struct{}

func (spacious) Name() string { return "spacious" }

func (spacious) Generate(context.Context, *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		for _, piece := range []string{" \n", "\tHel", "lo,", " \n", " you.", " ", "\n"} {
			if !yield(llm.Text{Text: piece}, nil) {
				return
			}
		}
		yield(llm.Finish{Reason: llm.ReasonStop}, nil)
	}
}

// A client that prints each piece of an answer as it comes has printed the answer, once
// and nothing else, whichever the door.
func TestThePiecesOfAnAnswerAreTheAnswer(t *testing.T) {
	streams := map[string]struct {
		asks request
		// piece is where an event has a piece of the text.
		of, piece string
	}{
		"OpenAI, a completion": {
			request{"POST", "/v1/chat/completions", `{"model":"model:default","stream":true,"messages":[{"role":"user","content":"Hi"}]}`}, "", "choices.0.delta.content",
		},
		"OpenAI, a response": {request{"POST", "/v1/responses", `{"model":"model:default","stream":true,"input":"Hi"}`}, "response.output_text.delta", "delta"},
		"AG-UI": {
			request{"POST", "/agui/model:default", `{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"Hi"}]}`}, "TEXT_MESSAGE_CONTENT", "delta",
		},
		"AI SDK": {request{"POST", "/aisdk/model:default", `{"id":"t","messages":[{"id":"m","role":"user","parts":[{"type":"text","text":"Hi"}]}]}`}, "text-delta", "delta"},
		"A2A": {request{"POST", "/a2a/model:default", `{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{"message":{` +
			`"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"Hi"}]}}}`}, "", "result.artifact.parts.0.text"},
	}
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = spacious{}
		p := servertest.Enter(t, cfg)
		ann := p.SignIn("ann").WithKey("write")
		for name, s := range streams {
			t.Run(name, func(t *testing.T) {
				_, text := (&client{Person: ann.In(t)}).asks(s.asks)
				var told strings.Builder
				for line := range strings.Lines(text) {
					var event any
					data, ok := strings.CutPrefix(line, "data: ")
					if !ok || json.Unmarshal([]byte(data), &event) != nil {
						continue
					}
					if s.of == "" || at(event, "type") == s.of {
						piece, _ := at(event, s.piece).(string)
						told.WriteString(piece)
					}
				}
				if told.String() != "Hello, \n you." {
					t.Errorf("told is %q by\n%s", told.String(), text)
				}
			})
		}
		p.Settled()
	})
}

// at is what a value has at a place, nil if nothing.
func at(v any, place string) any {
	for step := range strings.SplitSeq(place, ".") {
		switch has := v.(type) {
		case map[string]any:
			v = has[step]
		case []any:
			if v = nil; len(has) > 0 && step == "0" {
				v = has[0]
			}
		default:
			return nil
		}
	}
	return v
}
