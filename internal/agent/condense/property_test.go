package condense

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/tokens"
)

// anyText draws texts of all sizes, most of them small.
func anyText(t *rapid.T, label string) string {
	word := rapid.SampledFrom([]string{"word ", "a", "中文字", "{\"k\":1}", "\n", "Überraschung ", "🎉", "\xff"}).Draw(t, label+" word")
	length := rapid.SampledFrom([]int{0, 1, 10, 10, 30, 30, 100, 100, 500, 2_000, 5_000}).Draw(t, label+" length")
	return label + " " + strings.Repeat(word, length)
}

// anyConversation draws turns in which every call is answered, after a summary
// or from the beginning.
func anyConversation(t *rapid.T) (turns []Turn) {
	add := func(role llm.Role, parts ...llm.Part) {
		turns = append(turns, Turn{ID: fmt.Sprint("t", len(turns)), Message: llm.Message{Role: role, Parts: parts}})
	}
	switch rapid.IntRange(0, 3).Draw(t, "summary before") {
	case 0:
		turns = append(turns, SummaryTurn("s", anyText(t, "before")))
	case 1:
		turns = append(turns, SummaryTurn("s", anyText(t, "before")+heading+anyText(t, "asked")))
	}
	for range rapid.IntRange(0, 12).Draw(t, "steps") {
		i := len(turns)
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0, 1:
			parts := []llm.Part{llm.Text{Text: anyText(t, fmt.Sprint("user", i))}}
			if rapid.IntRange(0, 5).Draw(t, "media") == 0 {
				parts = append(parts, llm.Media{MIMEType: "image/png", URL: "https://example.com/a.png"})
			}
			add(llm.RoleUser, parts...)
		case 2:
			add(llm.RoleAssistant, llm.Text{Text: anyText(t, fmt.Sprint("answer", i))})
		default:
			anyCalls(t, i, add)
		}
	}
	return turns
}

func anyCalls(t *rapid.T, i int, add func(llm.Role, ...llm.Part)) {
	var calls, results []llm.Part
	if rapid.Bool().Draw(t, "reasoning") {
		calls = append(calls, llm.Reasoning{Text: anyText(t, "thought"), Signature: "sig"})
	}
	for j := range rapid.SampledFrom([]int{1, 1, 2, 3, 60}).Draw(t, "calls") {
		id := fmt.Sprintf("call-%d-%d", i, j)
		calls = append(calls, llm.ToolCall{ID: id, Name: "search", Arguments: anyText(t, "arguments")})
		results = append(results, llm.ToolResult{CallID: id, Name: "search", Content: anyText(t, "result")})
	}
	add(llm.RoleAssistant, calls...)
	if rapid.Bool().Draw(t, "one message") {
		add(llm.RoleTool, results...)
		return
	}
	for _, r := range results {
		add(llm.RoleTool, r)
	}
}

func TestWhateverTheConversationItFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		turns := anyConversation(t)
		original := clone(turns)
		req := &llm.Request{System: anyText(t, "system"), Messages: []llm.Message{{Role: llm.RoleUser}}}
		if rapid.Bool().Draw(t, "readable") {
			req.Tools = []llm.Tool{{Name: readTool, Description: "Reads a result."}}
		}
		meter := &tokens.Meter{}
		if more := rapid.Int64Range(0, 3).Draw(t, "reported"); more > 0 {
			lesson := &llm.Request{System: strings.Repeat("word ", 2_000)}
			for range 8 {
				meter.Learn("target", lesson, more*1_000)
			}
		}
		o := Options{
			Target: "target", Meter: meter,
			ModelWindow:   rapid.IntRange(500, 30_000).Draw(t, "model window"),
			Threshold:     rapid.IntRange(100, 6_000).Draw(t, "threshold"),
			SummaryTokens: rapid.IntRange(1, 4_000).Draw(t, "summary tokens"),
			Reserve:       rapid.IntRange(1, 2_000).Draw(t, "reserve"),
			LargeResult:   rapid.IntRange(1, 2_000).Draw(t, "large result"),
		}
		model := &summariser{say: summarisers[rapid.SampledFrom(sortedKeys(summarisers)).Draw(t, "summariser")]}
		if rapid.IntRange(0, 5).Draw(t, "no model") > 0 {
			o.Model = model
		}

		result, err := Fit(context.Background(), o, req, turns)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(turns, original) {
			t.Fatal("the turns were changed")
		}
		checkFits(t, o, req, turns, result)
		checkPaired(t, result.Turns)
		kept := checkKept(t, turns, result)
		checkUser(t, turns, result)
		checkCalls(t, o, model, result)

		if result.Summary == nil {
			return
		}
		again := append([]Turn{SummaryTurn("", result.Summary.Text)}, kept...)
		second, err := Fit(context.Background(), o, req, again)
		if err != nil {
			t.Fatal(err)
		}
		if second.Summary != nil {
			t.Fatal("a second summary follows the first")
		}
		checkFits(t, o, req, again, second)
	})
}

func checkFits(t *rapid.T, o Options, req *llm.Request, turns []Turn, result Result) {
	size := func(turns []Turn) int {
		return o.Meter.Request(o.Target, &llm.Request{System: req.System, Tools: req.Tools, Messages: messages(turns)})
	}
	if got, most := size(result.Turns), max(o.Threshold, size(nil)+leastRoom); got > most {
		t.Fatalf("the result takes %d tokens, want at most %d", got, most)
	}
	if size(turns) <= o.Threshold && (result.Summary != nil || !reflect.DeepEqual(result.Turns, turns)) {
		t.Fatal("the conversation was below the threshold and changed")
	}
}

// checkPaired holds the result against the rule of package llm.
func checkPaired(t *rapid.T, turns []Turn) {
	open := map[string]bool{}
	for _, turn := range turns {
		if turn.Message.Role != llm.RoleTool && len(open) > 0 {
			t.Fatalf("%s comes before the results of %v", turn.ID, open)
		}
		if len(turn.Message.Parts) == 0 {
			t.Fatalf("%s is empty", turn.ID)
		}
		for _, p := range turn.Message.Parts {
			switch p := p.(type) {
			case llm.ToolCall:
				open[p.ID] = true
			case llm.ToolResult:
				if !open[p.CallID] {
					t.Fatalf("%s answers %s, which is not open", turn.ID, p.CallID)
				}
				delete(open, p.CallID)
			}
		}
	}
	if len(open) > 0 {
		t.Fatalf("%v have no results", open)
	}
}

// checkKept returns the turns that the result does not replace by a summary.
// They must all be there, in order and the same but for what is cut.
func checkKept(t *rapid.T, turns []Turn, result Result) []Turn {
	kept, shown := turns, result.Turns
	if s := result.Summary; s != nil {
		through := slices.IndexFunc(turns, func(t Turn) bool { return t.ID == s.Through })
		if through < 0 || turns[through].Summary {
			t.Fatalf("the summary goes through %q", s.Through)
		}
		kept, shown = turns[through+1:], shown[1:]
		if want := SummaryTurn("", s.Text); !reflect.DeepEqual(result.Turns[0], want) {
			t.Fatalf("the first turn is %v", result.Turns[0])
		}
	}
	if len(kept) != len(shown) {
		t.Fatalf("%d turns come after the summary, %d are shown", len(kept), len(shown))
	}
	for i := range kept {
		if kept[i].ID != shown[i].ID || kept[i].Summary != shown[i].Summary || kept[i].Message.Role != shown[i].Message.Role {
			t.Fatalf("%v is shown as %v", kept[i], shown[i])
		}
		checkParts(t, kept[i].Message.Parts, shown[i].Message.Parts)
	}
	return kept
}

func checkParts(t *rapid.T, parts, shown []llm.Part) {
	left := slices.Clone(shown)
	for _, p := range parts {
		if len(left) > 0 && alike(p, left[0]) {
			left = left[1:]
			continue
		}
		switch p.(type) {
		case llm.Reasoning, llm.Media: // may be left out
		default:
			t.Fatalf("%v is missing or changed in %v", p, shown)
		}
	}
	if len(left) == 1 {
		if note, ok := left[0].(llm.Text); ok && strings.HasSuffix(note.Text, " left out here]") {
			return
		}
	}
	if len(left) > 0 {
		t.Fatalf("%v was added", left)
	}
}

// alike reports whether a part is shown as it is, or shortened with a note.
func alike(p, shown llm.Part) bool {
	if reflect.DeepEqual(p, shown) {
		return true
	}
	text, short := "", ""
	switch p := p.(type) {
	case llm.Text:
		s, ok := shown.(llm.Text)
		if !ok {
			return false
		}
		text, short = p.Text, s.Text
	case llm.ToolCall:
		s, ok := shown.(llm.ToolCall)
		if !ok || s.ID != p.ID || s.Name != p.Name {
			return false
		}
		text, short = p.Arguments, s.Arguments
	case llm.ToolResult:
		s, ok := shown.(llm.ToolResult)
		if !ok || s.CallID != p.CallID || s.Name != p.Name || s.IsError != p.IsError {
			return false
		}
		text, short = p.Content, s.Content
	default:
		return false
	}
	noted := strings.Contains(short, "are left out here") || strings.Contains(short, "no longer shown") || strings.Contains(short, "…")
	return noted && (tokens.Count("", short) < tokens.Count("", text))
}

// checkUser looks for the beginning of what the user said last.
func checkUser(t *rapid.T, turns []Turn, result Result) {
	want := ""
	for i, turn := range turns {
		if turn.Summary && i == 0 {
			_, want, _ = strings.Cut(summaryText(turn), heading)
		} else if turn.Message.Role == llm.RoleUser {
			want = plainText(turn.Message)
		}
	}
	want = want[:min(len(want), 6)]
	if want == "" {
		return // the user has said nothing
	}
	for _, turn := range result.Turns {
		if turn.Message.Role == llm.RoleUser && strings.Contains(plainText(turn.Message), want) {
			return
		}
	}
	t.Fatalf("the last message of the user, %q, is in none of the turns", want)
}

func checkCalls(t *rapid.T, o Options, model *summariser, result Result) {
	calls := 0
	if result.Summary != nil {
		calls = result.Summary.Calls
	}
	if len(model.requests) != calls || calls > mostCalls {
		t.Fatalf("%d calls were made and %d counted", len(model.requests), calls)
	}
	for _, req := range model.requests {
		if n := o.Meter.Request(model.Name(), req); n > o.ModelWindow/10*8 {
			t.Fatalf("a call takes %d tokens of a window of %d", n, o.ModelWindow)
		}
	}
}

func clone(turns []Turn) []Turn {
	copied := slices.Clone(turns)
	for i := range copied {
		copied[i].Message.Parts = slices.Clone(copied[i].Message.Parts)
	}
	return copied
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
