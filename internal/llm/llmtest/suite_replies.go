package llmtest

import (
	"slices"
	"strings"

	"github.com/nestorhq/nestor/internal/llm"
)

func streamsText(h *harness) {
	want := []llm.Event{llm.Text{Text: "Grüezi, "}, llm.Text{Text: "\n\"Welt\" 🌍"}, llm.Text{Text: "."}, done}
	s := h.p.Wire.Serve(h, Turn{Events: want})
	h.same(h.events(h.model(s), ask("Hello?")), want)
}

func assemblesCalls(h *harness) {
	want := []llm.Event{
		llm.Text{Text: "Looking."},
		llm.ToolCall{ID: "c1", Name: "weather", Arguments: `{"city":"Zürich","days":[1,2,30],"note":"a \"b\" <c> \\ 🌧"}`},
		llm.ToolCall{ID: "c2", Name: "weather", Arguments: `{"city":"Bern","deep":{"a":{"b":null}}}`},
		llm.ToolCall{ID: "c3", Name: "clock", Arguments: `{}`},
		llm.Finish{Reason: llm.ReasonToolCalls},
	}
	s := h.p.Wire.Serve(h, Turn{Events: want})
	h.same(h.events(h.model(s), ask("Weather?")), want)
}

func keepsArguments(h *harness) {
	want := []llm.Event{
		llm.ToolCall{ID: "c1", Name: "a", Arguments: "{ \"z\": 1.50,\n\t\"a\": 12345678901234567890 }"},
		llm.ToolCall{ID: "c2", Name: "b", Arguments: `{"broken": tru`},
		llm.ToolCall{ID: "c3", Name: "c", Arguments: `{"one":1}{"two":2}`},
		llm.Finish{Reason: llm.ReasonToolCalls},
	}
	s := h.p.Wire.Serve(h, Turn{Events: want})
	h.same(h.events(h.model(s), ask("Go.")), want)
}

func namesCalls(h *harness) {
	turn := Turn{Events: []llm.Event{
		llm.ToolCall{Name: "clock"}, llm.ToolCall{Name: "clock"}, llm.Finish{Reason: llm.ReasonToolCalls},
	}}
	s := h.p.Wire.Serve(h, turn, turn)
	m := h.model(s)
	first, again := h.events(m, ask("Time?")), h.events(m, ask("Time?"))
	h.same(again, first)
	a, b := first[0].(llm.ToolCall), first[1].(llm.ToolCall)
	if a.ID == "" || b.ID == "" || a.ID == b.ID {
		h.Errorf("ids %q and %q: want two different ones", a.ID, b.ID)
	}
	if a.Arguments != "{}" {
		h.Errorf("a call without arguments has %q, want {}", a.Arguments)
	}
}

func returnsReasoning(h *harness) {
	events := []llm.Event{
		llm.Reasoning{Text: "Let me "},
		llm.Reasoning{Text: "think.", Signature: "sig-1"},
		llm.Text{Text: "Hm."},
		llm.ToolCall{ID: "c1", Name: "clock", Arguments: "{}", Signature: "sig-2"},
		llm.Finish{Reason: llm.ReasonToolCalls},
	}
	if h.p.Redacts {
		events = slices.Insert(events, 2, llm.Event(llm.Reasoning{Redacted: "enc-1"}))
	}
	s := h.p.Wire.Serve(h, Turn{Events: events}, Turn{Events: []llm.Event{done}})
	m := h.model(s)

	reply, err := llm.Collect(m.Generate(h.Context(), ask("Time?")))
	if err != nil {
		h.Fatal(err)
	}
	thought, ok := reply.Message.Parts[0].(llm.Reasoning)
	if !ok || thought.Text != "Let me think." {
		h.Errorf("the reply starts with %#v, want the reasoning", reply.Message.Parts[0])
	}
	next := ask("Time?")
	next.Messages = append(next.Messages, reply.Message, llm.Message{Role: llm.RoleTool, Parts: []llm.Part{
		llm.ToolResult{CallID: "c1", Name: "clock", Content: "noon"},
	}})
	h.events(m, next)
	for _, want := range h.p.Echo {
		h.contains(s.Requests()[1].Body, want)
	}
}

func dropsForeignState(h *harness) {
	s := h.p.Wire.Serve(h, Turn{Events: []llm.Event{done}})
	foreign := llm.Seal("other/model", "foreign-state")
	req := ask("Time?")
	req.Messages = append(req.Messages,
		llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{
			llm.Reasoning{Text: "Hm.", Signature: foreign},
			llm.Reasoning{Redacted: foreign},
			llm.ToolCall{ID: "functions.clock:0", Name: "clock", Arguments: "{}", Signature: foreign},
		}},
		llm.Message{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{CallID: "functions.clock:0", Content: "noon"}}},
	)
	h.events(h.model(s), req)
	h.lacks(s.Requests()[0].Body, "foreign-state")
	h.lacks(s.Requests()[0].Body, "other/model")
}

func countsTokens(h *harness) {
	usage := llm.Usage{Input: 1200, CachedInput: 1000, Output: 340, Reasoning: 300}
	if h.p.CacheWrites {
		usage.CacheWrite = 50
	}
	want := []llm.Event{llm.Text{Text: "Hi."}, usage, done}
	s := h.p.Wire.Serve(h, Turn{Events: want})
	h.same(h.events(h.model(s), ask("Hello?")), want)
}

func reportsRefusal(h *harness) {
	const why = "I will not: policy-7."
	s := h.p.Wire.Serve(h, Turn{Events: []llm.Event{llm.Text{Text: why}, llm.Finish{Reason: llm.ReasonRefusal, Detail: why}}})
	got := h.events(h.model(s), ask("Something bad."))
	if len(got) != 2 || got[0] != (llm.Text{Text: why}) {
		h.Fatalf("got %+v, want what was said and its end", got)
	}
	if finish, ok := got[1].(llm.Finish); !ok || finish.Reason != llm.ReasonRefusal ||
		!strings.Contains(finish.Detail, "policy-7") && !strings.Contains(finish.Detail, "SAFETY") { // Gemini has words of its own
		h.Errorf("the reply ends with %+v, want a refusal and its reason", got[1])
	}
}

func reportsLength(h *harness) {
	want := []llm.Event{llm.Text{Text: "Once upon a"}, llm.Finish{Reason: llm.ReasonLength}}
	s := h.p.Wire.Serve(h, Turn{Events: want})
	h.same(h.events(h.model(s), ask("A story.")), want)
}

func leavesCutCalls(h *harness) {
	want := []llm.Event{
		llm.ToolCall{ID: "c1", Name: "clock", Arguments: ""},
		llm.Finish{Reason: llm.ReasonLength},
	}
	s := h.p.Wire.Serve(h, Turn{Events: want})
	h.same(h.events(h.model(s), ask("Time?")), want)
}

func (h *harness) same(got, want []llm.Event) {
	h.Helper()
	if !slices.Equal(got, want) {
		h.Errorf("events\n got %+v\nwant %+v", got, want)
	}
}
