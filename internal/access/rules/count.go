package rules

import (
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
)

// Count implements [store.Counter]: how many documents all pages of the query would
// have. The store counts if a rule lets the caller read every one of them, whatever
// it holds; otherwise each is looked at.
func (g *guard) Count(q store.Query) (int, error) {
	if g.judge.seesAll(q) {
		return store.Count(g.reader, q)
	}
	return store.Walk(g, q)
}

// seesAll reports whether the caller is certain to see all that a query asks for.
// False says nothing.
func (j *Judge) seesAll(q store.Query) bool {
	t, err := queried(j.engine.opts.Catalogue, q)
	if err != nil || j.caller.Bounded() || !j.reaches(q) {
		return false
	}
	// A credential that is for no documents in particular reaches all or none.
	if !j.caller.Reaches(nestor.Path(t.glob(0, "")), access.ToRead, j.engine.opts.Now()) {
		return false
	}
	return slices.ContainsFunc(j.engine.reads, func(r *rule) bool { return t.within(r.path) && r.when.reach.covers(j, t) })
}
