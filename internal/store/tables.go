package store

import "github.com/nestorhq/nestor"

// Tables holds what an engine keeps about the table of each collection, such as
// its statements.
type Tables[T any] struct {
	*Catalogue
	of map[*Collection]T
}

// NewTables calls describe for each table of a catalogue.
func NewTables[T any](c *Catalogue, describe func(*Collection) T) Tables[T] {
	t := Tables[T]{c, map[*Collection]T{}}
	for _, collection := range c.Tables() {
		t.of[collection] = describe(collection)
	}
	return t
}

// For is the table of a collection.
func (t Tables[T]) For(c *Collection) T { return t.of[c] }

// At is the table of the document at p.
func (t Tables[T]) At(p nestor.Path) T { return t.of[t.Of(p)] }
