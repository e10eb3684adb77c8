package tokens

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// saying is a model that says what it is told to.
type saying []any

func (saying) Name() string { return "gpt-5" }

func (s saying) Generate(context.Context, *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		for _, v := range s {
			ev, _ := v.(llm.Event)
			err, _ := v.(error)
			if !yield(ev, err) {
				return
			}
		}
	}
}

func TestWhatAServerDoesNotReportIsEstimatedAndMarked(t *testing.T) {
	req, text := ask(prose(800)), prose(1600)
	half := len(text)/2 + 3 // in the middle of a word
	said := []any{llm.Text{Text: text[:half]}, llm.Text{Text: text[half:]}}
	done := llm.Finish{Reason: llm.ReasonStop}
	for _, tt := range []struct {
		name      string
		events    saying
		in, out   int64 // about
		estimated bool
	}{
		{"nothing is reported", append(said, done), 800, 1600, true},
		{"zeros are reported", append(said, llm.Usage{}, done), 800, 1600, true},
		{"less than nothing is reported", append(said, llm.Usage{Input: -5, Output: -1 << 62}, done), 800, 1600, true},
		{"only the input is reported", append(said, llm.Usage{Input: 7}, done), 7, 1600, true},
		{"only the output is reported", append(said, llm.Usage{Output: 7}, done), 800, 7, true},
		{"all is reported, in pieces", append([]any{llm.Usage{Input: 3}}, append(said, llm.Usage{Input: 5, Output: 7}, done)...), 5, 7, false},
		{"nothing was said", saying{llm.Usage{Input: 5}, done}, 5, 0, false},
		{"a call is all that was said", saying{llm.ToolCall{ID: "1", Name: "f", Arguments: `"` + text + `"`}, done}, 800, 1600, true},
		{"thoughts are all that was said", saying{llm.Reasoning{Text: text}, done}, 800, 1600, true},
		{"it breaks off after its report", append(said, llm.Usage{Input: 5, Output: 7}, nestor.ErrUnavailable), 5, 7, false},
		{"it breaks off without a report", append(said, nestor.ErrUnavailable), 0, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reports := 0
			r, err := llm.Collect(func(yield func(llm.Event, error) bool) {
				for ev, err := range Counted(tt.events).Generate(t.Context(), req) {
					if _, ok := ev.(llm.Usage); ok {
						reports++
					}
					if !yield(ev, err) {
						return
					}
				}
			})
			if broken := strings.HasPrefix(tt.name, "it breaks"); (err != nil) != broken {
				t.Fatal(err)
			}
			about := func(n, want int64) bool { return n == want || want > 100 && n > want*9/10 && n < want*11/10+60 }
			if u := r.Usage; !about(u.Input, tt.in) || !about(u.Output, tt.out) || u.Estimated != tt.estimated || reports > 1 {
				t.Errorf("%d reports, the last %+v", reports, u)
			}
		})
	}
}
