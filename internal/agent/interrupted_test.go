package agent_test

import (
	"context"
	"iter"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/llm"
)

// talker says a little and then nothing, until it is interrupted. It reports no
// usage.
type talker struct{ began chan struct{} }

func (*talker) Name() string { return "talker" }

func (m *talker) Generate(ctx context.Context, _ *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		if !yield(llm.Text{Text: "I was about to say a good deal"}, nil) {
			return
		}
		m.began <- struct{}{}
		<-ctx.Done()
		yield(nil, llm.Interrupted(ctx, "the reply"))
	}
}

func TestAnInterruptedReplyWithoutUsageIsEstimatedAndCharged(t *testing.T) {
	eachBench(t, func(t *testing.T, b *bench) {
		m := &talker{began: make(chan struct{}, 1)}
		w := newWorld(t, b, setup{models: map[string]llm.Model{"": m}, UserBudget: nestor.Budget{Tokens: 100_000}})
		w.say("Tell me.")
		<-m.began
		if err := w.agents.Stop(w.Context(), w.chat, "ann"); err != nil {
			t.Fatal(err)
		}
		w.rest()
		messages := list[nestor.Message](w, w.chat, "messages")
		said := messages[len(messages)-1]
		if said.Content != "I was about to say a good deal" || interrupted(said.Metadata) == "" {
			t.Fatalf("the last message is %+v", said)
		}
		used := said.Metadata.Usage
		if used == nil || used.InputTokens < 100 || used.OutputTokens < 7 || used.OutputTokens > 60 {
			t.Errorf("its usage is %+v", used)
		}
		day := list[budget.Day](w, w.chat.Parent(), "usage")
		if len(day) != 1 || day[0].Usage != *used || day[0].Calls != 1 {
			t.Errorf("charged is %+v, want %+v", day, used)
		}
		if st := w.stand(w.chat.Parent()); st.Used.Tokens != used.Tokens() || st.Reserved != (nestor.Allowance{}) {
			t.Errorf("the budget stands at %+v", st)
		}
	})
}
