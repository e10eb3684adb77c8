package trigger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Verdict says whether a trigger fires on an event, and why.
type Verdict struct {
	Trigger string `json:"trigger"`
	Fires   bool   `json:"fires"`
	// Reason is a sentence without its full stop.
	Reason string `json:"reason"`
}

// Explain judges an event by every trigger, in order. Nothing is counted, and
// every condition is evaluated that could be: the reasons are complete.
func (s *Set) Explain(e *store.Event) []Verdict {
	scope := newScope(e)
	verdicts := make([]Verdict, len(s.rules))
	for i, r := range s.rules {
		fires, reason := r.explain(scope)
		for _, next := range s.more {
			if next.begins == r && !fires && r.enabled.Load() {
				if fires, _ = next.explain(scope); fires {
					reason = "its handler goes on with what it began"
				}
			}
		}
		verdicts[i] = Verdict{Trigger: r.ID, Fires: fires, Reason: reason}
	}
	return verdicts
}

func (r *rule) explain(s *scope) (fires bool, reason string) {
	collection := s.event.Path.Collection()
	switch {
	case !r.enabled.Load():
		return false, "it is disabled"
	case !r.Collection.Match(collection):
		return false, fmt.Sprintf("its collection %s does not match %s", r.Collection, collection)
	case !slices.Contains(r.Events, s.event.Type):
		return false, fmt.Sprintf("it listens to %s, not to %s", join(r.Events), s.event.Type)
	}
	outcome, err := r.judge(s)
	if err != nil {
		return false, fmt.Sprintf("its condition cannot be evaluated: %v", err)
	}
	return outcome.fires(), outcome.String()
}

func (o outcome) String() string {
	switch o {
	case unconditional:
		return "it has no condition"
	case isTrue:
		return "its condition is true"
	case becameTrue:
		return "its condition became true"
	case trueBefore:
		return "its condition was true before the update already"
	case needless:
		return "its handler has nothing to do about it"
	}
	return "its condition is false"
}

func join(events []nestor.ChangeType) string {
	names := make([]string, len(events))
	for i, e := range events {
		names[i] = string(e)
	}
	return strings.Join(names, " and ")
}
