package demo

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

func TestReplyIsStreamedWordByWordAtItsPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var at []time.Duration
		for ev, err := range New(Options{}).Generate(t.Context(), &llm.Request{Messages: []llm.Message{user("hi"), assistant(disclosure), user("thanks")}}) {
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := ev.(llm.Text); ok {
				at = append(at, time.Since(start))
			}
		}
		want := []time.Duration{20 * time.Millisecond, 40 * time.Millisecond, 60 * time.Millisecond}
		if !slices.Equal(at, want) {
			t.Errorf("words came at %v, want %v", at, want)
		}
	})
}

func TestReplyStopsAtOnceWhenTheContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		start := time.Now()
		_, err := llm.Collect(New(Options{Pace: time.Minute}).Generate(ctx, &llm.Request{Messages: []llm.Message{user("hi")}}))
		if !errors.Is(err, nestor.ErrCancelled) || !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if d := time.Since(start); d != 50*time.Millisecond {
			t.Errorf("stopped after %v", d)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := llm.Collect(New(Options{Pace: time.Minute}).Generate(ctx, &llm.Request{Messages: []llm.Message{user("What is 2+2?")}, Tools: agentTools}))
		if !errors.Is(err, nestor.ErrTimeout) {
			t.Errorf("got %v", err)
		}
	})
}

func TestReplyStopsWhenTheCallerDoes(t *testing.T) {
	for _, stopAt := range []int{1, 2, 3} {
		n := 0
		for range New(Options{Instant: true}).Generate(t.Context(), &llm.Request{Messages: []llm.Message{user("Research Go, Rust and Zig")}, Tools: controlTools}) {
			if n++; n == stopAt {
				break
			}
		}
		if n != stopAt {
			t.Errorf("%d events, want %d", n, stopAt)
		}
	}
}

func TestCallIDsDeriveFromTheRequest(t *testing.T) {
	ids := func(messages ...llm.Message) string {
		got, err := llm.Collect(New(Options{Instant: true}).Generate(t.Context(), &llm.Request{Messages: messages, Tools: agentTools}))
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, c := range callsOf(got.Message) {
			ids = append(ids, c.ID)
		}
		return strings.Join(ids, " ")
	}
	first := ids(user("2+2 and 3+3"))
	if again := ids(user("2+2 and 3+3")); first != again || len(strings.Fields(first)) != 2 {
		t.Errorf("the same request got ids %s and then %s", first, again)
	}
	if next := ids(user("2+2 and 3+3"), assistant("4 and 6"), user("2+2 and 3+3")); next == first {
		t.Errorf("the next request got the same ids %s", next)
	}
}

func TestMaxTokensCutsTheReply(t *testing.T) {
	got, err := llm.Collect(New(Options{Instant: true}).Generate(t.Context(), &llm.Request{Messages: []llm.Message{user("help")}, MaxTokens: 5}))
	if err != nil || got.Reason != llm.ReasonLength {
		t.Fatalf("reason %s, error %v", got.Reason, err)
	}
	if text := textOf(got.Message); text != disclosure[:20] {
		t.Errorf("got %q", text)
	}
	if got.Usage.Output != 5 {
		t.Errorf("usage = %+v", got.Usage)
	}
}

func TestTheReasoningNamesTheRule(t *testing.T) {
	got, err := llm.Collect(New(Options{Instant: true}).Generate(t.Context(), &llm.Request{Messages: []llm.Message{user("What is 6*7?")}, Tools: agentTools}))
	if err != nil {
		t.Fatal(err)
	}
	if r, ok := got.Message.Parts[0].(llm.Reasoning); !ok || r.Text != "Rule: call the tools that help." {
		t.Errorf("got %+v", got.Message.Parts[0])
	}
}

// FuzzGenerate checks that whatever is said, in every part, the reply is
// complete and its calls are valid.
func FuzzGenerate(f *testing.F) {
	f.Add("", "What is 6*7, and what time is it in Rome?", "")
	f.Add(waitingState, "Ask me which colour I like; compare Go", "# Event: result of “x”\ny\n# Event\nAll has ended")
	f.Add("Write a title", "1. a\n2. book a table (for 2 + 3)", "# Event: question of an agent\nA1 (“x”) asks: when?")
	f.Fuzz(func(t *testing.T, system, first, second string) {
		for _, tools := range [][]llm.Tool{nil, controlTools, agentTools} {
			answerTo(t, &llm.Request{System: system, Messages: []llm.Message{user(first)}, Tools: tools})
			answerTo(t, &llm.Request{System: system, Tools: tools, Messages: []llm.Message{
				user(first), assistant("", called("1", "ask_user", `{"question":"?"}`)), user(second),
			}})
			answerTo(t, &llm.Request{System: system, Tools: tools, Messages: []llm.Message{
				user(first), assistant("", called("1", "calculator", second)), returned("1", second),
			}})
		}
	})
}
