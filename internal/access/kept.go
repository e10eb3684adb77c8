package access

import (
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// kept are the documents that the server keeps about people: who they are, what
// lets them in, what they share and what they used. They can be read as rules
// allow, and written by nobody: not by their user, an administrator, a webhook's
// receiver or the bearer of NESTOR_TOKEN, and no rules file can change that. What
// may be changed about them is changed by routes of their own, which know what
// that is, and by the commands of the program.
//
// What lies above one of them is one of them, too. Otherwise a delete of that
// would delete it.
var kept = []nestor.Glob{
	"users/*",
	"users/*/keys/**",
	"users/*/sessions/**",
	"users/*/memberships/**",
	"users/*/usage/**",
	"users/*/ledgers/**",
	"users/*/audit/**",
	"users/*/invitations/**",
	"accounts/*",
	"accounts/*/projects/**",
	"accounts/*/departures/**",
	"accounts/*/ledgers/**",
	"accounts/*/invitations/**",
}

// Kept returns patterns for the documents that only the server writes, besides
// secrets.
func Kept() []nestor.Glob { return slices.Clone(kept) }

// Keeps reports whether the documents of a collection are among them.
func Keeps(c *store.Collection) bool {
	keys := make([]string, len(c.Keys))
	for i := range keys {
		keys[i] = "x"
	}
	return isKept(c.Path(keys, "x"))
}

func isKept(p nestor.Path) bool {
	return slices.ContainsFunc(kept, func(g nestor.Glob) bool { return g.Match(string(p)) })
}
