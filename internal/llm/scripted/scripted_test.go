package scripted

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

func mustParse(t *testing.T, script string) *Model {
	t.Helper()
	m, err := Parse([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func user(text string) llm.Message {
	return llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: text}}}
}

func assistant(text string) llm.Message {
	return llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{llm.Text{Text: text}}}
}

func result(name, content string) llm.Message {
	return llm.Message{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{CallID: "1", Name: name, Content: content}}}
}

// play returns the events of one reply, one per line.
func play(ctx context.Context, m *Model, req *llm.Request) string {
	var lines []string
	for ev, err := range m.Generate(ctx, req) {
		switch ev := ev.(type) {
		case llm.Text:
			lines = append(lines, fmt.Sprintf("text %q", ev.Text))
		case llm.Reasoning:
			lines = append(lines, fmt.Sprintf("think %q %q", ev.Text, ev.Signature))
		case llm.ToolCall:
			lines = append(lines, fmt.Sprintf("call %s %s %q", ev.ID, ev.Name, ev.Arguments))
		case llm.Usage:
			lines = append(lines, fmt.Sprintf("usage %d %d %d %d", ev.Input, ev.CachedInput, ev.Output, ev.Reasoning))
		case llm.Finish:
			lines = append(lines, "finish "+string(ev.Reason))
		}
		if err != nil {
			lines = append(lines, fmt.Sprintf("error %s: %v", nestor.CodeOf(err), err))
		}
	}
	return strings.Join(lines, "\n")
}

func TestEachLineBecomesItsEvent(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"text finishes with stop", "-- reply --\ntext: Hello,\ntext:  world", "text \"Hello,\"\ntext \" world\"\nfinish stop"},
		{"text may have lines", "-- reply --\ntext: # A\n|\n| - b\n|   - c", "text \"# A\\n\\n- b\\n  - c\"\nfinish stop"},
		{"text may start on its second line", "-- reply --\ntext:\n| a\n| b", "text \"a\\nb\"\nfinish stop"},
		{"text may be quoted", "-- reply --\ntext: \"a \\n\"\ntext: \"no\" end", "text \"a \\n\"\ntext \"\\\"no\\\" end\"\nfinish stop"},
		{"reasoning may be signed", "-- reply --\nthink: hm\nsign: abc", "think \"hm\" \"\"\nthink \"\" \"abc\"\nfinish stop"},
		{"calls finish with tool_calls and have ids", "-- reply a b --\ncall x {\"a\": 1}\ncall y id=own {\n| \"b\": 2}\ncall z", "call reply-a-b-1 x \"{\\\"a\\\": 1}\"\ncall own y \"{\\n\\\"b\\\": 2}\"\ncall reply-a-b-3 z \"\"\nfinish tool_calls"},
		{"usage is counted", "-- reply --\nusage in=5 cached=2 out=3 reasoning=1", "usage 5 2 3 1\nfinish stop"},
		{"a finish is as written", "-- reply --\ntext: cut\nfinish length", "text \"cut\"\nfinish length"},
		{"an error ends the reply", "-- reply --\ntext: a\nerror unavailable it broke", "text \"a\"\nerror unavailable: it broke"},
		{"comments, empty lines and other files say nothing", "A title.\n-- input --\nx\n-- reply --\n# why\n\n \ntext: a\n-- want --\ny", "text \"a\"\nfinish stop"},
		{"lines may end in carriage returns", "-- reply --\r\ntext: a\r\n| b\r\n", "text \"a\\nb\"\nfinish stop"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := play(t.Context(), mustParse(t, tt.script), &llm.Request{}); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestConditionsChooseTheReply(t *testing.T) {
	req := &llm.Request{
		System:   "You orchestrate.",
		Messages: []llm.Message{user("old"), user("hello there"), assistant("thinking"), result("calc", "42"), result("time", "noon")},
		Tools:    []llm.Tool{{Name: "calc"}, {Name: "time"}},
	}
	tests := []struct {
		when string
		want bool
	}{
		{"when system contains orchestrate", true},
		{"when system lacks orchestrate", false},
		{"when system is You orchestrate.", true},
		{"when last user contains hello", true},
		{"when last user contains old", false},
		{"when last tool contains calc 42", true},
		{"when last tool contains noon", true},
		{`when last tool is ""`, false},
		{"when history contains old", true},
		{"when history contains thinking", true},
		{"when tools is calc time", true},
		{"when system contains You\nwhen last user contains goodbye", false},
	}
	for _, tt := range tests {
		t.Run(tt.when, func(t *testing.T) {
			m := mustParse(t, "-- reply --\n"+tt.when+"\ntext: yes\n-- reply else --\ntext: no\n")
			if got := strings.Contains(play(t.Context(), m, req), "yes"); got != tt.want {
				t.Errorf("holds = %v, want %v", got, tt.want)
			}
		})
	}
	m := mustParse(t, "-- reply --\nwhen last tool is \"\"\ntext: first step\n")
	later := &llm.Request{Messages: []llm.Message{result("calc", "42"), assistant("so"), user("and?")}}
	if got := play(t.Context(), m, later); !strings.Contains(got, "first step") {
		t.Errorf("a result from before the model last spoke counts as its last: %s", got)
	}
}

func TestConcurrentAgentsGetTheirOwnReplies(t *testing.T) {
	var script strings.Builder
	const agents, rounds = 8, 5
	for round := range rounds {
		for a := range agents {
			fmt.Fprintf(&script, "-- reply %d of %d --\nwhen last user contains <%d>\ntext: %d.%d\n", round, a, a, a, round)
		}
	}
	m := mustParse(t, script.String())
	var wg sync.WaitGroup
	for a := range agents {
		wg.Go(func() {
			for round := range rounds {
				req := &llm.Request{Messages: []llm.Message{user(fmt.Sprintf("I am <%d>", a))}}
				want := fmt.Sprintf("text \"%d.%d\"\nfinish stop", a, round)
				if got := play(t.Context(), m, req); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			}
		})
	}
	wg.Wait()
	if err := m.Finished(); err != nil {
		t.Error(err)
	}
	if n := len(m.Requests()); n != agents*rounds {
		t.Errorf("%d requests recorded", n)
	}
}

func TestARepeatedReplyIsGivenAgainWithNewCallIDs(t *testing.T) {
	m := mustParse(t, "-- reply --\nrepeat\ncall x {}\n")
	if err := m.Finished(); err != nil {
		t.Errorf("a repeated reply must not be missed: %v", err)
	}
	first, second := play(t.Context(), m, &llm.Request{}), play(t.Context(), m, &llm.Request{})
	if !strings.Contains(first, "call reply-1 ") || !strings.Contains(second, "call reply-2-1 ") {
		t.Errorf("got\n%s\n%s", first, second)
	}
}

func TestARequestWithoutAReplySaysWhatWasAsked(t *testing.T) {
	m := mustParse(t, "-- reply one --\nwhen last user contains weather\ntext: sunny\n-- reply two --\ntext: done\n")
	play(t.Context(), m, &llm.Request{})
	got := play(t.Context(), m, &llm.Request{System: "sys", Messages: []llm.Message{user("what time is it?")}, Tools: []llm.Tool{{Name: "clock"}}})
	for _, want := range []string{"error invalid", `system: "sys"`, `last user: "what time is it?"`, `tools: "clock"`, `"reply one" (line 1) when last user contains "weather"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "reply two") {
		t.Errorf("a reply that was given is offered again:\n%s", got)
	}
}

func TestAReplyNobodyAskedForIsReported(t *testing.T) {
	m := mustParse(t, "-- reply one --\ntext: a\n-- reply two --\nwhen system is x\ntext: b\n")
	play(t.Context(), m, &llm.Request{System: "y"})
	err := m.Finished()
	if err == nil || !strings.Contains(err.Error(), `"reply two" (line 3) when system is "x"`) || !strings.Contains(err.Error(), `system: "y"`) {
		t.Errorf("got %v", err)
	}
}

func TestRequestsAreKeptAsTheyWere(t *testing.T) {
	m := mustParse(t, "-- reply --\ntext: a\n")
	req := &llm.Request{Messages: []llm.Message{user("before")}}
	play(t.Context(), m, req)
	req.Messages[0].Parts[0] = llm.Text{Text: "after"}
	if got := textOf(m.Requests()[0].Messages[0]); got != "before" {
		t.Errorf("got %q", got)
	}
}

func TestErrorsMayAskToRetryLater(t *testing.T) {
	m := mustParse(t, "-- reply --\nerror rate_limited retry_after=2s slow down\n")
	for _, err := range m.Generate(t.Context(), &llm.Request{}) {
		if !errors.Is(err, nestor.ErrRateLimited) || err.Error() != "slow down" {
			t.Errorf("got %v", err)
		}
		if wait, ok := nestor.WaitOf(err); !ok || wait != 2*time.Second {
			t.Errorf("it asks to wait %v, %v", wait, ok)
		}
	}
}

func TestWaitTakesItsTimeUnlessTheContextEnds(t *testing.T) {
	const script = "-- reply --\ntext: a\nwait 5s\ntext: b\n"
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if got := play(t.Context(), mustParse(t, script), &llm.Request{}); got != "text \"a\"\ntext \"b\"\nfinish stop" {
			t.Errorf("got %s", got)
		}
		if d := time.Since(start); d != 5*time.Second {
			t.Errorf("took %v", d)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		got := play(ctx, mustParse(t, script), &llm.Request{})
		if !strings.HasPrefix(got, "text \"a\"\nerror timeout: ") || time.Since(start) != time.Second {
			t.Errorf("after %v: %s", time.Since(start), got)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := play(ctx, mustParse(t, script), &llm.Request{}); !strings.HasPrefix(got, "error cancelled: ") {
		t.Errorf("with a cancelled context: %s", got)
	}
}

func TestParseErrorsNameTheLine(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"an unknown statement", "c\n-- reply --\n\nsay: x\n", `line 4: unknown statement "say:"`},
		{"an unknown subject", "-- reply --\nwhen first user contains x\n", `line 2: unknown subject in "when first user contains x"`},
		{"an unknown verb", "-- reply --\nwhen system has x\n", "line 2: want"},
		{"a call without a name", "-- reply --\ncall\n", "line 2: want a tool's name"},
		{"a wrong count", "-- reply --\nusage in=many\n", "line 2: want in=N"},
		{"a wrong duration", "-- reply --\nwait long\n", "line 2: want a duration"},
		{"a wrong reason", "-- reply --\nfinish soon\n", "line 2: want one of"},
		{"a wrong code", "-- reply --\nerror bad luck\n", "line 2: want one of"},
		{"a wrong retry_after", "-- reply --\nerror timeout retry_after=x y\n", "line 2: want a duration"},
		{"a line after the end", "-- reply --\nfinish stop\ntext: x\n", `line 3: "text:" comes after the end`},
		{"nothing to continue", "-- reply --\n| x\n", "line 2: there is nothing"},
		{"a continued usage", "-- reply --\nusage in=1\n| x\n", `line 2: "usage" cannot be continued`},
		{"two replies of one name", "-- reply --\ntext: a\n-- reply --\n", `line 3: "reply" is already the name of the reply in line 1`},
		{"a later file", "x\ny\n-- input --\nz\n-- reply 1 --\ntext: a\n-- reply 2 --\nboo\n", "line 8: unknown"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.script))
			if nestor.CodeOf(err) != nestor.CodeInvalid || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %s…", err, tt.want)
			}
		})
	}
}

// FuzzParse checks that a script either plays to its end or is rejected with a
// line that exists.
func FuzzParse(f *testing.F) {
	f.Add("-- reply 1 --\nwhen system contains x\ntext: a\n| b\ncall x id=1 {}\nusage in=1 out=2\nfinish length\n")
	f.Add("-- reply --\nthink: hm\nsign: s\nerror rate_limited retry_after=2s slow\n")
	f.Add("c\n-- reply --\nrepeat\nwait 1ms\ntext: \"\\n\"\n-- other --\n")
	f.Fuzz(func(t *testing.T, script string) {
		m, err := Parse([]byte(script))
		if err != nil {
			var line int
			if _, scanErr := fmt.Sscanf(err.Error(), "line %d:", &line); scanErr != nil || line < 1 || line > 1+strings.Count(script, "\n") {
				t.Errorf("%q: %v", script, err)
			}
			return
		}
		for _, r := range m.replies {
			r.when = nil
			for i := range r.steps {
				r.steps[i].wait = min(r.steps[i].wait, 1)
			}
		}
		for range m.replies {
			got := play(t.Context(), m, &llm.Request{})
			last := got[strings.LastIndex(got, "\n")+1:]
			if !strings.HasPrefix(last, "finish ") && !strings.Contains(got, "error ") {
				t.Errorf("%q plays\n%s", script, got)
			}
		}
	})
}

func TestAScriptedModelSaysThatItIsOne(t *testing.T) {
	var m llm.Model = mustParse(t, "-- reply --\ntext: a\n")
	if m.Name() != "scripted" {
		t.Errorf("its name is %q", m.Name())
	}
}
