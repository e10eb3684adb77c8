package llm

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor"
)

var (
	errBusy    = nestor.Errorf(nestor.CodeUnavailable, "busy")
	errInvalid = nestor.Errorf(nestor.CodeInvalid, "no such model")
	finished   = Finish{Reason: ReasonStop}
)

func limitedFor(d time.Duration) error {
	return &nestor.Error{Code: nestor.CodeRateLimited, Message: "slow down", Err: nestor.RetryAfter(d)}
}

func TestRetry(t *testing.T) {
	for _, tt := range []struct {
		name       string
		policy     RetryPolicy
		turns      [][]any
		wantErr    error
		wantEvents []Event
		wantCalls  int
		// the whole call must take this long
		atLeast, atMost time.Duration
	}{
		{
			name:       "repeats until it works, backing off longer each time",
			turns:      [][]any{{errBusy}, {errBusy}, {Text{"hi"}, finished}},
			wantEvents: []Event{Text{"hi"}, finished},
			wantCalls:  3,
			atLeast:    750 * time.Millisecond, atMost: 1500 * time.Millisecond,
		},
		{
			name:      "gives up after the last attempt",
			policy:    RetryPolicy{MaxAttempts: 2},
			turns:     [][]any{{errBusy}, {errBusy}, {finished}},
			wantErr:   errBusy,
			wantCalls: 2,
			atLeast:   250 * time.Millisecond, atMost: 500 * time.Millisecond,
		},
		{
			name:       "waits exactly as long as the provider asks",
			turns:      [][]any{{limitedFor(7 * time.Second)}, {finished}},
			wantEvents: []Event{finished},
			wantCalls:  2,
			atLeast:    7 * time.Second, atMost: 7 * time.Second,
		},
		{
			name:      "does not wait longer than allowed",
			policy:    RetryPolicy{MaxBackoff: 5 * time.Second},
			turns:     [][]any{{limitedFor(6 * time.Second)}, {finished}},
			wantErr:   nestor.ErrRateLimited,
			wantCalls: 1,
		},
		{
			name:       "bounds the backoff",
			policy:     RetryPolicy{MaxAttempts: 4, InitialBackoff: time.Second, MaxBackoff: time.Second},
			turns:      [][]any{{errBusy}, {errBusy}, {errBusy}, {finished}},
			wantEvents: []Event{finished},
			wantCalls:  4,
			atLeast:    1500 * time.Millisecond, atMost: 3 * time.Second,
		},
		{
			name:      "fails at once for a lasting reason",
			turns:     [][]any{{errInvalid}, {finished}},
			wantErr:   errInvalid,
			wantCalls: 1,
		},
		{
			name:       "does not repeat a reply that has begun",
			turns:      [][]any{{Text{"On"}, errBusy}, {finished}},
			wantErr:    errBusy,
			wantEvents: []Event{Text{"On"}},
			wantCalls:  1,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &fake{turns: tt.turns}
				start := time.Now()
				events, err := play(t.Context(), Retry(m, tt.policy))
				if !errors.Is(err, tt.wantErr) {
					t.Errorf("error %v, want %v", err, tt.wantErr)
				}
				if !slices.Equal(events, tt.wantEvents) {
					t.Errorf("events %v, want %v", events, tt.wantEvents)
				}
				if m.calls != tt.wantCalls {
					t.Errorf("%d calls, want %d", m.calls, tt.wantCalls)
				}
				if took := time.Since(start); took < tt.atLeast || took > tt.atMost {
					t.Errorf("took %v, want between %v and %v", took, tt.atLeast, tt.atMost)
				}
			})
		})
	}
}

func TestRetryStopsWaitingWhenCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		_, err := play(ctx, Retry(&fake{turns: [][]any{{limitedFor(20 * time.Second)}}}, RetryPolicy{}))
		if nestor.CodeOf(err) != nestor.CodeCancelled || !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want code %q", err, nestor.CodeCancelled)
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("took %v, want 1s", took)
		}
	})
}

func TestRetryJitters(t *testing.T) {
	p := RetryPolicy{MaxAttempts: 2, InitialBackoff: time.Hour, MaxBackoff: time.Hour}
	first, _ := p.wait(1, errBusy)
	for range 20 {
		if next, _ := p.wait(1, errBusy); next != first {
			return
		}
	}
	t.Errorf("always waits %v", first)
}
