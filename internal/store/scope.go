package store

import (
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
)

// Scope is a part of one collection that a client keeps a copy of: the
// documents of a collection path, such as users/u1/orch-chats/c1/messages.
//
// Where [Collection.ScopeKeys] says so the last ids on the path may be left
// open: users/u1/orch-chats/*/tasks are the tasks of all chats of a user.
type Scope struct {
	Collection *Collection

	pattern string
	key     []string // the values of the first key columns
}

// Scope reads a collection path whose last ids may be *.
func (c *Catalogue) Scope(pattern string) (Scope, error) {
	path := strings.ReplaceAll(pattern, "/*/", "/-/")
	if _, err := nestor.ParseCollectionPath(path); err != nil {
		return Scope{}, err
	}
	s := Scope{Collection: c.ofCollection(path), pattern: pattern, key: pathIDs(pattern)}
	open := slices.Index(s.key, "*")
	switch {
	case s.Collection == UserDocuments && open < 0:
		s.key = []string{pattern}
	case s.Collection == UserDocuments, open >= 0 && (open < s.Collection.ScopeKeys || slices.ContainsFunc(s.key[open:], notStar)):
		return Scope{}, nestor.Errorf(nestor.CodeInvalid, "%s cannot be followed as a whole: name more of the ids", pattern)
	case open >= 0:
		s.key = s.key[:open]
	}
	return s, nil
}

func notStar(id string) bool { return id != "*" }

func (s Scope) String() string { return s.pattern }

// Documents matches the paths of the scope's documents.
func (s Scope) Documents() nestor.Glob { return nestor.Glob(s.pattern + "/*") }

// Key gives the columns that all rows of the scope have in common, and their
// values.
func (s Scope) Key() (columns []string, values []any) {
	for _, v := range s.key {
		values = append(values, v)
	}
	return s.Collection.KeyColumns()[:len(values)], values
}

// Columns are those that tell the rows of the scope apart, and their content.
func (s Scope) Columns(d Dialect) []string { return s.Collection.Selected(d)[len(s.key):] }

// Scan reads a row of [Scope.Columns].
func (s Scope) Scan(scan func(...any) error) (*nestor.Document, error) {
	return s.Collection.scan(s.key, scan)
}

// Parents tells the scope's tombstones by their column parent: it equals from
// when to is "", else it lies between the two.
func (s Scope) Parents() (from, to string) {
	fixed, _, open := strings.Cut(s.pattern, "/*")
	if !open {
		return fixed + "/", ""
	}
	return fixed + "/", fixed + "0" // the character after the slash
}
