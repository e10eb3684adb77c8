package nestor

import "strings"

// Glob matches slash-separated paths segment by segment: a literal matches
// itself, * matches one segment, and ** as the last segment matches any number
// of segments, none included. So users/*/orch-chats matches every user's chat
// collection, and users/u1/** matches users/u1 and everything below it.
type Glob string

// ParseGlob checks s. Its error names the column of the offending segment.
func ParseGlob(s string) (Glob, error) {
	if s == "" {
		return "", Errorf(CodeInvalid, "a pattern must not be empty")
	}
	if len(s) > MaxPathLength {
		return "", Errorf(CodeInvalid, "the pattern has %d characters: at most %d are allowed", len(s), MaxPathLength)
	}
	column := 1
	for seg, rest, more := cut(s); ; seg, rest, more = cut(rest) {
		switch {
		case seg == "*":
		case seg == "**":
			if more {
				return "", Errorf(CodeInvalid, "pattern %q, column %d: ** may only be the last segment", s, column)
			}
		case strings.Contains(seg, "*"):
			return "", Errorf(CodeInvalid, "pattern %q, column %d: * stands for a whole segment", s, column)
		default:
			if err := CheckID(seg); err != nil {
				return "", Errorf(CodeInvalid, "pattern %q, column %d: %w", s, column, err)
			}
		}
		if !more {
			return Glob(s), nil
		}
		column += len(seg) + 1
	}
}

func cut(s string) (seg, rest string, more bool) { return strings.Cut(s, "/") }

// Match reports whether the whole of path matches.
func (g Glob) Match(path string) bool {
	pattern, more := string(g), true
	for more {
		var want string
		want, pattern, more = cut(pattern)
		if want == "**" {
			return true
		}
		if path == "" {
			return false
		}
		got, rest, left := cut(path)
		if want != "*" && want != got {
			return false
		}
		if !left {
			// The path is used up; only a trailing ** may remain.
			return !more || pattern == "**"
		}
		path = rest
	}
	return false
}

// Meets reports whether there can be a path that both match.
func (g Glob) Meets(h Glob) bool {
	a, b := string(g), string(h)
	for moreA, moreB := true, true; ; {
		var x, y string
		x, a, moreA = cut(a)
		y, b, moreB = cut(b)
		switch {
		case x == "**" || y == "**":
			return true
		case x != "*" && y != "*" && x != y:
			return false
		case !moreA && !moreB:
			return true
		case !moreA:
			return b == "**"
		case !moreB:
			return a == "**"
		}
	}
}

// GlobIndex finds, among any number of globs, the values whose glob matches a
// path. A look-up walks the path's segments, so its cost does not grow with
// the number of globs that do not match. The zero value is empty and ready; it
// is not safe for concurrent writes.
type GlobIndex[T comparable] struct {
	root globNode[T]
}

type globNode[T comparable] struct {
	literal map[string]*globNode[T]
	star    *globNode[T]
	here    []T // globs that end at this segment
	tail    []T // globs whose ** begins here
}

// Add files value under g.
func (x *GlobIndex[T]) Add(g Glob, value T) {
	n := &x.root
	for seg := range strings.SplitSeq(string(g), "/") {
		if seg == "**" {
			n.tail = append(n.tail, value)
			return
		}
		n = n.child(seg)
	}
	n.here = append(n.here, value)
}

// Remove takes out what Add filed under the same glob, and the nodes that
// are empty afterwards.
func (x *GlobIndex[T]) Remove(g Glob, value T) {
	x.root.remove(string(g), value)
}

// Match calls yield for every value whose glob matches path.
func (x *GlobIndex[T]) Match(path string, yield func(T)) {
	x.root.match(path, yield)
}

func (n *globNode[T]) child(seg string) *globNode[T] {
	if seg == "*" {
		if n.star == nil {
			n.star = &globNode[T]{}
		}
		return n.star
	}
	if n.literal == nil {
		n.literal = map[string]*globNode[T]{}
	}
	c := n.literal[seg]
	if c == nil {
		c = &globNode[T]{}
		n.literal[seg] = c
	}
	return c
}

func (n *globNode[T]) match(path string, yield func(T)) {
	for _, v := range n.tail {
		yield(v)
	}
	if path == "" {
		for _, v := range n.here {
			yield(v)
		}
		return
	}
	seg, rest, _ := cut(path)
	if c := n.literal[seg]; c != nil {
		c.match(rest, yield)
	}
	if n.star != nil {
		n.star.match(rest, yield)
	}
}

func (n *globNode[T]) remove(glob string, value T) {
	if glob == "" {
		n.here = without(n.here, value)
		return
	}
	seg, rest, _ := cut(glob)
	switch {
	case seg == "**":
		n.tail = without(n.tail, value)
	case seg == "*" && n.star != nil:
		if n.star.remove(rest, value); n.star.empty() {
			n.star = nil
		}
	case n.literal[seg] != nil:
		c := n.literal[seg]
		if c.remove(rest, value); c.empty() {
			delete(n.literal, seg)
		}
	}
}

func (n *globNode[T]) empty() bool {
	return len(n.literal) == 0 && n.star == nil && len(n.here) == 0 && len(n.tail) == 0
}

func without[T comparable](s []T, value T) []T {
	for i, v := range s {
		if v == value {
			return append(s[:i:i], s[i+1:]...)
		}
	}
	return s
}
