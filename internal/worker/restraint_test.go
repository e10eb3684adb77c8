package worker_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// crowded is a store of many nodes, of which others leave jobs all the time.
type crowded struct {
	store.Store
	left   chan struct{}
	claims atomic.Int64
	found  bool // this node gets one whenever it asks
	others int
}

func (c *crowded) Others() int { return c.others }

func (c *crowded) Observe(store.Turn, func(store.Commit))          {}
func (c *crowded) Join(context.Context, store.Lease) error         { return nil }
func (c *crowded) Renew(context.Context) error                     { return nil }
func (c *crowded) Leave(context.Context) error                     { return nil }
func (c *crowded) TakeOver(context.Context) (int, error)           { return 0, nil }
func (c *crowded) Missed(context.Context) (t time.Time, err error) { return t, nil }

func (c *crowded) Left() <-chan struct{}                                             { return c.left }
func (c *crowded) Complete(context.Context, *nestor.Job, func(store.Tx) error) error { return nil }

func (c *crowded) Claim(context.Context, int) (out store.Claimed, err error) {
	n := c.claims.Add(1)
	if c.found && n%2 == 0 { // after one that was claimed it asks for more
		out.Jobs = []nestor.Job{{ID: nestor.NewID(), Key: "k", Trigger: "h"}}
	}
	return out, nil
}

// claims are made in ten seconds in which others leave a thousand jobs a second.
func claims(t *testing.T, found bool, others int) (n int64) {
	synctest.Test(t, func(t *testing.T) {
		c := &crowded{left: make(chan struct{}, 1), found: found, others: others}
		w := worker.New(c, worker.Options{
			Handlers: map[string]worker.Handler{"h": {Run: func(context.Context, *nestor.Job) (worker.Effect, error) { return nil, nil }}},
			Plan:     plan(worker.Plan{}), Logger: slog.New(slog.DiscardHandler),
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- w.Run(ctx) }()
		for range 10_000 {
			time.Sleep(time.Millisecond)
			select {
			case c.left <- struct{}{}:
			default:
			}
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		n = c.claims.Load()
	})
	return n
}

func TestANodeThatAsksInVainLetsOthersGoFirst(t *testing.T) {
	// Up to a quarter of a second each time, half of it on average.
	if n := claims(t, false, 1); n > 200 {
		t.Errorf("a node asks %d times in ten seconds for what others get", n)
	}
	// Of many nodes each asks more seldom: up to a second each time.
	if n := claims(t, false, 1000); n > 40 {
		t.Errorf("one of a thousand nodes asks %d times in ten seconds for what others get", n)
	}
	if n := claims(t, true, 1); n < 10_000 {
		t.Errorf("a node asks %d times in ten seconds while it gets jobs", n)
	}
}
