package condense

import (
	"reflect"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
)

func TestLargeResultsBecomeStubs(t *testing.T) {
	turns := conversation(
		user("u1", "Find it"),
		step("a1", words("first", 3_000)), step("a2", words("small", 300)), step("a3", words("second", 3_000)), step("a4", words("third", 3_000)),
		assistant("a5", "Not yet"), user("u2", "Go on"), step("a6", words("unseen", 3_000)),
	)
	for _, tt := range []struct {
		name      string
		req       *llm.Request
		threshold int
		stubs     string // the calls whose results are stubs
		summary   bool
	}{
		{"none below the threshold", readable, 13_000, "", false},
		{"the oldest first", readable, 12_000, "call-a1", false},
		{"as many as it takes", readable, 9_000, "call-a1 call-a3", false},
		{"all but the unseen and the small", readable, 5_500, "call-a1 call-a3 call-a4", false},
		{"the unseen stay even if a summary is needed", readable, 3_700, "", true},
		{"none if there is no way to read them back", &llm.Request{}, 12_000, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			result := fit(t, Options{Model: says("A summary."), Threshold: tt.threshold, SummaryTokens: 200, Reserve: 100}, tt.req, turns)
			var stubs []string
			for _, turn := range result.Turns {
				for _, p := range turn.Message.Parts {
					if r, ok := p.(llm.ToolResult); ok && strings.Contains(r.Content, "no longer shown") {
						stubs = append(stubs, r.CallID)
					}
				}
			}
			if got := strings.Join(stubs, " "); got != tt.stubs {
				t.Errorf("stubs for %q, want %q", got, tt.stubs)
			}
			if (result.Summary != nil) != tt.summary {
				t.Errorf("summary: %v", result.Summary)
			}
			if last := result.Turns[len(result.Turns)-1]; !reflect.DeepEqual(last, turns[len(turns)-1]) {
				t.Errorf("the last result became %q", content(last))
			}
		})
	}
}

func TestAStubSaysWhatWasThereAndHowToReadIt(t *testing.T) {
	turns := conversation(user("u1", "Find it"), step("a1", words("The rivers of Europe:", 3_000)), user("u2", "Go on"), assistant("a2", "Yes"))
	result := fit(t, Options{Threshold: 2_000}, readable, turns)
	got := content(result.Turns[2])
	for _, want := range []string{"15016 characters", "about 3004 tokens", `"The rivers of Europe: word word`, "call read_result", `"call-a1"`} {
		if !strings.Contains(got, want) {
			t.Errorf("the stub lacks %q: %s", want, got)
		}
	}
}

func TestImagesOfOldResultsAreLeftOutBeforeAnythingElse(t *testing.T) {
	pictured := func(id string) []Turn {
		turns := step(id, "[an image of "+id+"]")
		result := turns[1].Message.Parts[0].(llm.ToolResult)
		result.Media = []llm.Media{{MIMEType: "image/png", Data: []byte("png")}}
		turns[1].Message.Parts = []llm.Part{result}
		return turns
	}
	turns := conversation(user("u1", "Look"), pictured("a1"), pictured("a2"), step("a3", words("text", 3_000)), pictured("a4"))
	for _, tt := range []struct {
		name      string
		threshold int
		shown     string // the calls whose images are shown
		summary   bool
	}{
		{"none below the threshold", 9_000, "call-a1 call-a2 call-a4", false},
		{"the oldest first", 7_500, "call-a2 call-a4", false},
		{"as many as it takes", 6_000, "call-a4", false},
		{"the unseen stay, and text goes", 4_000, "call-a4", true},
		{"the unseen go if nothing else helps", 1_300, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			result := fit(t, Options{Model: says("A summary."), Threshold: tt.threshold, SummaryTokens: 200, Reserve: 100}, &llm.Request{}, turns)
			var shown []string
			for _, turn := range result.Turns {
				for _, p := range turn.Message.Parts {
					r, ok := p.(llm.ToolResult)
					if ok && len(r.Media) > 0 {
						shown = append(shown, r.CallID)
					}
					if ok && r.CallID != "call-a3" && !strings.HasPrefix(r.Content, "[an image of ") {
						t.Errorf("the description is gone: %s", r.Content)
					}
				}
			}
			if got := strings.Join(shown, " "); got != tt.shown || (result.Summary != nil) != tt.summary {
				t.Errorf("shown: %s; summary: %v", got, result.Summary)
			}
		})
	}
	for _, turn := range turns {
		if r, ok := turn.Message.Parts[0].(llm.ToolResult); ok && r.CallID == "call-a1" && len(r.Media) != 1 {
			t.Error("the conversation itself was changed")
		}
	}
}
