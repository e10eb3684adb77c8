package trigger

import (
	"slices"

	"github.com/nestorhq/nestor"
)

// Parse reads triggers that are part of the program. It panics if something is
// wrong with them: every start would meet it.
func Parse(name string, data []byte) []nestor.Trigger {
	f := newFile(name, data, nil, &BuiltIn{})
	triggers := f.triggers()
	if err := f.err(); err != nil {
		panic(err)
	}
	return triggers
}

// Load reads a triggers file: an object, or the bare list of triggers. It takes
// the place of the built-in triggers unless it says "extend": true; then its
// triggers are added to them, and one with the id of a built-in trigger changes
// the fields of it that it names.
//
// The name is used in errors only. ${NAME} in headers and secrets is replaced
// by env("NAME"), which must not be empty. An error lists every problem of the
// file, one per line, and never shows a secret.
func Load(name string, data []byte, env func(string) string, b BuiltIn) ([]nestor.Trigger, error) {
	f := newFile(name, data, env, &b)
	triggers := f.triggers()
	if err := f.err(); err != nil {
		return nil, err
	}
	return triggers, nil
}

// triggers reads the whole file.
func (f *file) triggers() []nestor.Trigger {
	root, ok := f.parse()
	if !ok {
		return nil
	}
	var list *node
	extend := false
	if root.kind == array {
		list, root = new(root), node{kind: object}
	}
	if !f.is(root, object, "the file") {
		return nil
	}
	f.members(root, "", func(m *member) bool {
		switch m.name {
		case "triggers":
			if f.is(m.value, array, "triggers") {
				list = &m.value
			}
		case "extend":
			if f.is(m.value, boolean, "extend") {
				f.decode(m.value, &extend)
			}
		default:
			return false
		}
		return true
	}, "triggers", "extend")
	if list == nil {
		if len(f.problems) == 0 {
			f.fail(root.start, `"triggers" is missing`)
		}
		return nil
	}
	var out []nestor.Trigger
	if extend {
		out = f.builtIn.Defaults()
	}
	builtIn := len(out)
	seen := map[string]int{} // id → where
	for i, n := range list.items {
		e := f.entry(n, i, out[:builtIn])
		if e == nil {
			continue
		}
		id := e.trigger.ID
		if first, ok := seen[id]; ok && id != "" {
			f.fail(e.offset("id"), "%s: the id is taken by the trigger in line %d", e.label, f.line(first))
			continue
		}
		seen[id] = e.offset("id")
		same := func(t nestor.Trigger) bool { return t.ID == id }
		if at := slices.IndexFunc(out[:builtIn], same); at >= 0 {
			out[at] = e.trigger
		} else {
			out = append(out, e.trigger)
		}
	}
	return out
}
