package door_test

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
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

// stream is a request whose answer comes in pieces, or as a whole.
type stream struct {
	asks request
	// of is the type of the events that tell text, "" for all, and text is where they have it.
	of, text string
}

// streams are requests that say WHAT to WHOM.
var streams = map[string]stream{
	"OpenAI, a completion": {
		request{"POST", "/v1/chat/completions", `{"model":"WHOM","stream":true,"messages":[{"role":"user","content":"WHAT"}]}`}, "", "choices.*.delta.content",
	},
	"OpenAI, a response": {request{"POST", "/v1/responses", `{"model":"WHOM","stream":true,"input":"WHAT"}`}, "response.output_text.delta", "delta"},
	"AG-UI": {
		request{"POST", "/agui/WHOM", `{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"WHAT"}]}`}, "TEXT_MESSAGE_CONTENT", "delta",
	},
	"AI SDK": {request{"POST", "/aisdk/WHOM", `{"id":"t","messages":[{"id":"m","role":"user","parts":[{"type":"text","text":"WHAT"}]}]}`}, "text-delta", "delta"},
	"A2A": {request{"POST", "/a2a/WHOM", `{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{"message":{` +
		`"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"WHAT"}]}}}`}, "", "result.artifact.parts.*.text"},
}

// says is the request that says something to somebody.
func (s *stream) says(whom, what string) request {
	r := strings.NewReplacer("WHOM", whom, "WHAT", what)
	return request{s.asks.method, r.Replace(s.asks.path), r.Replace(s.asks.body)}
}

// told is the text of an answer, all pieces together.
func (s *stream) told(answer string) string {
	var told strings.Builder
	for line := range strings.Lines(answer) {
		var event any
		if json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &event) != nil {
			continue
		}
		if s.of == "" || slices.Contains(texts(event, "type"), s.of) {
			told.WriteString(strings.Join(texts(event, s.text), ""))
		}
	}
	return told.String()
}

// texts are what a value has at a place, where * stands for each of a list.
func texts(v any, place string) (all []string) {
	if text, ok := v.(string); ok && place == "" {
		return []string{text}
	}
	step, rest, _ := strings.Cut(place, ".")
	switch has := v.(type) {
	case map[string]any:
		return texts(has[step], rest)
	case []any:
		for _, one := range has {
			all = append(all, texts(one, rest)...)
		}
	}
	return all
}

// A client that prints each piece of an answer as it comes has printed the answer, once
// and nothing else, whichever the door.
func TestThePiecesOfAnAnswerAreTheAnswer(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = spacious{}
		p := servertest.Enter(t, cfg)
		ann := p.SignIn("ann").WithKey("write")
		for name, s := range streams {
			t.Run(name, func(t *testing.T) {
				_, answer := (&client{Person: ann.In(t)}).asks(s.says("model:default", "Hi"))
				if told := s.told(answer); told != "Hello, \n you." {
					t.Errorf("told is %q by\n%s", told, answer)
				}
			})
		}
		p.Settled()
	})
}
