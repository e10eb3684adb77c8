package store

import (
	"context"

	"github.com/nestorhq/nestor"
)

type outside struct{}

// FromOutside marks what people and programs ask for. It can be refused when too
// much waits ([Rules.Admit]). What the runtime does by itself, such as the steps of
// agents, is not marked and never refused: work under way must be able to end.
func FromOutside(ctx context.Context) context.Context { return context.WithValue(ctx, outside{}, true) }

type ending struct{}

// Ending marks what ends or removes something: it is never refused for want of room
// ([Rules.Room]), though it may have to write a little for that.
func Ending(ctx context.Context) context.Context { return context.WithValue(ctx, ending{}, true) }

func isEnding(ctx context.Context) bool { return ctx.Value(ending{}) != nil }

func isOutside(ctx context.Context) bool { return ctx.Value(outside{}) != nil }

type within struct{}

// Within bounds the runs that transactions with the context begin or take part in: see
// [nestor.Run.Reach].
func Within(ctx context.Context, reach ...nestor.Reach) context.Context {
	return context.WithValue(ctx, within{}, reach)
}

func reachIn(ctx context.Context) []nestor.Reach {
	reach, _ := ctx.Value(within{}).([]nestor.Reach)
	return reach
}
