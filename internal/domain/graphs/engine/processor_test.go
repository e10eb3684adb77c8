package engine

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor"
)

func TestNodesComputeForAUserWithinBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcessor(ProcessorLimits{Burst: 10 * time.Second, Share: 0.5})
		compute := func(user string, took time.Duration) error {
			return p.compute(t.Context(), user, func() { time.Sleep(took) })
		}
		for range 2 { // half of the time has been given back when it is over
			if err := compute("ann", 10*time.Second); err != nil {
				t.Fatal(err)
			}
		}
		if err := compute("ann", 0); !errors.As(err, new(nestor.PutOff)) || nestor.CodeOf(err) != nestor.CodeRateLimited || !strings.Contains(err.Error(), "computed for 10s") {
			t.Errorf("a user who has computed for long gets %v", err)
		}
		if err := compute("bob", time.Second); err != nil {
			t.Errorf("another user gets %v", err)
		}
		time.Sleep(10 * time.Second)
		if err := compute("ann", 0); err != nil {
			t.Errorf("later the user gets %v", err)
		}
		time.Sleep(time.Minute)
		if err := compute("ann", 0); err != nil || len(p.users) != 1 { // bob, who has not come again
			t.Errorf("%d users are remembered, %v", len(p.users), err)
		}
	})
}

func TestNodesOfOneUserComputeOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcessor(ProcessorLimits{})
		p.all = make(chan struct{}, 2)
		began := time.Now()
		for range 3 {
			go func() { _ = p.compute(t.Context(), "ann", func() { time.Sleep(time.Second) }) }()
		}
		synctest.Wait()
		if err := p.compute(t.Context(), "bob", func() {}); err != nil || time.Since(began) != 0 {
			t.Errorf("another user waits for %v, %v", time.Since(began), err)
		}
		synctest.Wait()
		if err := p.compute(t.Context(), "ann", func() {}); err != nil || time.Since(began) != 3*time.Second {
			t.Errorf("the last turn comes after %v, %v", time.Since(began), err)
		}
	})
}
