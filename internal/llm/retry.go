package llm

import (
	"context"
	"iter"
	"time"

	"github.com/nestorhq/nestor"
)

// RetryPolicy says how often and how patiently a call is repeated.
type RetryPolicy struct {
	// MaxAttempts counts the first call, too. Defaults to 3.
	MaxAttempts int
	// InitialBackoff is the wait before the second attempt; it doubles from
	// attempt to attempt. Defaults to 500 ms.
	InitialBackoff time.Duration
	// MaxBackoff bounds every wait. A provider that asks for more is not asked
	// again: its error goes to the caller, who can wait without holding a call.
	// Defaults to 30 s.
	MaxBackoff time.Duration
}

// Retry repeats calls that failed for a passing reason: a rate limit, an
// overloaded or unreachable server, a broken connection. Other errors go to the
// caller at once.
//
// It repeats only while nothing has been yielded. From the first event on the
// caller may have shown text to a person, and a second attempt would say
// something else after it. That could not be taken back, so the error ends the
// reply and the caller decides about the whole turn.
func Retry(model Model, policy RetryPolicy) Model {
	return &retrying{model, policy.withDefaults()}
}

func (p RetryPolicy) withDefaults() RetryPolicy {
	if p.MaxAttempts <= 0 {
		p.MaxAttempts = 3
	}
	if p.InitialBackoff <= 0 {
		p.InitialBackoff = 500 * time.Millisecond
	}
	if p.MaxBackoff <= 0 {
		p.MaxBackoff = 30 * time.Second
	}
	return p
}

type retrying struct {
	Model
	policy RetryPolicy
}

func (m *retrying) Generate(ctx context.Context, req *Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for attempt := 1; ; attempt++ {
			err := untilFirst(m.Model.Generate(ctx, req), yield)
			if err == nil {
				return
			}
			wait, ok := m.policy.wait(attempt, err)
			if !ok {
				yield(nil, err)
				return
			}
			waits(ctx, Waiting{Again: time.Now().Add(wait), Failure: err})
			if err := Pause(ctx, wait, "the wait to call "+m.Name()+" again"); err != nil {
				yield(nil, err)
				return
			}
			waits(ctx, Waiting{})
		}
	}
}

// wait returns how long to wait after the failed attempt, or false to give up.
func (p RetryPolicy) wait(attempt int, err error) (time.Duration, bool) {
	if attempt >= p.MaxAttempts || !transient(err) {
		return 0, false
	}
	if after, ok := nestor.WaitOf(err); ok {
		return after, after <= p.MaxBackoff
	}
	return nestor.Backoff(p.InitialBackoff, p.MaxBackoff, attempt), true
}

// untilFirst passes a call's events on. It returns the error of a call that
// failed before its first event, and passes on any later one.
func untilFirst(events iter.Seq2[Event, error], yield func(Event, error) bool) error {
	first := true
	for ev, err := range events {
		if err != nil && first {
			return err
		}
		first = false
		if !yield(ev, err) {
			return nil
		}
	}
	return nil
}
