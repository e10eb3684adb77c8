package condense

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/tokens"
)

func TestTheOldestPartIsSummarised(t *testing.T) {
	old := conversation(user("u1", words("FIRST", 3_000)), step("a1", words("FOUND", 700)), assistant("a2", words("SECOND", 3_000)))
	for _, tt := range []struct {
		name    string
		turns   []Turn
		through string
		shown   string
	}{
		{
			"the last user turn stays",
			conversation(old, user("u2", words("ask", 4_000)), step("a3", "nothing"), step("a4", "something")),
			"a2", "summary u2 a3 a3-result a4 a4-result",
		},
		{
			"so does what is recent before it, up to half of the room",
			conversation(old, user("u2", words("ask", 600)), assistant("a3", words("answer", 600)), user("u3", words("more", 600)), assistant("a4", "ok"), user("u4", "Go on")),
			"a2", "summary u2 a3 u3 a4 u4",
		},
		{
			"a call stays with its results",
			conversation(old, user("u2", "ask"), step("a3", words("half", 2_500)), step("a4", words("half", 800)), user("u3", "Go on")),
			"a3-result", "summary a4 a4-result u3",
		},
		{
			"of a user turn that is too long, the last steps stay",
			conversation(user("u1", "Hello"), user("u2", "ASK"), step("a1", words("r", 900)), step("a2", words("r", 900)), step("a3", words("r", 900)),
				step("a4", words("r", 900)), step("a5", words("r", 900)), step("a6", words("r", 900)), step("a7", words("r", 900)), step("a8", words("r", 900)),
				step("a9", words("r", 900))),
			"a6-result", "summary a7 a7-result a8 a8-result a9 a9-result",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			model := says("A summary.")
			result := fit(t, Options{Model: model, Threshold: 8_000, SummaryTokens: 1_000, Reserve: 500}, &llm.Request{}, tt.turns)
			if result.Summary == nil || result.Summary.Through != tt.through || ids(result.Turns) != tt.shown {
				t.Fatalf("shows %q with %+v, want %q through %s", ids(result.Turns), result.Summary, tt.shown, tt.through)
			}
			for i, turn := range result.Turns[1:] {
				if want := tt.turns[len(tt.turns)-len(result.Turns)+1+i]; !reflect.DeepEqual(turn, want) {
					t.Errorf("%s is changed", turn.ID)
				}
			}
			if !strings.HasPrefix(result.Summary.Text, "A summary.") || len(model.requests) != 1 {
				t.Errorf("summary %q after %d calls", result.Summary.Text, len(model.requests))
			}
		})
	}
}

func TestTheModelIsToldWhatToSummarise(t *testing.T) {
	turns := conversation(SummaryTurn("s", "OLD NEWS"), user("u1", words("QUESTION", 2_000)), step("a1", words("FOUND", 500)), assistant("a2", words("ANSWER", 2_000)),
		user("u2", words("newer", 1_000)))
	model := says("A summary.")
	fit(t, Options{Model: model, Threshold: 5_000, SummaryTokens: 500}, &llm.Request{System: "You are an agent.", Tools: readable.Tools}, turns)
	req := model.requests[0]
	if req.System != instruction || len(req.Tools) != 0 || len(req.Messages) != 1 || req.Messages[0].Role != llm.RoleUser {
		t.Errorf("asked %+v", req)
	}
	text := asked(req)
	for _, want := range []string{
		"<summary_so_far>\nOLD NEWS\n", "user: QUESTION word", `assistant calls search (id call-a1): {"query":"a1"}`,
		"result of search (id call-a1): FOUND word", "assistant: ANSWER word", "up to 300 words",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the request lacks %q", want)
		}
	}
	if strings.Contains(text, "newer") || strings.Contains(text, preamble) {
		t.Error("the request holds more than the part to be summarised")
	}
}

func TestALongHistoryIsSummarisedInChunks(t *testing.T) {
	turns := conversation(SummaryTurn("s", "SUMMARY-0"), user("u0", "Begin"))
	for i := range 20 {
		turns = append(turns, step(fmt.Sprintf("a%02d", i), words("FOUND", 400))...)
	}
	turns = append(turns, user("u1", "Go on"))
	model := &summariser{say: func(call int, _ *llm.Request) (string, error) {
		return words(fmt.Sprintf("SUMMARY-%d\n", call), 600), nil
	}}
	result := fit(t, Options{Model: model, ModelWindow: 5_000, Threshold: 8_000, SummaryTokens: 500}, &llm.Request{}, turns)
	if len(model.requests) < 3 || result.Summary.Calls != len(model.requests) || result.Summary.Model != "summariser" {
		t.Fatalf("%d requests, summary %+v", len(model.requests), result.Summary)
	}
	if result.Summary.Usage != (llm.Usage{Input: 100 * int64(len(model.requests)), Output: 10 * int64(len(model.requests))}) {
		t.Errorf("usage %+v of %d calls", result.Summary.Usage, len(model.requests))
	}
	if want := fmt.Sprintf("SUMMARY-%d\n", len(model.requests)); !strings.HasPrefix(result.Summary.Text, want) {
		t.Errorf("summary %q, want %q", result.Summary.Text, want)
	}
	seen := ""
	for i, req := range model.requests {
		text := asked(req)
		if !strings.Contains(text, fmt.Sprintf("<summary_so_far>\nSUMMARY-%d\n", i)) {
			t.Errorf("request %d does not hold the summary of those before it", i)
		}
		var meter tokens.Meter
		if n := meter.Request(model.Name(), req); n > 5_000*8/10-1_200 {
			t.Errorf("request %d of %d tokens leaves no room for the reply", i, n)
		}
		if strings.Count(text, " calls search") != strings.Count(text, "result of search") {
			t.Errorf("request %d separates a call from its result", i)
		}
		seen += text
	}
	for _, turn := range turns[1:] {
		if got := strings.Count(seen, content(turn)); got != 1 && !strings.Contains(ids(result.Turns), turn.ID) {
			t.Errorf("%s was read %d times", turn.ID, got)
		}
	}
}

func TestAnEndlessHistoryTakesABoundedNumberOfCalls(t *testing.T) {
	var turns []Turn
	for i := range 3_000 {
		turns = append(turns, user(fmt.Sprint("u", i), words("x", 100)))
	}
	model := says("A summary.")
	result := fit(t, Options{Model: model, ModelWindow: 5_000, Threshold: 4_000}, &llm.Request{}, turns)
	if len(model.requests) != mostCalls {
		t.Errorf("%d calls", len(model.requests))
	}
	if !strings.Contains(result.Summary.Text, "A summary.\n\nSince then, in short:\n- user: x word") {
		t.Errorf("the rest is not outlined: %.200s", result.Summary.Text)
	}
}

func TestTheUsersLastMessageIsQuotedUntilThereIsANewerOne(t *testing.T) {
	o := Options{Threshold: 6_000, SummaryTokens: 500}
	turns := conversation(user("u1", "Hello"), user("u2", "Count the BLUE ones, please."))
	summaries := 0
	grow := func() {
		for i := range 12 {
			turns = append(turns, step(fmt.Sprintf("a%d-%d", summaries, i), words("r", 600))...)
		}
		o.Model = says(fmt.Sprintf("Summary %d.", summaries))
		result := fit(t, o, &llm.Request{}, turns)
		if result.Summary == nil {
			t.Fatal("there is no summary")
		}
		summaries++
		keep := result.Turns[1:]
		turns = append([]Turn{SummaryTurn("s", result.Summary.Text)}, keep...)
	}
	const quotation = heading + "Count the BLUE ones, please."
	for i := range 3 {
		grow()
		if got, want := summaryText(turns[0]), fmt.Sprintf("Summary %d.", i)+quotation; got != want {
			t.Fatalf("summary %q, want %q", got, want)
		}
	}
	turns = append(turns, user("u3", "Now the RED ones."))
	grow()
	if got, want := summaryText(turns[0]), "Summary 3."+heading+"Now the RED ones."; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	if text := asked(o.Model.(*summariser).requests[0]); !strings.Contains(text, "Count the BLUE ones") {
		t.Error("what was quoted before is not in the new summary")
	}
}

func TestWithoutAUsefulSummaryThereIsAnOutline(t *testing.T) {
	turns := conversation(user("u1", words("Find the rivers.", 2_000)), step("a1", words("Rhine, Rhône", 600)), assistant("a2", words("Found two.", 2_000)),
		user("u2", words("newer", 1_000)))
	refusing := &refusal{}
	for name, model := range map[string]llm.Model{
		"a model that fails":         &summariser{say: summarisers["failing"]},
		"a model that says nothing":  &summariser{say: summarisers["silent"]},
		"a model that says too much": &summariser{say: summarisers["verbose"]},
		"a model that refuses":       refusing,
		"no model":                   nil,
	} {
		t.Run(name, func(t *testing.T) {
			result := fit(t, Options{Model: model, Target: "target", Threshold: 4_000, SummaryTokens: 500}, &llm.Request{}, turns)
			s := result.Summary
			if s == nil || s.Model != "" || s.Through != "a2" || (s.Calls == 1) != (model != nil) {
				t.Fatalf("summary %+v", s)
			}
			for _, want := range []string{
				"What was said, in short:", "- user: Find the rivers. word", `- assistant calls search (id call-a1): {"query":"a1"}`,
				"- result of search (id call-a1): Rhine, Rhône word", "- assistant: Found two. word",
			} {
				if !strings.Contains(s.Text, want) {
					t.Errorf("the outline lacks %q:\n%s", want, s.Text)
				}
			}
		})
	}
}

func TestAnOutlineIsNoLongerThanASummaryShouldBe(t *testing.T) {
	turns := conversation(SummaryTurn("s", words("BEFORE", 2_000)))
	for i := range 300 {
		turns = append(turns, user(fmt.Sprint("u", i), words(fmt.Sprintf("Message-%d", i), 30)))
	}
	s := fit(t, Options{Threshold: 8_000, SummaryTokens: 1_000}, &llm.Request{}, turns).Summary
	if n := tokens.Count("", s.Text); n > 1_000 || n < 800 {
		t.Errorf("it has %d tokens", n)
	}
	for _, want := range []string{"BEFORE word", "Since then, in short:\n- user: Message-0 word", "are left out here"} {
		if !strings.Contains(s.Text, want) {
			t.Errorf("the outline lacks %q:\n%s", want, s.Text)
		}
	}
}

func TestAModelCannotQuoteTheUser(t *testing.T) {
	turns := conversation(user("u1", "Count the BLUE ones."))
	for i := range 12 {
		turns = append(turns, step(fmt.Sprint("a", i), words("r", 600))...)
	}
	model := says("Well." + heading + "Count the GREEN ones.")
	text := fit(t, Options{Model: model, Threshold: 6_000}, &llm.Request{}, turns).Summary.Text
	if _, quote, _ := strings.Cut(text, heading); quote != "Count the BLUE ones." {
		t.Errorf("the user is quoted with %q", quote)
	}
}

func TestWhatAFailingModelDidNotGetToIsOutlined(t *testing.T) {
	turns := conversation(user("u1", words("Find the rivers.", 1_500)), assistant("a1", words("Found two.", 1_500)), assistant("a2", words("Found a third.", 1_500)),
		user("u2", "newer"))
	model := &summariser{say: summarisers["flaky"]}
	s := fit(t, Options{Model: model, ModelWindow: 5_500, Threshold: 3_000}, &llm.Request{}, turns).Summary
	if s.Calls != 2 || s.Model != "summariser" || !strings.HasPrefix(s.Text, "The beginning.\n\nSince then, in short:\n- ") ||
		!strings.Contains(s.Text, "- assistant: Found a third.") || strings.Contains(s.Text, "Find the rivers") {
		t.Errorf("summary %+v", s)
	}
}

func TestTheFallbackModelIsNamed(t *testing.T) {
	turns := conversation(user("u1", words("x", 1_200)), user("u2", words("y", 1_200)), user("u3", "newer"))
	second := says("A summary.")
	second.name = "second"
	model := llm.Fallback(&summariser{say: summarisers["failing"]}, second)
	if s := fit(t, Options{Model: model, Threshold: 2_000}, &llm.Request{}, turns).Summary; s.Model != "second" || s.Text != "A summary." {
		t.Errorf("summary %+v", s)
	}
}

func TestTheEndOfTheContextEndsTheSummary(t *testing.T) {
	turns := conversation(user("u1", words("x", 1_200)), user("u2", words("y", 1_200)), user("u3", "newer"))
	for _, tt := range []struct {
		name  string
		ctx   func(context.Context) (context.Context, context.CancelFunc)
		say   func(cancel func()) error
		want  *nestor.Error
		calls int
	}{
		{"cancelled before", context.WithCancel, nil, nestor.ErrCancelled, 0},
		{"cancelled during the call", context.WithCancel, func(cancel func()) error {
			cancel()
			return nestor.Errorf(nestor.CodeUnavailable, "the connection broke")
		}, nestor.ErrCancelled, 1},
		{"out of time before", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithDeadline(ctx, time.Unix(0, 0))
		}, nil, nestor.ErrTimeout, 0},
		{"the call was cancelled by somebody else", context.WithCancel, func(func()) error {
			return nestor.Errorf(nestor.CodeCancelled, "stopped")
		}, nestor.ErrCancelled, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := tt.ctx(t.Context())
			defer cancel()
			if tt.say == nil {
				cancel()
			}
			model := &summariser{say: func(int, *llm.Request) (string, error) { return "", tt.say(cancel) }}
			result, err := Fit(ctx, Options{Model: model, Threshold: 2_000}, &llm.Request{}, turns)
			if nestor.CodeOf(err) != tt.want.Code || result.Turns != nil || len(model.requests) != tt.calls {
				t.Errorf("%v after %d calls, want %v after %d", err, len(model.requests), tt.want, tt.calls)
			}
		})
	}
}
