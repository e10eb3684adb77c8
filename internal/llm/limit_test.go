package llm

import (
	"context"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor"
)

// slow is a model whose calls take a second.
type slow struct{ running, most atomic.Int32 }

func (m *slow) Name() string { return "slow" }

func (m *slow) Generate(context.Context, *Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if n := m.running.Add(1); n > m.most.Load() {
			m.most.Store(n)
		}
		defer m.running.Add(-1)
		<-time.After(time.Second)
		yield(finished, nil)
	}
}

func TestLimitRunsAtMostNCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &slow{}
		m := Limit(inner, NewPlaces(2))
		start := time.Now()
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				if _, err := play(t.Context(), m); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if most := inner.most.Load(); most != 2 {
			t.Errorf("%d calls ran at once, want 2", most)
		}
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("six calls took %v, want 3s", took)
		}
	})
}

func TestLimitStopsWaitingWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := Limit(&slow{}, NewPlaces(1))
		var wg sync.WaitGroup
		defer wg.Wait()
		wg.Go(func() { _, _ = play(context.Background(), m) })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := play(ctx, m); nestor.CodeOf(err) != nestor.CodeTimeout {
			t.Errorf("error %v, want code %q", err, nestor.CodeTimeout)
		}
	})
}

func TestLimitFreesThePlaceOfACallerWhoLeaves(t *testing.T) {
	m := Limit(&fake{turns: [][]any{{Text{"a"}, finished}, {finished}}}, NewPlaces(1))
	for range m.Generate(t.Context(), &Request{}) {
		break
	}
	if _, err := play(t.Context(), m); err != nil {
		t.Error(err)
	}
}

// What a call waits for is told as it changes: a place, the provider, the next attempt.
func TestACallTellsWhatItWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := nestor.Errorf(nestor.CodeRateLimited, "too many")
		places := NewPlaces(1)
		failing := &fake{turns: [][]any{{refused}, {finished}}}
		m := Retry(Limit(failing, places), RetryPolicy{InitialBackoff: 4 * time.Second})
		var mu sync.Mutex
		var told []Waiting
		ctx := Watched(t.Context(), func(w Waiting) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, w)
		})
		all := func() []Waiting {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(told)
		}
		places <- struct{}{}
		done := make(chan error)
		go func() {
			_, err := play(ctx, m)
			done <- err
		}()
		synctest.Wait()
		if told := all(); len(told) != 1 || !told[0].Place {
			t.Errorf("without a place it told %+v", told)
		}
		<-places
		synctest.Wait()
		if last := all()[len(all())-1]; last.Place || last.Failure != refused || time.Until(last.Again) <= 0 || time.Until(last.Again) > 5*time.Second {
			t.Errorf("after a failure it told %+v", last)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if last := all()[len(all())-1]; last != (Waiting{}) {
			t.Errorf("in the second attempt it told %+v", last)
		}
	})
}
