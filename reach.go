package nestor

import "slices"

// Reach bounds what work may touch, beyond the rights of those who asked for it. An API
// key or a webhook's token leaves one with the [Run] that it has a part in, so that the
// work never does more than the credential could do itself.
type Reach struct {
	// Key is the document of the API key that asked. The work has no rights once the key
	// is revoked.
	Key Path `json:"key,omitempty"`
	// Patterns are the documents that may be touched. None stands for all.
	Patterns []Glob `json:"patterns,omitempty"`
	// Until is when the reach ends, in Unix milliseconds, 0 for never.
	Until int64 `json:"until,omitempty"`
}

// Equal reports whether both are the same bound.
func (r Reach) Equal(s Reach) bool {
	return r.Key == s.Key && r.Until == s.Until && slices.Equal(r.Patterns, s.Patterns)
}

// Holds reports whether a document lies within the reach at a time in Unix milliseconds.
func (r Reach) Holds(p Path, now int64) bool {
	return (r.Until == 0 || now < r.Until) &&
		(len(r.Patterns) == 0 || slices.ContainsFunc(r.Patterns, func(g Glob) bool { return g.Match(string(p)) }))
}

// Narrowed is all of a and b, each once: work that several credentials have a part in
// stays within the reach of each.
func Narrowed(a, b []Reach) []Reach {
	for _, r := range b {
		if !slices.ContainsFunc(a, r.Equal) {
			a = append(slices.Clip(a), r)
		}
	}
	return a
}
