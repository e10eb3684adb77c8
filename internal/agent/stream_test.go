package agent_test

import (
	"context"
	"iter"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/scripted"
)

// speaker is a model that is a function.
type speaker func(ctx context.Context, req *llm.Request, say func(llm.Event)) error

func (speaker) Name() string { return "speaker" }

func (s speaker) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		if err := s(ctx, req, func(ev llm.Event) { yield(ev, nil) }); err != nil {
			yield(nil, err)
			return
		}
		yield(llm.Finish{Reason: llm.ReasonStop}, nil)
	}
}

const everybodySpeaks = `
-- reply delegate --
text: I have
text:  that done.
call create_agent {"type": "general", "instruction": "Work"}
-- reply ask --
think: Hm,
think:  which way?
text: I wonder.
call ask_user {"question": "Which way?"}
-- reply pass on --
text: I told it.
call reply_to_agent {"subAgentId": "agent1", "content": "Left."}
-- reply done --
text: Went
text:  left. Größe: 🚀.
`

func TestDraftsBecomeTheMessagesAndTellWhoSpeaks(t *testing.T) {
	eachBench(t, func(t *testing.T, b *bench) {
		w := stage(t, b, txtar.Parse([]byte(everybodySpeaks)), false)
		w.do("user: Go somewhere.")
		w.do("user: Left.")
		w.finish()
		task, agent := w.names.of("task1"), w.names.of("agent1")
		drafts := 0
		check := func(p nestor.Path, role nestor.Role, content, task, agent string) {
			t.Helper()
			if role != nestor.RoleAssistant {
				return
			}
			drafts++
			d := w.draftOf(p)
			if d == nil || d.text != content || d.TaskID != task || d.SubAgentID != agent {
				t.Errorf("the draft of %q is %+v", content, d)
			}
		}
		for _, m := range list[nestor.Message](w, w.chat, "messages") {
			if m.TaskID == "" { // what agents ask and find is told as it is
				check(w.chat.Child("messages", m.ID), m.Role, m.Content, "", "")
			}
		}
		for _, m := range list[nestor.SubAgentMessage](w, w.agent("agent1"), "messages") {
			p := w.agent("agent1").Child("messages", m.ID)
			check(p, m.Role, m.Content, task, agent)
			if m.Content == "I wonder." && w.draftOf(p).reasoning != "Hm, which way?" {
				t.Errorf("the reasoning was shown as %q", w.draftOf(p).reasoning)
			}
		}
		if drafts != 4 {
			t.Errorf("%d messages had a draft, want 4", drafts)
		}
	})
}

var shownBeforeVoid = regexp.MustCompile(`(?m)^void: .*\n`)

func TestDraftsOfAnswersThatComeInPieces(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"a retry begins anew", `
-- reply fails --
text: Half an ans
error unavailable the connection broke
-- reply answer --
text: A whole answer.
`, "dropped: Half an ans\nkept: A whole answer."},
		{"what is continued is one text", `
-- reply one --
text: Once upon
finish length
-- reply two --
text:  a time.
`, "kept: Once upon a time."},
		{"a correction takes the place of what was said", `
-- reply wrong --
text: I ask the agent.
call reply_to_agent {"subAgentId": "nobody", "content": "Hurry."}
-- reply silent --
call reply_to_agent {"subAgentId": "nobody", "content": "Hurry."}
-- reply right --
text: There is no such agent.
`, "kept: There is no such agent."},
		{"an empty answer is no draft for long", `
-- reply fails --
think: I do not know.
error invalid the model does not exist
`, "dropped: "},
	}
	eachBench(t, func(t *testing.T, b *bench) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				w := stage(t, b, txtar.Parse([]byte(tt.script)), false)
				w.do("user: Tell me.")
				w.finish()
				// How much was shown before it was void is a matter of time.
				if got := shownBeforeVoid.ReplaceAllString(w.happened(), ""); got != tt.want {
					t.Errorf("got\n%s\nwant\n%s", got, tt.want)
				}
			})
		}
	})
}

func TestWhatWasSaidStaysWhenASecondMessageComesInTheMiddle(t *testing.T) {
	eachBench(t, func(t *testing.T, b *bench) {
		speaking := make(chan struct{})
		w := newWorld(t, b, setup{models: map[string]llm.Model{"": speaker(func(ctx context.Context, req *llm.Request, say func(llm.Event)) error {
			if strings.Contains(lastText(req), "In Berlin.") {
				say(llm.Text{Text: "Sunny in Berlin."})
				return nil
			}
			say(llm.Text{Text: "The weather is"})
			close(speaking)
			<-ctx.Done()
			return llm.Interrupted(ctx, "the reply")
		})}})
		w.say("What is the weather?")
		<-speaking
		w.say("In Berlin.")
		w.rest()
		w.checkDrafts() // not finish: what was used is estimated, since this model reports nothing
		if got, want := w.happened(), "kept: The weather is\nkept: Sunny in Berlin."; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

func TestAnAnswerThatComesTooLateStays(t *testing.T) {
	eachBench(t, func(t *testing.T, b *bench) {
		w := stage(t, b, txtar.Parse([]byte("-- reply --\ntext: Too late.\n-- reply both --\ntext: Both.\n")), false)
		w.do("hold commit orchestrator")
		w.do("user: First.")
		w.do("user: Second.")
		w.do("release commit orchestrator")
		w.finish()
		if got, want := w.happened(), "kept: Too late.\nkept: Both."; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

func TestReasoningGoesBackToTheModelUnchanged(t *testing.T) {
	eachBench(t, func(t *testing.T, b *bench) {
		w := stage(t, b, txtar.Parse([]byte(`
-- reply think --
think: First
think:  thought.
sign: sealed
think: Second thought.
call echo {"text": "1"}
-- reply done --
text: Done.
`)), false)
		w.do("task general: Work.")
		w.finish()
		requests := w.models[""].speaker.(*scripted.Model).Requests()
		var got []llm.Reasoning
		for _, p := range requests[1].Messages[1].Parts {
			if block, ok := p.(llm.Reasoning); ok {
				got = append(got, block)
			}
		}
		if len(got) != 2 || got[0] != (llm.Reasoning{Text: "First thought.", Signature: "sealed"}) || got[1].Text != "Second thought." {
			t.Errorf("got %+v", got)
		}
	})
}
