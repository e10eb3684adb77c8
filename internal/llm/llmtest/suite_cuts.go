package llmtest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor/internal/llm"
)

// ignoresCuts checks any reply under any division of its bytes into reads.
func ignoresCuts(h *harness) {
	rapid.Check(h, func(t *rapid.T) {
		stream := h.p.Wire.Transcript(genReply(t))
		cuts := rapid.SliceOfN(rapid.IntRange(0, len(stream)), 0, 40).Draw(t, "cuts")
		slices.Sort(cuts)

		whole := h.replayed(t, stream)
		if len(whole) == 0 {
			t.Fatal("no events")
		}
		if cut := h.replayed(t, stream, cuts...); !slices.Equal(cut, whole) {
			t.Fatalf("cut at %v\n got %+v\nwant %+v", cuts, cut, whole)
		}
	})
}

func (h *harness) replayed(t *rapid.T, stream []byte, cuts ...int) []llm.Event {
	m := h.connect(llm.Target{BaseURL: "http://replay.invalid", HTTPClient: Replay(stream, cuts...)})
	events, err := h.call(h.Context(), m, ask("Hello?"))
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func genReply(t *rapid.T) []llm.Event {
	text := rapid.StringN(1, 30, -1)
	var events []llm.Event
	for range rapid.IntRange(0, 3).Draw(t, "thoughts") {
		events = append(events, llm.Reasoning{Text: text.Draw(t, "thought")})
	}
	for range rapid.IntRange(0, 4).Draw(t, "texts") {
		events = append(events, llm.Text{Text: text.Draw(t, "text")})
	}
	for range rapid.IntRange(0, 3).Draw(t, "calls") {
		arguments := encode(rapid.MapOfN(text, text, 0, 3).Draw(t, "arguments"))
		events = append(events, llm.ToolCall{
			ID:        rapid.StringMatching(`[a-z0-9]{1,8}`).Draw(t, "id"),
			Name:      rapid.StringMatching(`[a-z_]{1,12}`).Draw(t, "name"),
			Arguments: arguments,
		})
	}
	return append(events, llm.Usage{Input: 10, Output: 5}, done)
}
