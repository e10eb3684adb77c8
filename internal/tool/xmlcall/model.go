package xmlcall

import (
	"context"
	"crypto/rand"
	"fmt"
	"iter"

	"github.com/nestorhq/nestor/internal/llm"
)

// Wrap returns a model that takes requests with tools and tool calls, and holds
// the conversation with the given model in text alone, unless Options.Beside says
// otherwise.
//
// A call with an error is passed on like any other: with what could be read of
// its arguments, which the schema then rejects for the same reason, or with
// arguments that are no JSON. So it never runs, and its result tells the model
// why: in the second case the reason travels in the arguments, and is put into
// the result when the history goes back to the model.
//
// When a reply is ended early by Options.MaxCalls, usage that the provider
// would have reported at its end is not known and not made up.
func Wrap(m llm.Model, opts Options) llm.Model {
	if opts.NewPrefix == nil {
		opts.NewPrefix = func() string { return "xml_" + rand.Text() }
	}
	return &model{inner: m, opts: opts}
}

type model struct {
	inner llm.Model
	opts  Options
}

func (m *model) Name() string { return m.inner.Name() }

func (m *model) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		tools := req.Tools
		if req.ToolChoice == "none" {
			tools = nil
		}
		g, err := newGrammar(tools)
		if err != nil {
			yield(nil, err)
			return
		}
		r := reply{parser: newParser(g, m.opts), prefix: m.opts.NewPrefix(), beside: m.opts.Beside, yield: yield}
		inner := req
		if !m.opts.Beside {
			inner = g.request(req)
		}
		for ev, err := range m.inner.Generate(ctx, inner) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !r.event(ev) {
				return
			}
		}
	}
}

// reply passes one reply on.
type reply struct {
	parser *Parser
	prefix string
	beside bool
	calls  int // in the text
	yield  func(llm.Event, error) bool
}

// event reports whether the reply goes on.
func (r *reply) event(ev llm.Event) bool {
	switch ev := ev.(type) {
	case llm.Text:
		if !r.pass(r.parser.Feed(ev.Text)) {
			return false
		}
		if r.parser.Done() && !r.beside { // or calls of the other kind may follow
			r.yield(llm.Finish{Reason: llm.ReasonToolCalls}, nil)
			return false
		}
		return true
	case llm.Finish:
		if !r.pass(r.parser.Close()) {
			return false
		}
		if r.calls > 0 && ev.Reason != llm.ReasonRefusal {
			ev.Reason = llm.ReasonToolCalls
		}
		r.yield(ev, nil)
		return false
	default:
		return r.yield(ev, nil)
	}
}

func (r *reply) pass(events []Event) bool {
	for _, ev := range events {
		var out llm.Event = llm.Text{Text: ev.Text}
		if ev.Call != nil {
			out = llm.ToolCall{
				ID:        fmt.Sprintf("%s_%d", r.prefix, r.calls),
				Name:      ev.Call.Name,
				Arguments: argumentsText(ev.Call),
			}
			r.calls++
		}
		if !r.yield(out, nil) {
			return false
		}
	}
	return true
}
