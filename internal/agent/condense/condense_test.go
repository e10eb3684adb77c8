package condense

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/tokens"
)

func TestAConversationBelowTheThresholdPassesUnchanged(t *testing.T) {
	turns := conversation(user("u1", "Hello"), step("a1", words("result", 5_000)), assistant("a2", "Hi"), user("u2", "More"))
	model := says("A summary.")
	result := fit(t, Options{Model: model, Threshold: 6_000}, readable, turns)
	if result.Summary != nil || len(model.requests) > 0 || !reflect.DeepEqual(result.Turns, turns) {
		t.Errorf("got %s and %v", ids(result.Turns), result.Summary)
	}
}

// An agent that works on one thing for long makes hundreds of steps. Each
// request must fit, the instruction stay known and summaries be rare.
func TestALongRunNeedsFewSummaries(t *testing.T) {
	o := Options{Model: says(words("Summary", 800)), Threshold: 20_000, SummaryTokens: 1_000, Reserve: 1_000}
	stored := conversation(user("u1", "Read ALL pages."))
	covered, summary, summaries := 0, []Turn(nil), 0
	for i := range 200 {
		stored = append(stored, step(fmt.Sprint("a", i), words("page", 400))...)
		result := fit(t, o, &llm.Request{}, append(summary, stored[covered:]...))
		if s := result.Summary; s != nil {
			summaries++
			summary = []Turn{SummaryTurn("s", s.Text)}
			for stored[covered].ID != s.Through {
				covered++
			}
			covered++
		}
		if all := transcript(result.Turns); !strings.Contains(all, "Read ALL pages.") || !strings.HasSuffix(all, content(stored[len(stored)-1])) {
			t.Fatalf("step %d does not know the task or its last result", i)
		}
	}
	if summaries < 5 || summaries > 10 {
		t.Errorf("%d summaries of 200 steps", summaries)
	}
}

func TestTheTokensOfTheTargetCount(t *testing.T) {
	meter := &tokens.Meter{}
	for range 16 {
		meter.Learn("target", &llm.Request{System: words("x", 2_000)}, 4_000)
	}
	turns := conversation(user("u1", words("x", 600)), user("u2", words("y", 600)), user("u3", "newer"))
	o := Options{Model: says("A summary."), Meter: meter, Threshold: 2_000}
	if s := fit(t, o, &llm.Request{}, turns).Summary; s != nil {
		t.Errorf("a summary of 1,200 tokens: %+v", s)
	}
	o.Target = "target"
	if s := fit(t, o, &llm.Request{}, turns).Summary; s == nil {
		t.Error("no summary of what is 2,400 tokens for the target")
	}
}

func TestDefaults(t *testing.T) {
	for _, tt := range []struct {
		name            string
		given           Options
		target          string
		threshold, read int
	}{
		{"an unknown model", Options{Model: says("")}, "summariser", 102_400, 128_000},
		{"a small target", Options{Model: says(""), Target: "gpt-4"}, "gpt-4", 6_552, 128_000},
		{"a large target", Options{Model: says(""), Target: "gpt-5"}, "gpt-5", 120_000, 128_000},
		{"as given", Options{Model: says(""), Threshold: 7, ModelWindow: 8}, "summariser", 7, 8},
		{"no model", Options{}, "", 102_400, 0},
	} {
		o := tt.given.withDefaults()
		if o.Target != tt.target || o.Threshold != tt.threshold || o.ModelWindow != tt.read || o.Meter == nil ||
			o.SummaryTokens != 10_000 || o.Reserve != 5_000 || o.LargeResult != 1_000 {
			t.Errorf("%s: %+v", tt.name, o)
		}
	}
}
