package condense

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// words is a text of n tokens that starts with a label.
func words(label string, n int) string { return label + strings.Repeat(" word", n-1) }

func user(id, text string) Turn {
	return Turn{ID: id, Message: llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: text}}}}
}

func assistant(id, text string) Turn {
	return Turn{ID: id, Message: llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{llm.Text{Text: text}}}}
}

// step is a call and its result.
func step(id, result string) []Turn {
	call := llm.ToolCall{ID: "call-" + id, Name: "search", Arguments: `{"query":"` + id + `"}`}
	answer := llm.ToolResult{CallID: call.ID, Name: call.Name, Content: result}
	return []Turn{
		{ID: id, Message: llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{call}}},
		{ID: id + "-result", Message: llm.Message{Role: llm.RoleTool, Parts: []llm.Part{answer}}},
	}
}

func conversation(parts ...any) (turns []Turn) {
	for _, p := range parts {
		switch p := p.(type) {
		case Turn:
			turns = append(turns, p)
		case []Turn:
			turns = append(turns, p...)
		}
	}
	return turns
}

func ids(turns []Turn) string {
	var list []string
	for _, t := range turns {
		if t.Summary {
			t.ID = "summary"
		}
		list = append(list, t.ID)
	}
	return strings.Join(list, " ")
}

// content is all that a turn says.
func content(t Turn) string { return transcript([]Turn{t}) }

// asked is what a summarising model read.
func asked(req *llm.Request) string { return plainText(req.Messages[0]) }

var readable = &llm.Request{System: "Be brief.", Tools: []llm.Tool{{Name: readTool, Description: "Reads a result."}}}

func says(text string) *summariser {
	return &summariser{say: func(int, *llm.Request) (string, error) { return text, nil }}
}

func fit(t *testing.T, o Options, req *llm.Request, turns []Turn) Result {
	t.Helper()
	o = o.withDefaults()
	result, err := Fit(t.Context(), o, req, turns)
	if err != nil {
		t.Fatal(err)
	}
	whole := &llm.Request{System: req.System, Tools: req.Tools, Messages: messages(result.Turns)}
	if n := o.Meter.Request(o.Target, whole); n > o.Threshold {
		t.Fatalf("the result takes %d tokens of %d", n, o.Threshold)
	}
	return result
}

// refusal is a model that declines.
type refusal struct{ summariser }

func (*refusal) Generate(context.Context, *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		_ = yield(llm.Text{Text: "I cannot help with that."}, nil) && yield(llm.Finish{Reason: llm.ReasonRefusal}, nil)
	}
}

// summariser is a model whose replies are a function of the request.
type summariser struct {
	name     string // "summariser" if empty
	say      func(call int, req *llm.Request) (string, error)
	requests []*llm.Request
}

func (m *summariser) Name() string { return cmp.Or(m.name, "summariser") }

func (m *summariser) Generate(_ context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	m.requests = append(m.requests, req)
	return func(yield func(llm.Event, error) bool) {
		text, err := m.say(len(m.requests), req)
		if err != nil {
			yield(nil, err)
			return
		}
		_ = yield(llm.Text{Text: text}, nil) && yield(llm.Usage{Input: 100, Output: 10}, nil) &&
			yield(llm.Finish{Reason: llm.ReasonStop}, nil)
	}
}

// summarisers are the good and the bad.
var summarisers = map[string]func(call int, req *llm.Request) (string, error){
	"brief":    func(call int, _ *llm.Request) (string, error) { return fmt.Sprintf("Summary %d.", call), nil },
	"as asked": func(int, *llm.Request) (string, error) { return strings.Repeat("word ", 60), nil },
	"silent":   func(int, *llm.Request) (string, error) { return " \n", nil },
	"verbose":  func(int, *llm.Request) (string, error) { return strings.Repeat("and so on ", 50_000), nil },
	"failing": func(int, *llm.Request) (string, error) {
		return "", nestor.Errorf(nestor.CodeUnavailable, "overloaded")
	},
	"foreign": func(int, *llm.Request) (string, error) { return "", errors.New("no code at all") },
	"mimic": func(int, *llm.Request) (string, error) {
		return "Well." + heading + "Something the user never said.", nil
	},
	"flaky": func(call int, _ *llm.Request) (string, error) {
		if call > 1 {
			return "", nestor.Errorf(nestor.CodeTooLarge, "too large")
		}
		return "The beginning.", nil
	},
}
