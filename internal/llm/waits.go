package llm

import (
	"context"
	"time"
)

// Waiting is what a call waits for before its reply begins. The zero value says that the
// provider was asked and has not answered yet.
type Waiting struct {
	// Place: other calls have all places of the connection.
	Place bool
	// Again is when the provider is asked again after Failure, zero if it has not failed.
	Again   time.Time
	Failure error
}

type watcherKey struct{}

// Watched has calls under ctx tell what they wait for, whenever that changes.
func Watched(ctx context.Context, tell func(Waiting)) context.Context {
	return context.WithValue(ctx, watcherKey{}, tell)
}

func waits(ctx context.Context, w Waiting) {
	if tell, ok := ctx.Value(watcherKey{}).(func(Waiting)); ok {
		tell(w)
	}
}
