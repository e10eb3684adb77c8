package crashtest

import (
	"context"
	"slices"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/trigger"
)

var flowMatrix = matrix{
	name: "flow", program: runFlow,
	crashes: func(_ string, whole *life) []crash {
		list := whole.every(afterCommit, inHandler, inEffect)
		for n := range len(whole.passed[afterCommit]) / 3 { // some processes meet the same again
			list = append(list, crash{{Kind: afterCommit, N: 3 * (n + 1)}, {Kind: afterCommit, N: 1 + (n+1)%2}})
		}
		for n := range len(whole.passed[inHandler]) / 4 {
			list = append(list, crash{{Kind: inHandler, N: 4 * (n + 1)}, {Kind: inHandler, N: 1}})
		}
		return list
	},
	whole: func(t *trial, l *life) {
		for _, want := range []string{
			`document orders/o1: version 4, {"notified":true,"status":"done"}`,
			`document orders/o1/totals/all: version 4, {"count":3,"sum":6}`,
			`document orders/o1/summaries/all: version 1, {"squares":[1,4,9]}`,
			`log orders/o1/totals/all: create 1, update 2, update 3, update 4`,
			`log orders/o1/drafts/d1: create 1, delete 2`,
			`log orders/o1/drafts/d1/notes/n2: create 1, delete 2`,
			`jobs dead: 1`,
		} {
			if !slices.Contains(l.end, want) {
				t.Errorf("the flow did not leave %q", want)
			}
		}
	},
}

func TestAFlowThatIsKilledAnywhereEndsAsIfNothingHadHappened(t *testing.T) { flowMatrix.test(t) }

// runFlow starts the flow or goes on with it, to its end.
func runFlow(ctx context.Context, l *life) ([]string, error) {
	s, set, err := l.openWith(ctx, flowTriggers())
	if err != nil {
		return nil, err
	}
	f := &flow{s}
	if err := l.work(ctx, set, f.handlers(), placeOrder); err != nil {
		return nil, err
	}
	return endState(ctx, s)
}

// openWith opens a database in which changes queue jobs as the triggers say.
func (l *life) openWith(ctx context.Context, triggers []nestor.Trigger) (store.Store, *trigger.Set, error) {
	set, err := trigger.New(triggers, trigger.Options{})
	if err != nil {
		return nil, nil, err
	}
	s, err := l.open(ctx, store.Options{Rules: store.Rules{Planner: set}})
	return s, set, err
}

func placeOrder(ctx context.Context, s store.Store) error {
	return s.Update(ctx, func(tx store.Tx) error {
		_, err := tx.Create(orderPath, map[string]any{"status": "new"})
		return err
	})
}
