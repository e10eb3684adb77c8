package trigger

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Moment is something that happens and is left undone if no trigger fires on it.
type Moment struct {
	// Trigger is the built-in one for it, and Undone says what is left undone
	// without it.
	Trigger, Undone string
	Path            nestor.Path
	// Before and After are the document; no Before for one that is created.
	Before, After string
	// Handler, if set, is the only one that does the work: others that fire at
	// the same moment do something else.
	Handler string
}

// Warnings say what the triggers leave undone of Nestor's own work, and what
// of them does not count.
func (s *Set) Warnings() []string {
	warnings := slices.Clone(s.ignored)
	for i := range s.builtIn.Moments {
		if m := &s.builtIn.Moments[i]; !s.handles(m) {
			warnings = append(warnings, fmt.Sprintf("nothing does the work of the built-in trigger %s: %s", m.Trigger, m.Undone))
		}
	}
	return warnings
}

// handles reports whether a trigger fires at the moment: if one handler alone does
// the work, a trigger of that handler, or a webhook under the built-in one's id.
func (s *Set) handles(m *Moment) bool {
	scope := newScope(m.event())
	for _, r := range s.index.candidates(scope) {
		if !r.on() || !s.does(r, m) {
			continue
		}
		if outcome, _ := r.judge(scope); outcome.fires() {
			return true
		}
	}
	return false
}

func (s *Set) does(r *rule, m *Moment) bool {
	if m.Handler != "" {
		return r.action.Handler == m.Handler || r.ID == m.Trigger
	}
	// A handler that is the only one for another moment does the work of that one.
	return !slices.ContainsFunc(s.builtIn.Moments, func(other Moment) bool {
		return other.Handler != "" && other.Handler == r.action.Handler
	}) && r.action.Handler != Log
}

func (m *Moment) event() *store.Event {
	document := func(body string) *nestor.Document {
		if body == "" {
			return nil
		}
		return &nestor.Document{Path: m.Path, Data: json.RawMessage(body)}
	}
	c := nestor.Change{Path: m.Path, Type: nestor.Create, Before: document(m.Before), After: document(m.After)}
	if m.Before != "" {
		c.Type = nestor.Update
	}
	return store.NewEvent(c)
}
