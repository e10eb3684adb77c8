package llm

import (
	"context"
	"iter"
)

// Fallback asks secondary when primary fails for a passing reason, under the
// rule of [Retry]: only while nothing has been yielded. Errors that the request
// or the configuration causes stay visible. The Finish of a reply by secondary
// names it, so that the reply is paid at the right price.
//
// Wrap primary in Retry first: it should have had its chance.
func Fallback(primary, secondary Model) Model {
	return &fallback{primary, secondary}
}

type fallback struct {
	Model
	secondary Model
}

func (m *fallback) Generate(ctx context.Context, req *Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		err := untilFirst(m.Model.Generate(ctx, req), yield)
		if err == nil {
			return
		}
		if !transient(err) || ctx.Err() != nil {
			yield(nil, err)
			return
		}
		for ev, err := range m.secondary.Generate(ctx, req) {
			if finish, ok := ev.(Finish); ok && finish.Model == "" {
				finish.Model = m.secondary.Name()
				ev = finish
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}
