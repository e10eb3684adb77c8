package trigger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Stage is what a built-in handler declares about its own work, so that it holds
// however a trigger is written: which of its jobs must not run at the same time,
// and what makes it go on with work that has begun.
type Stage struct {
	// Name is the NAME of POST /webhook/NAME.
	Name string
	// Key of its jobs. The key of a trigger is for webhooks only. Defaults to
	// what the trigger says.
	Key string
	// Coalesce: the handler looks at the current state, so that of its jobs of a
	// key that wait to start one is enough.
	Coalesce bool
	// Needless reports whether the handler would find nothing to do about an event,
	// whatever else happens: then there is no job, which would only read and end. A
	// webhook in the place of the handler gets the event. Nil: there is always a job.
	Needless func(e *store.Event) bool
	// Again is an update that the handler must see, too, when a trigger has it
	// begin: nil if there is none.
	Again *nestor.Trigger
}

// Log is the handler that tells that a trigger fired: a way to try one out. It
// does nobody's work.
const Log = "log"

// BuiltIn is what the program itself has triggers for.
type BuiltIn struct {
	// Triggers are in force unless a file replaces or changes them.
	Triggers []nestor.Trigger
	// Reactions are in force whatever the triggers are: they keep a promise that
	// no stage, built-in or not, can be left to keep.
	Reactions []nestor.Trigger
	Stages    []Stage
	// Moments are looked at by [Set.Warnings].
	Moments []Moment
}

// Join puts together what several parts of the program have.
func Join(parts ...BuiltIn) BuiltIn {
	var all BuiltIn
	for _, p := range parts {
		all.Triggers = append(all.Triggers, p.Triggers...)
		all.Reactions = append(all.Reactions, p.Reactions...)
		all.Stages = append(all.Stages, p.Stages...)
		all.Moments = append(all.Moments, p.Moments...)
	}
	return all
}

func (b *BuiltIn) stage(handler string) (Stage, bool) {
	i := slices.IndexFunc(b.Stages, func(s Stage) bool { return s.Name == handler })
	if i < 0 {
		return Stage{}, false
	}
	return b.Stages[i], true
}

func (b *BuiltIn) isReaction(id string) bool {
	return slices.ContainsFunc(b.Reactions, func(t nestor.Trigger) bool { return t.ID == id })
}

// checkHandler refuses an action that nothing handles.
func (b *BuiltIn) checkHandler(name string) error {
	if _, ok := b.stage(name); ok || len(b.Stages) == 0 {
		return nil
	}
	names := make([]string, len(b.Stages))
	for i, s := range b.Stages {
		names[i] = s.Name
	}
	slices.Sort(names)
	return nestor.Errorf(nestor.CodeInvalid, "there is no built-in handler %q; there are: %s", name, strings.Join(names, ", "))
}

// goesOn returns the rules by which the handlers of rules go on with what they
// began, where no rule says so itself. Their jobs are those of the rule that
// began. Of several that begin with the same handler the first goes on.
func (b *BuiltIn) goesOn(rules []*rule) []*rule {
	var more []*rule
	for _, r := range rules {
		stage, _ := b.stage(r.action.Handler)
		again := stage.Again
		same := func(other *rule) bool { return other.action.Handler == r.action.Handler }
		if again == nil || slices.ContainsFunc(more, same) || slices.ContainsFunc(rules, func(other *rule) bool {
			return same(other) && other.Collection == again.Collection && other.Condition == again.Condition &&
				slices.Contains(other.Events, nestor.Update)
		}) {
			continue
		}
		t := r.Trigger
		t.Collection, t.Condition, t.Events = again.Collection, again.Condition, []nestor.ChangeType{nestor.Update}
		next, _ := b.newRule(t, len(rules)+len(more)) // the conditions are part of the program
		next.begins = r
		more = append(more, next)
	}
	return more
}

// ignored says what of a trigger does not count, because its handler decides it.
func (b *BuiltIn) ignored(r *rule, t *nestor.Trigger) []string {
	s, _ := b.stage(r.action.Handler)
	if s.Key == "" {
		return nil
	}
	var found []string
	if t.Key != "" && t.Key != s.Key {
		found = append(found, fmt.Sprintf("trigger %q: its key is ignored: the jobs of %s have the key %s", t.ID, r.action.Handler, s.Key))
	}
	if t.Coalesce && !s.Coalesce {
		found = append(found, fmt.Sprintf("trigger %q: coalesce is ignored: %s needs each of its jobs", t.ID, r.action.Handler))
	}
	return found
}

// Defaults are the triggers without a file, with what their handlers declare
// filled in, so that a webhook which takes the place of one has the same key.
func (b *BuiltIn) Defaults() []nestor.Trigger {
	triggers := slices.Clone(b.Triggers)
	for i, t := range triggers {
		action, _ := ParseAction(t.Action) // it is part of the program
		s, _ := b.stage(action.Handler)
		triggers[i].Key, triggers[i].Coalesce = cmp.Or(s.Key, t.Key), s.Coalesce || s.Key == "" && t.Coalesce
	}
	return triggers
}
