package rules

import (
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// target is a set of documents that somebody asks for, by the form of their
// paths.
type target struct {
	segments []segment
	// tail: and what lies below.
	tail bool
}

// segment has a value or, if it has none, the field that holds it.
type segment struct{ value, field string }

// queried is what a query asks for.
func queried(in *store.Catalogue, q store.Query) (t target, err error) {
	if c, ok := in.Flat(q.Flat); ok {
		return flatTarget(c), nil
	}
	if _, err := nestor.ParseCollectionPath(q.Collection); err != nil {
		return target{}, err
	}
	for value := range strings.SplitSeq(q.Collection, "/") {
		t.segments = append(t.segments, segment{value: value})
	}
	t.segments = append(t.segments, segment{field: "id"})
	return t, nil
}

// flatTarget is all documents of a kind.
func flatTarget(c *store.Collection) (t target) {
	keys := make([]string, len(c.Keys))
	for i, k := range c.Keys {
		keys[i] = k.Field
	}
	for i, s := range strings.Split(string(c.Path(keys, "id")), "/") {
		if i%2 == 0 {
			t.segments = append(t.segments, segment{value: s})
		} else {
			t.segments = append(t.segments, segment{field: s})
		}
	}
	return t
}

// matched is everything that a pattern matches.
func matched(p *pattern) target {
	t := target{tail: p.tail}
	for i, s := range p.segments {
		t.segments = append(t.segments, segment{value: s, field: p.names[i]})
	}
	return t
}

// meets reports whether a document of a target without a tail can match p.
func (t target) meets(p *pattern) bool {
	switch {
	case p.tail && len(t.segments) <= len(p.segments), !p.tail && len(t.segments) != len(p.segments):
		return false
	}
	for i, s := range p.segments {
		if s != "" && t.segments[i].value != "" && s != t.segments[i].value {
			return false
		}
	}
	return true
}

// within reports whether every document of a target without a tail matches p.
func (t target) within(p *pattern) bool {
	if !t.meets(p) {
		return false
	}
	for i, s := range p.segments {
		if s != "" && s != t.segments[i].value {
			return false
		}
	}
	return true
}

// glob matches the documents of the target that have the value in the segment;
// "" is any.
func (t target) glob(segment int, value string) nestor.Glob {
	parts := make([]string, len(t.segments), len(t.segments)+1)
	for i, s := range t.segments {
		parts[i] = s.value
		if i == segment && value != "" {
			parts[i] = value
		}
		if parts[i] == "" {
			parts[i] = "*"
		}
	}
	if t.tail {
		parts = append(parts, "**")
	}
	return nestor.Glob(strings.Join(parts, "/"))
}

// inChats reports whether the target is all chats or documents in chats and, if
// it is about one chat, which.
func (t target) inChats() (one []string, ok bool) {
	if len(t.segments) < 4 || t.segments[0].value != "users" || t.segments[2].value != "orch-chats" {
		return nil, false
	}
	user, id := t.segments[1].value, t.segments[3].value
	if user != "" && id != "" {
		one = []string{"users", user, "orch-chats", id}
	}
	return one, true
}
