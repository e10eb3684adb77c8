package trigger

import (
	"context"
	"testing"
	"testing/synctest"
)

func TestAGateLetsInAsManyAsItIsWide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(2)
		inside := make(chan func(), 10)
		enter := func(host string) {
			leave, err := g.enter(t.Context(), host)
			if err != nil {
				t.Error(err)
			}
			inside <- leave
		}
		for range 5 {
			go enter("a")
		}
		synctest.Wait()
		if n := len(inside); n != 2 {
			t.Fatalf("%d are inside, want 2", n)
		}
		enter("b") // another host is not affected
		for range 3 {
			(<-inside)()
		}
		synctest.Wait()
		if n := len(inside); n != 2 {
			t.Fatalf("%d are inside after all had left, want 2", n)
		}
		for range 3 {
			(<-inside)()
		}
		if n := len(g.byHost); n != 0 {
			t.Errorf("%d gates are kept with nobody at them", n)
		}
	})
}

func TestWaitingAtAGateEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(1)
		leave, err := g.enter(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() {
			_, err := g.enter(ctx, "a")
			gone <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-gone; err == nil {
			t.Error("it got in")
		}
		leave()
		if n := len(g.byHost); n != 0 {
			t.Errorf("%d gates are kept with nobody at them", n)
		}
	})
}
