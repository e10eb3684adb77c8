package store

import "math/rand/v2"

// few is how many nodes look for nodes that are gone in the time of one look. Each
// of them looks at all: if all did, the work would grow with the square of their number.
const few = 4

// OneOfFew reports whether a node that is to look after the others, of which there are
// so many, should do it this time. Up to a few nodes all do.
func OneOfFew(others int) bool { return others < few || rand.IntN(others+1) < few }
