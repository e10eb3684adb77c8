package trigger

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Timeouts of one attempt where the trigger names none.
const (
	webhookTimeout = 30 * time.Second
	handlerTimeout = 10 * time.Minute
)

// webhookRetry is the patience with a receiver where the trigger has no retryPolicy:
// about four hours. A receiver that is deployed anew or moved loses nothing.
var webhookRetry = nestor.RetryPolicy{
	MaxAttempts: 15, InitialBackoff: nestor.Duration(5 * time.Second), MaxBackoff: nestor.Duration(time.Hour),
}

// rule is a compiled trigger.
type rule struct {
	nestor.Trigger     // with its defaults filled in
	place          int // in the order of the set
	action         Action
	key            keyTemplate
	condition      *condition                // nil: always true
	signer         *standardwebhooks.Webhook // nil: unsigned
	begins         *rule                     // for one of [BuiltIn.goesOn]: whose work goes on
	needless       func(*store.Event) bool   // of its stage, or nil
	detached       bool                      // no run waits for its jobs

	enabled                  atomic.Bool
	fired, lastFired, errors atomic.Int64
	lastError                atomic.Pointer[string] // of its condition
}

// newRule compiles a trigger and lists what is wrong with it. The rule is
// complete only if that is nothing.
func (b *BuiltIn) newRule(t nestor.Trigger, place int) (*rule, []problem) {
	var c checker
	r := &rule{Trigger: t, place: place}
	c.fails("id", nestor.CheckID(t.ID))
	c.collection(t.Collection)
	c.events(t.Events)
	c.retry(t.Retry)
	c.timeout(time.Duration(t.Timeout))
	c.headers(t.Headers)
	c.secret(t.Secret)

	var err error
	r.action, err = ParseAction(t.Action)
	c.fails("action", err)
	if r.action.Handler != "" {
		c.fails("action", b.checkHandler(r.action.Handler))
		c.builtIn(&t)
	}
	_, err = parseKey(t.Key)
	c.fails("key", err)
	if t.Condition != "" {
		var faults []fault
		r.condition, faults = compile(t.Condition)
		c.condition(faults)
	}
	if t.Secret != "" {
		r.signer, _ = standardwebhooks.NewWebhook(t.Secret) // fails where c.secret did
	}
	r.enabled.Store(t.Enabled == nil || *t.Enabled)
	r.fillDefaults(b)
	r.key, _ = parseKey(r.Key) // fails where the trigger's own did
	return r, c.problems
}

func (r *rule) fillDefaults(b *BuiltIn) {
	if r.Events == nil {
		r.Events = []nestor.ChangeType{nestor.Create, nestor.Update}
	}
	s, _ := b.stage(r.action.Handler)
	if s.Key != "" {
		r.Key, r.Coalesce = s.Key, s.Coalesce
	}
	r.needless = s.Needless
	r.Key = cmp.Or(r.Key, defaultKey)
	timeout := handlerTimeout
	if r.action.URL != nil {
		timeout = webhookTimeout
		if r.Retry == (nestor.RetryPolicy{}) {
			r.Retry = webhookRetry
		}
	}
	// Whom a user tells of something may be away for hours. A program that takes the place
	// of a stage, under the name of the trigger, does a part of the work.
	r.detached = r.action.Handler == Log || r.action.URL != nil &&
		!slices.ContainsFunc(b.Triggers, func(t nestor.Trigger) bool { return t.ID == r.ID })
	r.Retry = r.Retry.WithDefaults()
	r.Timeout = cmp.Or(r.Timeout, nestor.Duration(timeout))
}

// outcome says what came of asking a rule about an event that it listens to.
type outcome int

const (
	notTrue    outcome = iota
	trueBefore         // and still true, so nothing happened
	needless           // true, and the handler has nothing to do
	unconditional
	isTrue
	becameTrue
)

func (o outcome) fires() bool { return o >= unconditional }

// on reports whether the rule is in force.
func (r *rule) on() bool {
	if r.begins != nil {
		r = r.begins
	}
	return r.enabled.Load()
}

// judge decides whether the rule fires. An error is always notTrue.
func (r *rule) judge(s *scope) (outcome, error) {
	o, err := r.ask(s)
	if o.fires() && r.needless != nil && r.needless(s.event) {
		return needless, nil
	}
	return o, err
}

// ask decides what the condition says. On an update it must become true; that it
// could not be evaluated on the old document means that it was not.
func (r *rule) ask(s *scope) (outcome, error) {
	if r.condition == nil {
		return unconditional, nil
	}
	now, err := r.condition.holds(s)
	switch {
	case !now:
		return notTrue, err
	case s.event.Type != nestor.Update || !r.condition.transition:
		return isTrue, nil
	}
	if before, _ := r.condition.holds(s.past()); before {
		return trueBefore, nil
	}
	return becameTrue, nil
}

// job is the work that the rule does for c.
func (r *rule) job(c *nestor.Change) nestor.Job {
	j := nestor.Job{
		ID:       nestor.JobID(r.ID, c),
		Key:      r.key.fill(r.ID, c),
		Trigger:  r.ID,
		Change:   *c,
		Coalesce: r.Coalesce,
		Detached: r.detached,
	}
	webhook := r.action.URL != nil
	if !webhook {
		j.Change.After = nil
	}
	if c.Type != nestor.Delete && !(webhook && r.IncludeBefore) {
		j.Change.Before = nil
	}
	return j
}
