package trigger

import (
	"fmt"
	"time"

	"github.com/nestorhq/nestor"
)

// entry is one trigger of a file and where its fields stand.
type entry struct {
	file    *file
	node    node
	label   string
	trigger nestor.Trigger
	at      map[string]node
	bad     map[string]bool // fields that could not be read
}

// entry reads the trigger at n, number i of the list. It starts from the
// built-in trigger of the same id, if there is one. Nil means that n is no
// trigger at all.
func (f *file) entry(n node, i int, builtIn []nestor.Trigger) *entry {
	label := fmt.Sprintf("trigger #%d", i+1)
	if !f.is(n, object, label) {
		return nil
	}
	e := &entry{file: f, node: n, label: label, at: map[string]node{}, bad: map[string]bool{}}
	id := ""
	for _, m := range n.members {
		if fieldName(m.name) == "id" && m.value.kind == text && f.decode(m.value, &id) == nil && nestor.CheckID(id) == nil {
			e.label = fmt.Sprintf("trigger %q", id)
		}
	}
	for _, t := range builtIn {
		if t.ID == id {
			e.trigger = t
		}
	}
	f.members(n, e.label+": ", e.read,
		"id", "collection", "events", "condition", "action", "key", "coalesce", "headers", "retryPolicy", "timeout",
		"secret", "includeBefore", "enabled")
	_, problems := f.builtIn.newRule(e.trigger, i)
	for _, p := range problems {
		if !e.bad[p.field] {
			f.fail(e.offsetIn(p.field, p.character), "%s: %s", e.label, p.text)
		}
	}
	return e
}

// read takes over one field. It reports whether there is such a field.
func (e *entry) read(m *member) bool {
	name := fieldName(m.name)
	if _, again := e.at[name]; again {
		e.fail(m.value, name, "%s is there twice, under two names", name)
		return true
	}
	e.at[name] = m.value
	t := &e.trigger
	switch name {
	case "id":
		e.value(m, text, &t.ID)
	case "collection":
		e.value(m, text, (*string)(&t.Collection))
	case "events":
		t.Events = e.events(m)
	case "condition":
		e.value(m, text, &t.Condition)
	case "action":
		e.value(m, text, &t.Action)
	case "key":
		e.value(m, text, &t.Key)
	case "coalesce":
		e.value(m, boolean, &t.Coalesce)
	case "headers":
		t.Headers = e.headers(m)
	case "retryPolicy":
		t.Retry = e.retryPolicy(m)
	case "timeout":
		e.duration(m, m.name, &t.Timeout)
	case "secret":
		if e.value(m, text, &t.Secret) {
			e.expand(m.value, m.name, &t.Secret)
		}
	case "includeBefore":
		e.value(m, boolean, &t.IncludeBefore)
	case "enabled":
		e.value(m, boolean, &t.Enabled)
	default:
		return false
	}
	return true
}

// fieldName is our name of a field: Syntrix has others for two of them.
func fieldName(name string) string {
	switch name {
	case "triggerId":
		return "id"
	case "url":
		return "action"
	}
	return name
}

func (e *entry) value(m *member, want kind, v any) bool {
	if !e.file.is(m.value, want, e.label+": "+m.name) {
		e.bad[fieldName(m.name)] = true
		return false
	}
	return e.file.decode(m.value, v) == nil
}

func (e *entry) events(m *member) []nestor.ChangeType {
	events := []nestor.ChangeType{}
	if !e.value(m, array, new([]any)) {
		return nil
	}
	for _, n := range m.value.items {
		var event nestor.ChangeType
		if !e.file.is(n, text, e.label+": an event") {
			e.bad[m.name] = true
			continue
		}
		e.file.decode(n, &event)
		events = append(events, event)
	}
	return events
}

func (e *entry) headers(m *member) map[string]string {
	if !e.value(m, object, new(map[string]any)) {
		return nil
	}
	headers := map[string]string{}
	e.file.members(m.value, e.label+": headers: ", func(h *member) bool {
		what := "headers." + h.name
		e.at[what] = h.value
		var value string
		if !e.file.is(h.value, text, e.label+": "+what) {
			e.bad[what] = true
		} else if e.file.decode(h.value, &value) == nil {
			e.expand(h.value, what, &value)
		}
		headers[h.name] = value
		return true
	})
	return headers
}

func (e *entry) retryPolicy(m *member) nestor.RetryPolicy {
	var p nestor.RetryPolicy
	if !e.value(m, object, new(map[string]any)) {
		return p
	}
	e.file.members(m.value, e.label+": retryPolicy: ", func(r *member) bool {
		what := "retryPolicy." + r.name
		e.at[what] = r.value
		switch r.name {
		case "maxAttempts":
			if !e.file.is(r.value, number, e.label+": "+what) {
				e.bad[what] = true
			} else if e.file.decode(r.value, &p.MaxAttempts) != nil || p.MaxAttempts == 0 {
				e.fail(r.value, what, "%s must be a whole number from 1 to %d", what, maxAttempts)
			}
		case "initialBackoff":
			e.duration(r, what, &p.InitialBackoff)
		case "maxBackoff":
			e.duration(r, what, &p.MaxBackoff)
		default:
			return false
		}
		return true
	}, "maxAttempts", "initialBackoff", "maxBackoff")
	return p
}

// duration reads a duration. Zero is refused: in a [nestor.Trigger] it would
// mean the default.
func (e *entry) duration(m *member, what string, d *nestor.Duration) {
	if !e.file.is(m.value, text, e.label+": "+what) {
		e.bad[what] = true
	} else if err := e.file.decode(m.value, d); err != nil {
		e.fail(m.value, what, "%s: %v", what, err)
	} else if time.Duration(*d) == 0 {
		e.fail(m.value, what, "%s must be more than zero", what)
	}
}

// expand fills in the environment variables of a value.
func (e *entry) expand(n node, what string, value *string) {
	expanded, err := expand(*value, e.file.env)
	if err != nil {
		e.fail(n, what, "%s: %v", what, err)
	}
	*value = expanded
}

// fail reports a field that cannot be read, so that it is not judged further.
func (e *entry) fail(n node, what, format string, args ...any) {
	e.bad[what] = true
	e.file.fail(n.start, "%s: "+format, append([]any{e.label}, args...)...)
}

// offset is where a field's value begins, or the trigger if it has none.
func (e *entry) offset(field string) int { return e.offsetIn(field, -1) }

// offsetIn is the place of one character of a text field, counted from 0.
func (e *entry) offsetIn(field string, character int) int {
	n, ok := e.at[field]
	switch {
	case !ok:
		return e.node.start
	case character < 0:
		return n.start
	}
	return n.start + runeOffset(e.file.data[n.start:n.end], character)
}
