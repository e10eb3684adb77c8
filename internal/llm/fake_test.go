package llm

import (
	"context"
	"iter"
	"testing"

	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// fake is a model that plays one list of events and errors per call.
type fake struct {
	name  string
	turns [][]any // Event or error
	calls int
}

func (m *fake) Name() string { return m.name }

func (m *fake) Generate(context.Context, *Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		turn := m.turns[m.calls]
		m.calls++
		for _, step := range turn {
			switch step := step.(type) {
			case Event:
				if !yield(step, nil) {
					return
				}
			case error:
				yield(nil, step)
				return
			}
		}
	}
}

func play(ctx context.Context, m Model) (events []Event, err error) {
	for ev, err := range m.Generate(ctx, &Request{}) {
		if err != nil {
			return events, err
		}
		events = append(events, ev)
	}
	return events, nil
}
