package ration

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

var opts = Options{Of: "memory", PerUser: 2, All: 3, UserLine: 2, Line: 3}

func take(t *testing.T, r *Ration, user string, n int64) func() {
	t.Helper()
	back, err := r.Take(t.Context(), user, n)
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// asks takes in the background, and tells with what result.
func asks(ctx context.Context, r *Ration, user string, n int64) func() (bool, error) {
	var served bool
	var err error
	go func() {
		_, err = r.Take(ctx, user, n)
		served = err == nil
	}()
	synctest.Wait()
	return func() (bool, error) {
		synctest.Wait()
		return served, err
	}
}

func TestNobodyHasMoreThanTheirShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(opts)
		back := take(t, r, "a", 2)
		second := asks(t.Context(), r, "a", 1)
		take(t, r, "b", 1) // it passes those who wait for their own share
		if served, err := second(); served || err != nil {
			t.Fatalf("a has more than its share: %v", err)
		}
		back()
		back() // twice is once
		if served, err := second(); !served {
			t.Errorf("a still waits: %v", err)
		}
		take(t, r, "a", 1)
		if r.taken != 3 {
			t.Errorf("%d are taken", r.taken)
		}
	})
}

func TestWhatIsMoreThanAShareIsTheShare(t *testing.T) {
	r := New(opts)
	take(t, r, "a", 100)()
	if r.taken != 0 || len(r.users) != 0 {
		t.Errorf("%d are taken, %v", r.taken, r.users)
	}
}

func TestALineIsServedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(opts)
		back := take(t, r, "a", 2)
		large := asks(t.Context(), r, "b", 2)
		small := asks(t.Context(), r, "c", 1)
		if served, _ := small(); served {
			t.Error("who came later was served first")
		}
		back()
		if served, err := large(); !served {
			t.Errorf("the first in line still waits: %v", err)
		}
		if served, err := small(); !served {
			t.Errorf("the second in line still waits: %v", err)
		}
	})
}

func TestTheLineIsShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(opts)
		take(t, r, "a", 2)
		first, second := asks(t.Context(), r, "a", 1), asks(t.Context(), r, "a", 1)
		_, err := r.Take(t.Context(), "a", 1)
		if !errors.Is(err, nestor.ErrRateLimited) || !errors.As(err, new(nestor.PutOff)) {
			t.Errorf("the third of a user in line: %v", err)
		}
		if wait, ok := nestor.WaitOf(err); !ok || wait <= 0 {
			t.Errorf("nobody says when to come again: %v", err)
		}
		time.Sleep(11 * time.Second) // virtual
		for _, one := range []func() (bool, error){first, second} {
			if served, err := one(); served || !errors.Is(err, nestor.ErrRateLimited) {
				t.Errorf("it waited for ever: %v", err)
			}
		}
	})
}

func TestWhoLeavesTheLineHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(opts)
		take(t, r, "a", 2)
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("gone")
		large, small := asks(ctx, r, "b", 2), asks(t.Context(), r, "c", 1)
		cancel(gone)
		if served, err := large(); served || !errors.Is(err, gone) {
			t.Errorf("%v", err)
		}
		if served, err := small(); !served {
			t.Errorf("who came after still waits: %v", err)
		}
	})
}
