package condense

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/tokens"
)

func TestAMessageThatIsTooLargeIsCutInTheMiddle(t *testing.T) {
	result := llm.ToolResult{CallID: "call-1", Name: "search", Content: "HEAD " + words("x", 50_000) + " TAIL"}
	call := llm.ToolCall{ID: "call-1", Name: "search", Arguments: `{"q":"HEAD ` + words("x", 50_000) + ` TAIL"}`}
	for _, tt := range []struct {
		name  string
		req   *llm.Request
		turns []Turn
		note  string
	}{
		{"a question", &llm.Request{}, conversation(user("u1", "Hello"), user("u2", "HEAD "+words("x", 50_000)+" TAIL")), "are left out here …]"},
		{"an answer", &llm.Request{}, conversation(assistant("a1", "HEAD "+words("x", 50_000)+" TAIL"), user("u1", "Hello")), "are left out here …]"},
		{"a result that was not seen yet", readable, conversation(user("u1", "Hello"), step("1", result.Content)), `are left out here; read_result reads them by the id "call-1" …]`},
		{"a result that cannot be read back", &llm.Request{}, conversation(user("u1", "Hello"), step("1", result.Content)), "are left out here …]"},
		{"arguments", &llm.Request{}, conversation(user("u1", "Hello"),
			Turn{ID: "a1", Message: llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{call}}},
			Turn{ID: "a1-result", Message: llm.Message{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{CallID: "call-1", Name: "search"}}}}), "are left out here …]"},
	} {
		forTargets(t, tt.name, func(t *testing.T, target string) {
			model := says("A summary.")
			got := fit(t, Options{Model: model, Target: target, Threshold: 8_000}, tt.req, tt.turns)
			if got.Summary != nil || len(model.requests) > 0 || ids(got.Turns) != ids(tt.turns) {
				t.Fatalf("shows %q with %v", ids(got.Turns), got.Summary)
			}
			all := transcript(got.Turns)
			if !strings.Contains(all, "HEAD x word") || !strings.Contains(all, "word TAIL") || !strings.Contains(all, tt.note) {
				t.Errorf("it became %.100s … %s", all, all[len(all)-100:])
			}
			if n := tokens.Count("", all); n < 3_000 || n > 4_500 {
				t.Errorf("%d tokens are left of a room of 8,000", n)
			}
			for _, turn := range got.Turns {
				for _, p := range turn.Message.Parts {
					if c, ok := p.(llm.ToolCall); ok && !json.Valid([]byte(c.Arguments)) {
						t.Errorf("the arguments are no JSON: %.100s", c.Arguments)
					}
				}
			}
		})
	}
}

// forTargets tests with estimated tokens and with counted ones.
func forTargets(t *testing.T, name string, test func(t *testing.T, target string)) {
	for _, target := range []string{"claude-opus-5", "gpt-5"} {
		t.Run(name+" for "+target, func(t *testing.T) { test(t, target) })
	}
}

func TestTheLongestAreCutFirst(t *testing.T) {
	for _, tt := range []struct {
		name    string
		lengths []int
		room    int
		want    int
	}{
		{"nothing needs to be cut", []int{100, 40}, 140, math.MaxInt},
		{"the longest alone", []int{10, 100, 20}, 80, 50},
		{"several end up equal", []int{100, 10, 200}, 110, 50},
		{"all of them", []int{50, 60}, 20, 10},
		{"there is nothing", nil, 20, math.MaxInt},
		{"there is no room", []int{50}, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := waterLevel(tt.lengths, tt.room); got != tt.want {
				t.Errorf("the level is %d, want %d", got, tt.want)
			}
		})
	}
}

func TestALastStepThatIsTooMuchIsCutBesideTheSummary(t *testing.T) {
	turns := conversation(user("u1", words("old", 3_000)), assistant("a1", words("old", 3_000)), user("u2", words("QUESTION", 200)))
	calls := Turn{ID: "a2", Message: llm.Message{Role: llm.RoleAssistant}}
	var results []Turn
	for i, size := range []int{100, 3_000, 3_000, 3_000} {
		id := fmt.Sprint("call-", i)
		calls.Message.Parts = append(calls.Message.Parts, llm.ToolCall{ID: id, Name: "search", Arguments: "{}"})
		parts := []llm.Part{llm.ToolResult{CallID: id, Name: "search", Content: words("RESULT", size)}}
		results = append(results, Turn{ID: fmt.Sprint("r", i), Message: llm.Message{Role: llm.RoleTool, Parts: parts}})
	}
	turns = conversation(turns, calls, results)
	o := Options{Model: says("A summary."), Threshold: 8_000, SummaryTokens: 1_000}
	result := fit(t, o, readable, turns)
	if ids(result.Turns) != "summary a2 r0 r1 r2 r3" || result.Summary.Text != "A summary."+heading+words("QUESTION", 200) {
		t.Fatalf("shows %q with %+v", ids(result.Turns), result.Summary)
	}
	if !reflect.DeepEqual(result.Turns[2], results[0]) {
		t.Error("the small result was cut, too")
	}
	var sizes []int
	for _, turn := range result.Turns[3:] {
		sizes = append(sizes, tokens.Count("", content(turn)))
	}
	if sizes[0] < 1_500 || sizes[0]-sizes[2] > 100 || sizes[2]-sizes[0] > 100 {
		t.Errorf("the large results have %v tokens left", sizes)
	}
}

func TestReasoningAndMediaAreLeftOutOnlyIfNothingElseHelps(t *testing.T) {
	thought := llm.Reasoning{Text: words("hm", 300), Signature: "sig"}
	picture := llm.Media{MIMEType: "image/png", URL: "https://example.com/a.png"}
	turn := Turn{ID: "u1", Message: llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: words("x", 10_000)}, picture}}}
	spoke := Turn{ID: "a1", Message: llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{thought, llm.Text{Text: words("x", 10_000)}}}}
	for _, tt := range []struct {
		name      string
		turn      Turn
		threshold int
		opaque    llm.Part
		kept      bool
	}{
		{"a picture with room for it", turn, 6_000, picture, true},
		{"a picture that leaves no room", turn, 2_000, picture, false},
		{"a thought with room for it", spoke, 6_000, thought, true},
		{"a thought that leaves no room", spoke, 600, thought, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			result := fit(t, Options{Threshold: tt.threshold}, &llm.Request{}, []Turn{tt.turn})
			kept := false
			for _, p := range result.Turns[0].Message.Parts {
				kept = kept || reflect.DeepEqual(p, tt.opaque)
			}
			if kept != tt.kept || result.Summary != nil {
				t.Errorf("kept: %t, summary %v", kept, result.Summary)
			}
		})
	}
}

func TestHundredsOfCallsAtOnceAreSummarisedIfNothingElseHelps(t *testing.T) {
	turns := conversation(user("u1", "Compare all PRICES."))
	calls := Turn{ID: "a1", Message: llm.Message{Role: llm.RoleAssistant}}
	results := Turn{ID: "a1-results", Message: llm.Message{Role: llm.RoleTool}}
	for i := range 300 {
		id := fmt.Sprint("call-", i)
		calls.Message.Parts = append(calls.Message.Parts, llm.ToolCall{ID: id, Name: "search", Arguments: "{}"})
		results.Message.Parts = append(results.Message.Parts, llm.ToolResult{CallID: id, Name: "search", Content: words("x", 200)})
	}
	turns = append(turns, calls, results)
	result := fit(t, Options{Model: says("A summary."), Threshold: 5_000}, readable, turns)
	if ids(result.Turns) != "summary" || result.Summary.Through != "a1-results" || result.Summary.Text != "A summary."+heading+"Compare all PRICES." {
		t.Errorf("shows %q with %+v", ids(result.Turns), result.Summary)
	}
}

func TestASummaryMadeForMoreRoomIsCutForTheRequest(t *testing.T) {
	before := SummaryTurn("s", words("BEGIN", 8_000)+heading+"Count the BLUE ones.")
	turns := conversation(before, step("a1", "found"))
	result := fit(t, Options{Model: says("no"), Threshold: 4_000}, &llm.Request{}, turns)
	text := summaryText(result.Turns[0])
	if result.Summary != nil || ids(result.Turns) != "summary a1 a1-result" || result.Turns[0].ID != "s" ||
		!strings.HasPrefix(text, "BEGIN word") || !strings.HasSuffix(text, heading+"Count the BLUE ones.") {
		t.Errorf("shows %q with %v", ids(result.Turns), result.Summary)
	}
}
