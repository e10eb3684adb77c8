package store

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
)

// InOrder calls fn with documents, what lies above others first and otherwise
// in the order of their creation. Nil ones are left out.
func InOrder(docs []*nestor.Document, fn func(*nestor.Document) error) error {
	docs = slices.DeleteFunc(docs, func(d *nestor.Document) bool { return d == nil })
	slices.SortFunc(docs, func(a, b *nestor.Document) int {
		return cmp.Or(
			cmp.Compare(strings.Count(string(a.Path), "/"), strings.Count(string(b.Path), "/")),
			cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.CreatedSeq, b.CreatedSeq))
	})
	for _, d := range docs {
		if err := fn(d); err != nil {
			return err
		}
	}
	return nil
}
