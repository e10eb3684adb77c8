package sharing

import (
	"context"

	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/runtimedoc"
	"github.com/nestorhq/nestor/internal/store"
)

// guarded is a store as the caller in a context may use it.
type guarded struct {
	store.Store
	rules *rules.Engine
	place Placer
}

// Guard returns s as callers may use it by the rules: [access.CallerIn] tells who
// they are. New chats get their place from place, if that is not nil.
func Guard(s store.Store, e *rules.Engine, place Placer) store.Store { return guarded{s, e, place} }

// View implements [store.Documents].
func (g guarded) View(ctx context.Context, fn func(store.Reader) error) error {
	return View(ctx, g.Store, g.rules, fn)
}

// Update implements [store.Documents].
func (g guarded) Update(ctx context.Context, fn func(store.Tx) error) error {
	return g.Store.Update(ctx, func(all store.Tx) error {
		caller := access.CallerIn(ctx)
		return fn(placing{Tx(all, g.rules, caller), all, g.rules.On(all, caller), g.place})
	})
}

// View reads what the caller in a context may read. Nothing else seems to be
// there.
func View(ctx context.Context, s store.Documents, e *rules.Engine, fn func(store.Reader) error) error {
	return s.View(ctx, func(all store.Reader) error { return fn(e.Reader(all, access.CallerIn(ctx))) })
}

// Tx is a transaction in which a caller writes what they may, under their own
// name.
func Tx(all store.Tx, e *rules.Engine, c access.Caller) store.Tx {
	door := doorOf(all, e, c)
	return completing{e.Guard(door.Tx(forking{account.Noting(Signed(runtimedoc.Inherit(all), c))}), c), door}
}
