package llm

import (
	"context"
	"iter"
)

// Limit lets at most n calls of model, and at least one, run at the same time;
// others wait for their turn or for the end of their context. A call holds its place until its
// loop ends. Put Limit inside [Retry], so that a call that backs off holds none.
func Limit(model Model, n int) Model {
	return &limited{model, make(chan struct{}, max(n, 1))}
}

type limited struct {
	Model
	places chan struct{}
}

func (m *limited) Generate(ctx context.Context, req *Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		select {
		case m.places <- struct{}{}:
		case <-ctx.Done():
			yield(nil, Interrupted(ctx, "the wait for a place at "+m.Name()))
			return
		}
		defer func() { <-m.places }()
		m.Model.Generate(ctx, req)(yield)
	}
}
