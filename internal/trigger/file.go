package trigger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
)

// file is a triggers file being read, and what is wrong with it.
type file struct {
	name     string
	data     []byte
	env      func(string) string
	builtIn  *BuiltIn
	problems []located
}

// located is a problem and the byte at which it lies.
type located struct {
	offset int
	text   string
}

func newFile(name string, data []byte, env func(string) string, b *BuiltIn) *file {
	return &file{name: name, data: data, env: env, builtIn: b}
}

// fail notes a problem. It takes one line, whatever the file has in its names.
func (f *file) fail(offset int, format string, args ...any) {
	line := strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(fmt.Sprintf(format, args...))
	f.problems = append(f.problems, located{offset, line})
}

// err joins the problems, in the order of the file.
func (f *file) err() error {
	if len(f.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(f.problems, func(a, b located) int { return a.offset - b.offset })
	lines := make([]string, len(f.problems))
	for i, p := range f.problems {
		lines[i] = fmt.Sprintf("%s:%d:%d: %s", f.name, f.line(p.offset), f.column(p.offset), p.text)
	}
	return nestor.Errorf(nestor.CodeInvalid, "%s", strings.Join(lines, "\n"))
}

func (f *file) line(offset int) int { return bytes.Count(f.data[:offset], []byte("\n")) + 1 }

func (f *file) column(offset int) int {
	line := f.data[bytes.LastIndexByte(f.data[:offset], '\n')+1 : offset]
	return utf8.RuneCount(line) + 1
}

// parse reads the JSON. False means that it is none, which was reported.
func (f *file) parse() (node, bool) {
	for at := 0; at < len(f.data); {
		r, size := utf8.DecodeRune(f.data[at:])
		if r == utf8.RuneError && size == 1 {
			f.fail(at, "the file is not valid UTF-8")
			return node{}, false
		}
		at += size
	}
	var whole json.RawMessage
	if err := json.Unmarshal(f.data, &whole); err != nil {
		at := len(f.data)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) && !strings.HasPrefix(syntax.Error(), "unexpected end") {
			at = max(0, int(syntax.Offset)-1)
		}
		f.fail(at, "the file is not JSON: %v", err)
		return node{}, false
	}
	return parseNodes(f.data), true
}

// members hands every member of an object to use, which reports whether it
// knows the name. Unknown and repeated names are problems; the label goes
// before them.
func (f *file) members(n node, label string, use func(*member) bool, known ...string) {
	seen := map[string]bool{}
	for i := range n.members {
		m := &n.members[i]
		switch {
		case seen[m.name]:
			f.fail(m.start, "%sfield %q is repeated", label, m.name)
		case !use(m):
			f.fail(m.start, "%sunknown field %q: the fields are %s", label, m.name, strings.Join(known, ", "))
		}
		seen[m.name] = true
	}
}

// is reports whether n is of the kind that what must be, and a problem if not.
func (f *file) is(n node, want kind, what string) bool {
	if n.kind != want {
		f.fail(n.start, "%s must be %s, not %s", what, want, n.kind)
	}
	return n.kind == want
}

// decode reads a value whose kind fits v.
func (f *file) decode(n node, v any) error { return json.Unmarshal(f.data[n.start:n.end], v) }
