package llm

import (
	"context"
	"iter"
)

// Places are how many calls may run at the same time. Models that share them
// share the limit.
type Places chan struct{}

// NewPlaces are n places, and at least one.
func NewPlaces(n int) Places { return make(Places, max(n, 1)) }

func (p Places) take(ctx context.Context, name string) error {
	select {
	case p <- struct{}{}:
		return nil
	default:
	}
	waits(ctx, Waiting{Place: true})
	select {
	case p <- struct{}{}:
		waits(ctx, Waiting{})
		return nil
	case <-ctx.Done():
		return Interrupted(ctx, "the wait for a place at "+name)
	}
}

func (p Places) leave() { <-p }

// Limit lets as many calls of model run at the same time as there are places;
// others wait for a place or for the end of their context. A call holds its
// place until its loop ends. Put Limit inside [Retry], so that a call that
// backs off holds none.
func Limit(model Model, places Places) Model { return &limited{model, places} }

type limited struct {
	Model
	places Places
}

func (m *limited) Generate(ctx context.Context, req *Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if err := m.places.take(ctx, m.Name()); err != nil {
			yield(nil, err)
			return
		}
		defer m.places.leave()
		m.Model.Generate(ctx, req)(yield)
	}
}
