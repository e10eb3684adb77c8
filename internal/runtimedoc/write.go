package runtimedoc

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
)

// write is a document as somebody wants to have it.
type write struct {
	Door
	in   *store.Collection
	path nestor.Path
	// before is nil for a new document. Both are without the fields that the server
	// sets whatever is sent.
	before, after map[string]any
	// changed are the names of the fields that differ, in their order.
	changed []string
}

// signed are the fields that the server replaces, whatever is sent in them.
var signed = []string{"authorId", "askedBy"}

// write reads a whole document.
func (d Door) write(p nestor.Path, before *nestor.Document, body any) (*write, error) {
	after, err := store.Object(body)
	if err != nil {
		return nil, err
	}
	return d.between(p, before, after)
}

// patch reads a change of a document.
func (d Door) patch(p nestor.Path, before *nestor.Document, body any) (*write, error) {
	if before == nil {
		return nil, nestor.Errorf(nestor.CodeNotFound, "there is no document %s", p)
	}
	change, err := store.Object(body)
	if err != nil {
		return nil, err
	}
	old, err := store.Object(before.Data)
	if err != nil {
		return nil, err
	}
	return d.between(p, before, store.Merge(old, change))
}

func (d Door) between(p nestor.Path, before *nestor.Document, after map[string]any) (*write, error) {
	w := &write{Door: d, in: kindOf(p), path: p, after: after}
	if before != nil {
		var err error
		if w.before, err = store.Object(before.Data); err != nil {
			return nil, err
		}
	}
	for _, fields := range []map[string]any{w.before, w.after} {
		maps.DeleteFunc(fields, func(name string, value any) bool {
			return value == nil || nestor.IsReserved(name) || slices.Contains(signed, name) ||
				slices.ContainsFunc(w.in.Keys, func(k store.Key) bool { return k.Field == name })
		})
	}
	for name, value := range w.after {
		if was, ok := w.before[name]; !ok || !reflect.DeepEqual(was, value) {
			w.changed = append(w.changed, name)
		}
	}
	for name := range w.before {
		if _, ok := w.after[name]; !ok {
			w.changed = append(w.changed, name)
		}
	}
	slices.Sort(w.changed)
	return w, nil
}

// entries are the ways in which the caller may write documents of the collection.
func (w *write) entries() (list []entry) {
	take := func(from []entry) {
		for _, e := range from {
			if e.in == w.in {
				list = append(list, e)
			}
		}
	}
	if w.Caller.Kind != access.AsWebhook {
		take(people)
	}
	if w.Caller.Kind == access.AsLocal {
		take(operator)
	}
	for _, s := range stages {
		if w.Caller.Kind == access.AsLocal || w.Caller.Kind == access.AsWebhook && slices.Contains(s.of, kindOf(w.Caller.Grant.Of)) {
			take(s.may)
		}
	}
	return list
}

// judge returns nil if an entry accepts the write, and else the reason of the one that
// came nearest to it.
func (w *write) judge() error {
	var why error
	nearest := -1
	for _, e := range w.entries() {
		passed, err := w.accepts(&e)
		if err == nil {
			return nil
		}
		if passed > nearest {
			nearest, why = passed, err
		}
	}
	if why == nil {
		why = nestor.Errorf(nestor.CodeForbidden, "you do not write %s: the runtime does. %s", w.in.Name, w.instead())
	}
	return why
}

func (w *write) instead() string {
	if w.Caller.Kind == access.AsWebhook {
		return "The token of a delivery writes what the stage says that was told of such a change"
	}
	return verbs[w.in]
}

// accepts reports why an entry does not allow the write, and how many of its conditions
// hold nevertheless.
func (w *write) accepts(e *entry) (passed int, err error) {
	for i, holds := range []func(*write, *entry) error{(*write).sets, (*write).speaks, (*write).moves, (*write).owns, (*write).fits} {
		if err := holds(w, e); err != nil {
			return i, err
		}
	}
	return 0, nil
}

// sets looks at the names of the fields.
func (w *write) sets(e *entry) error {
	allowed, does := e.create, "a new document has"
	if w.before != nil {
		allowed, does = e.change, "what changes is"
	}
	for _, name := range w.changed {
		switch {
		case len(allowed) == 0 && w.before != nil:
			return w.refuse(name, "%s stays as it was written: you cannot change its %s. %s", w.path, name, w.instead())
		case len(allowed) == 0:
			return nestor.Errorf(nestor.CodeForbidden, "you do not create %s: the runtime does. %s", w.in.Name, w.instead())
		case !slices.Contains(allowed, name):
			return w.refuse(name, "%s is not yours to set in %s: %s %s", name, w.in.Name, does, list(allowed))
		}
	}
	if len(allowed) == 0 && w.before == nil {
		return nestor.Errorf(nestor.CodeForbidden, "you do not create %s: the runtime does. %s", w.in.Name, w.instead())
	}
	return nil
}

// speaks looks at the role and type of a new message.
func (w *write) speaks(e *entry) error {
	if len(e.roles) == 0 || w.before != nil {
		return nil
	}
	if role := nestor.Role(w.text("role")); !slices.Contains(e.roles, role) {
		return w.refuse("role", "you do not write messages of role %q in %s: the role is %s", role, w.in.Name, list(e.roles))
	}
	if kind := nestor.MessageType(w.text("type")); kind != "" && !slices.Contains(e.types, kind) {
		return w.refuse("type", "you do not write messages of type %q in %s: the type is %s", kind, w.in.Name, list(e.types))
	}
	return nil
}

// moves looks at the status.
func (w *write) moves(e *entry) error {
	if len(e.born) > 0 && w.before == nil {
		if status, sent := w.after["status"]; sent && !slices.Contains(e.born, w.text("status")) {
			return w.invalid("status", "a new document in %s is %s, not %v", w.in.Name, list(e.born), status)
		}
	}
	if e.steps == nil || w.before == nil || len(w.changed) == 0 {
		return nil
	}
	was, _ := w.before["status"].(string)
	steps, next := e.steps[was], w.text("status")
	switch {
	case len(steps) == 0:
		return w.invalid("status", "%s is %s: nothing of it is yours to change any more. %s", w.path, was, verbs[w.in])
	case next != was && !slices.Contains(steps, next):
		return w.invalid("status", "%s is %s and cannot become %q: it can become %s", w.path, was, next, list(steps))
	}
	return nil
}

// owns looks whether the document belongs to what a program was told of.
func (w *write) owns(e *entry) error {
	if e.own == nil || w.Caller.Kind != access.AsWebhook {
		return nil
	}
	own, err := e.own(w)
	if err == nil && !own {
		err = nestor.Errorf(nestor.CodeForbidden, "%s does not belong to %s, whose change this token is for", w.path, w.Caller.Grant.Of)
	}
	return err
}

// fits asks the checks of an entry.
func (w *write) fits(e *entry) error {
	for _, check := range e.checks {
		if err := check(w); err != nil {
			return err
		}
	}
	return nil
}

// text is a field of the document as it is to be, "" if it is no text.
func (w *write) text(field string) string {
	text, _ := w.after[field].(string)
	return text
}

// chat is the chat that the document is or lies in.
func (w *write) chat() nestor.Path { return chatOf(w.path) }

func chatOf(p nestor.Path) nestor.Path {
	for p != "" && !store.Chats.Has(p) {
		p = p.Parent()
	}
	return p
}

func (w *write) refuse(field, format string, args ...any) error {
	return nestor.Errorf(nestor.CodeForbidden, format, args...).With("field", field)
}

func (w *write) invalid(field, format string, args ...any) error {
	return nestor.Errorf(nestor.CodeInvalid, format, args...).With("field", field)
}

// list names things for people.
func list[S ~string](all []S) string {
	texts := make([]string, len(all))
	for i, s := range all {
		texts[i] = string(s)
	}
	return strings.Join(texts, ", ")
}
