package rules

import (
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
)

// pattern matches the paths of documents: a literal matches itself, {name} one
// segment, and ** as the last segment everything below, at least one segment. So
// users/{userId}/** matches what a user has, and not the user.
type pattern struct {
	text     string
	segments []string // "" for a placeholder
	names    []string // of the placeholders, "" elsewhere
	tail     bool
}

func parsePattern(text string) (*pattern, error) {
	if len(text) > nestor.MaxPathLength {
		return nil, nestor.Errorf(nestor.CodeInvalid, "it has %d characters: at most %d are allowed", len(text), nestor.MaxPathLength)
	}
	p := &pattern{text: text}
	for seg := range strings.SplitSeq(text, "/") {
		if p.tail {
			return nil, nestor.Errorf(nestor.CodeInvalid, "** may only be the last segment")
		}
		name, isName := strings.CutPrefix(seg, "{")
		switch {
		case seg == "**":
			p.tail = true
			continue
		case isName:
			name = strings.TrimSuffix(name, "}")
			if len(name)+2 != len(seg) || !isIdentifier(name) {
				return nil, nestor.Errorf(nestor.CodeInvalid, "%q is not a placeholder such as {userId}", seg)
			}
			if slices.Contains(p.names, name) {
				return nil, nestor.Errorf(nestor.CodeInvalid, "{%s} stands there twice", name)
			}
			seg = ""
		default:
			if err := nestor.CheckID(seg); err != nil {
				return nil, err
			}
		}
		p.segments = append(p.segments, seg)
		p.names = append(p.names, name)
		if !isName {
			p.names[len(p.names)-1] = ""
		}
	}
	if !p.tail && len(p.segments)%2 != 0 {
		return nil, nestor.Errorf(nestor.CodeInvalid, "it has an odd number of segments: documents have an even one")
	}
	return p, nil
}

func isIdentifier(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// glob matches what the pattern does, and with ** what is just above as well.
func (p *pattern) glob() nestor.Glob {
	parts := slices.Clone(p.segments)
	for i, seg := range parts {
		if seg == "" {
			parts[i] = "*"
		}
	}
	if p.tail {
		parts = append(parts, "**")
	}
	return nestor.Glob(strings.Join(parts, "/"))
}

// fits reports whether a path that matches the glob matches the pattern.
func (p *pattern) fits(segments []string) bool {
	return !p.tail || len(segments) > len(p.segments)
}
