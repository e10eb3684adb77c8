package xmlcall

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// textModel speaks the given events and keeps what it was asked.
type textModel struct {
	events []llm.Event
	err    error
	asked  *llm.Request
	said   int
}

func (m *textModel) Name() string { return "plain" }

func (m *textModel) Generate(_ context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		m.asked = req
		for _, ev := range m.events {
			m.said++
			if !yield(ev, nil) {
				return
			}
		}
		if m.err != nil {
			yield(nil, m.err)
		}
	}
}

func wrapTest(m *textModel, opts Options) llm.Model {
	if opts.NewPrefix == nil {
		opts.NewPrefix = func() string { return "id" }
	}
	return Wrap(m, opts)
}

// generate returns one line per event.
func generate(t *testing.T, m llm.Model, req *llm.Request) string {
	t.Helper()
	var lines []string
	for ev, err := range m.Generate(t.Context(), req) {
		if err != nil {
			lines = append(lines, "error "+err.Error())
			break
		}
		lines = append(lines, describe(ev))
	}
	return strings.Join(lines, "\n")
}

func describe(ev llm.Event) string {
	switch ev := ev.(type) {
	case llm.Text:
		return "text " + ev.Text
	case llm.Reasoning:
		return "think " + ev.Text
	case llm.ToolCall:
		return fmt.Sprintf("call %s %s %s", ev.ID, ev.Name, ev.Arguments)
	case llm.Usage:
		return fmt.Sprintf("usage %d", ev.Input)
	case llm.Finish:
		return "finish " + string(ev.Reason)
	}
	return fmt.Sprintf("%T", ev)
}

func TestWrapTurnsTextIntoToolCalls(t *testing.T) {
	tools := testTools()
	tests := []struct {
		name   string
		opts   Options
		choice string
		events []llm.Event
		want   string
	}{
		{
			name:   "calls come with ids in order and finish with tool_calls",
			events: []llm.Event{llm.Text{Text: "See <no"}, llm.Text{Text: "w/><ask>a</ask>"}, llm.Usage{Input: 1}, llm.Finish{Reason: llm.ReasonStop}},
			want: "text See \ncall id_0 now {}\n" +
				"call id_1 ask {\"question\":\"a\"}\n" +
				"usage 1\nfinish tool_calls",
		},
		{
			name:   "text alone keeps its reason and what was held back",
			events: []llm.Event{llm.Reasoning{Text: "hm"}, llm.Text{Text: "a <ask>"}, llm.Finish{Reason: llm.ReasonLength}},
			want:   "think hm\ntext a \ntext <ask>\nfinish length",
		},
		{
			name:   "a refusal stays one",
			events: []llm.Event{llm.Text{Text: "<now/>"}, llm.Finish{Reason: llm.ReasonRefusal}},
			want:   "call id_0 now {}\nfinish refusal",
		},
		{
			name:   "a call with wrong values keeps them for the validator",
			events: []llm.Event{llm.Text{Text: `<write-file m="x">c</write-file>`}, llm.Finish{Reason: llm.ReasonStop}},
			want:   "call id_0 write_file {\"mode\":\"x\",\"content\":\"c\"}\nfinish tool_calls",
		},
		{
			name:   "a call that cannot be read is no JSON and says why",
			events: []llm.Event{llm.Text{Text: `<now really/>`}, llm.Finish{Reason: llm.ReasonStop}},
			want:   "call id_0 now malformed call: <now>: attribute really needs a value in quotes\n<now really/>\nfinish tool_calls",
		},
		{
			name:   "without permission to call, calls are text",
			choice: "none",
			events: []llm.Event{llm.Text{Text: "<now/>"}, llm.Finish{Reason: llm.ReasonStop}},
			want:   "text <now/>\nfinish stop",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := wrapTest(&textModel{events: tt.events}, tt.opts)
			if got := generate(t, m, &llm.Request{Tools: tools, ToolChoice: tt.choice}); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestWrapStopsTheStreamAtTheCap(t *testing.T) {
	tools := testTools()
	inner := &textModel{events: []llm.Event{
		llm.Text{Text: "<now/> and <now/> and"}, llm.Text{Text: " more"}, llm.Finish{Reason: llm.ReasonStop},
	}}
	got := generate(t, wrapTest(inner, Options{MaxCalls: 1}), &llm.Request{Tools: tools})
	if want := "call id_0 now {}\nfinish tool_calls"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if inner.said != 1 {
		t.Errorf("the model said %d events, want it stopped after 1", inner.said)
	}
}

func TestCallsInTheTextCountBesideTheProvidersOwn(t *testing.T) {
	inner := &textModel{events: []llm.Event{
		llm.Text{Text: "a <now/> b <now/> c"}, llm.ToolCall{ID: "n1", Name: "ask", Arguments: `{"question":"why"}`}, llm.Finish{Reason: llm.ReasonToolCalls},
	}}
	req := &llm.Request{System: "Be brief.", Tools: testTools(), Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "go"}}}}}
	got := generate(t, wrapTest(inner, Options{Beside: true, MaxCalls: 1}), req)
	if want := "text a \ncall id_0 now {}\ncall n1 ask {\"question\":\"why\"}\nfinish tool_calls"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if inner.asked != req {
		t.Errorf("the model was asked %+v", inner.asked)
	}
}

func TestWrapPassesFailuresOn(t *testing.T) {
	tools := testTools()
	inner := &textModel{events: []llm.Event{llm.Text{Text: "a"}}, err: nestor.Errorf(nestor.CodeRateLimited, "slow down")}
	if got := generate(t, wrapTest(inner, Options{}), &llm.Request{Tools: tools}); got != "text a\nerror slow down" {
		t.Errorf("got %s", got)
	}
	bad := []llm.Tool{{Name: "function_calls"}}
	for _, err := range wrapTest(&textModel{}, Options{}).Generate(t.Context(), &llm.Request{Tools: bad}) {
		if !errors.Is(err, nestor.ErrInvalid) {
			t.Errorf("a tool that cannot be written: %v", err)
		}
	}
}

func TestWrapSpeaksTextToTheModel(t *testing.T) {
	tools := testTools()
	inner := &textModel{events: []llm.Event{llm.Finish{Reason: llm.ReasonStop}}}
	req := &llm.Request{
		System: "Be kind.",
		Tools:  tools,
		Messages: []llm.Message{
			{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "hi"}}},
			{Role: llm.RoleAssistant, Parts: []llm.Part{
				llm.Reasoning{Text: "hm", Signature: "s"},
				llm.Text{Text: "Looking."},
				llm.ToolCall{ID: "1", Name: "write_file", Arguments: `{"path":"a\"b","content":"<p>"}`},
				llm.ToolCall{ID: "2", Name: "gone", Arguments: `{"n":1}`},
				llm.ToolCall{ID: "3", Name: "now", Arguments: "malformed call: why\n<now really/>"},
				llm.ToolCall{ID: "4", Name: "now", Arguments: `{"a":`},
			}},
			{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{CallID: "1", Name: "write_file", Content: "<ok/> </tool_result> &"}}},
			{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{CallID: "2", Name: "gone", Content: "no such tool", IsError: true}}},
			{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{CallID: "3", Name: "now", Content: "not valid JSON", IsError: true}}},
			{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "and now?"}}},
		},
	}
	generate(t, wrapTest(inner, Options{}), req)

	want := `user: hi
assistant: (hm s)Looking.
<write-file path="a&quot;b">&lt;p&gt;</write-file>
<function_calls>
<invoke name="gone">
<parameter name="n">1</parameter>
</invoke>
</function_calls>
<now really/>
<now>{"a":</now>
user: <tool_result name="write_file">
<ok/> &lt;/tool_result> &
</tool_result>
<tool_result name="gone" status="error">
no such tool
</tool_result>
<tool_result name="now" status="error">
The call could not be read: why
</tool_result>
and now?
`
	var got strings.Builder
	for _, m := range inner.asked.Messages {
		fmt.Fprintf(&got, "%s: ", m.Role)
		for _, part := range m.Parts {
			switch part := part.(type) {
			case llm.Text:
				got.WriteString(part.Text)
			case llm.Reasoning:
				fmt.Fprintf(&got, "(%s %s)", part.Text, part.Signature)
			default:
				fmt.Fprintf(&got, "%T", part)
			}
		}
		got.WriteString("\n")
	}
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
	if inner.asked.Tools != nil || inner.asked.ToolChoice != "" {
		t.Error("the model was offered native tools")
	}
	if s := inner.asked.System; !strings.HasPrefix(s, "Be kind.\n\n# Tools\n") || !strings.Contains(s, "## write_file") {
		t.Errorf("system prompt:\n%s", s)
	}
	if len(req.Messages) != 6 || len(req.Tools) == 0 {
		t.Error("the caller's request was changed")
	}
}

func TestWrapLeavesARequestWithoutToolsAlone(t *testing.T) {
	inner := &textModel{events: []llm.Event{llm.Text{Text: "<function_calls><invoke name=\"now\"/>"}, llm.Finish{Reason: llm.ReasonStop}}}
	got := generate(t, wrapTest(inner, Options{}), &llm.Request{System: "Be kind."})
	if want := "text <function_calls><invoke name=\"now\"/>\nfinish stop"; got != want {
		t.Errorf("got %s", got)
	}
	if inner.asked.System != "Be kind." {
		t.Errorf("system prompt: %s", inner.asked.System)
	}
}

func TestCallIDsDifferBetweenReplies(t *testing.T) {
	tools := testTools()
	inner := &textModel{events: []llm.Event{llm.Text{Text: "<now/><now/>"}, llm.Finish{Reason: llm.ReasonStop}}}
	m := Wrap(inner, Options{})
	seen := map[string]bool{}
	for range 3 {
		for ev, err := range m.Generate(t.Context(), &llm.Request{Tools: tools}) {
			if err != nil {
				t.Fatal(err)
			}
			if call, ok := ev.(llm.ToolCall); ok {
				if seen[call.ID] {
					t.Errorf("id %s was used before", call.ID)
				}
				seen[call.ID] = true
			}
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d ids, want 6", len(seen))
	}
}
