package agent_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
)

// listener answers everything and keeps what it was shown last.
type listener struct{ shown []string }

func (*listener) Name() string { return "listener" }

func (l *listener) Generate(_ context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	l.shown = nil
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			l.shown = append(l.shown, fmt.Sprint(p))
		}
	}
	return func(yield func(llm.Event, error) bool) {
		_ = yield(llm.Text{Text: "Heard."}, nil) && yield(llm.Usage{Input: 1, Output: 1}, nil) && yield(llm.Finish{Reason: llm.ReasonStop}, nil)
	}
}

func TestTheModelSeesWhatIsMarkedForItBelowTheLatestSummary(t *testing.T) {
	eachBench(t, func(t *testing.T, b *bench) {
		for _, tt := range []struct{ name, repliesTo string }{{"with an end", "m1"}, {"without an end", ""}, {"with an end that is gone", "nobody"}} {
			t.Run(tt.name, func(t *testing.T) {
				l := &listener{}
				w := newWorld(t, b, setup{models: map[string]llm.Model{"": l}})
				put := func(id string, m nestor.Message) {
					w.update(func(tx store.Tx) error {
						_, err := tx.Create(w.chat.Child("messages", id), m)
						return err
					})
					w.rest()
				}
				w.do("user: APPLE")
				put("hidden", nestor.Message{Role: nestor.RoleUser, Type: nestor.MessageText, Content: "BERRY", IsLLMMessage: new(false)})
				put("draft", nestor.Message{Role: nestor.RoleSystem, Type: nestor.MessageSummary, Content: "CHERRY", IsLLMMessage: new(false)})
				put("sum", nestor.Message{Role: nestor.RoleSystem, Type: nestor.MessageSummary, Content: "DATE", RepliesTo: tt.repliesTo, IsLLMMessage: new(true)})
				put("report", nestor.Message{Role: nestor.RoleAssistant, Type: nestor.MessageText, Content: "ELDER", IsLLMMessage: new(true)})
				put("notice", nestor.Message{Role: nestor.RoleSystem, Type: nestor.MessageStatus, Content: "FIG"})
				w.do("user: GRAPE")
				seen := strings.Join(l.shown, "\n")
				for _, want := range []string{"DATE", "ELDER", "GRAPE"} {
					if !strings.Contains(seen, want) {
						t.Errorf("the model does not see %s in\n%s", want, seen)
					}
				}
				for _, hidden := range []string{"APPLE", "BERRY", "CHERRY", "FIG"} {
					if strings.Contains(seen, hidden) {
						t.Errorf("the model sees %s in\n%s", hidden, seen)
					}
				}
				for _, m := range list[nestor.Message](w, w.chat, "messages") {
					if m.RepliesTo == "hidden" || strings.Contains(strings.Join(m.Answers, " "), "hidden") {
						t.Errorf("%q answers what is not for the model", m.Content)
					}
				}
			})
		}
	})
}
