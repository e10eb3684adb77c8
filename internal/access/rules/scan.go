package rules

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Scan implements [store.Scanner]. It finds nothing that Get would refuse. How far it
// reached may be told by a document that the caller may not see, so what goes out of it is
// to be sealed by [Engine.SealCursor].
func (g *guard) Scan(s store.Scan) (store.Scanned, error) {
	q := store.Query{Collection: s.Collection, Flat: s.Flat, Where: s.Where}
	if err := g.judge.narrow(&q); err != nil {
		return store.Scanned{}, err
	}
	s.Where = q.Where
	found, err := g.reader.(store.Scanner).Scan(s)
	if err != nil {
		return store.Scanned{}, err
	}
	readable := []*nestor.Document{}
	for _, d := range found.Items {
		err := g.judge.May(Read, d.Path, d, nil)
		if err != nil && !isNotFound(err) {
			return store.Scanned{}, err
		}
		if err == nil {
			readable = append(readable, d)
		}
	}
	found.Items = readable
	return found, nil
}
