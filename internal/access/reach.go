package access

import (
	"slices"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
)

// Need is what somebody wants of a document.
type Need int

// The needs.
const (
	ToRead Need = iota
	ToWrite
	// ToAct is to have the server do something about it.
	ToAct
)

// Reaches reports whether the caller's credential extends to a document at all.
// No rule can give more:
//
//   - Secrets are nobody's, and what the server keeps about people is nobody's to
//     write.
//   - A grant is for what lies at or below its path, and a key for its scopes.
//   - What is done on behalf of people stays within the reach of the keys and tokens that
//     had a part in asking for it.
//   - A credential that is [Caller.Bounded] does not act on users: it could give
//     itself a password or a key that is not.
//   - Nothing outlives its end.
func (c Caller) Reaches(p nestor.Path, need Need, now time.Time) bool {
	switch {
	case nestor.IsSecret(string(p)), over(c.Ends, now), need == ToWrite && isKept(p), need == ToAct && c.Bounded() && isUser(p), !c.within(p, now):
		return false
	case c.Kind == AsWebhook:
		return c.Grant.Path.Contains(p)
	case c.Kind == WithKey:
		level := ScopeWrite
		if need == ToRead {
			level = ScopeRead
		}
		return hasLevel(c.Scopes, level) && inGlobs(c.Scopes, p)
	}
	return true
}

// ReachesSome reports whether the credential reaches some document that g
// matches.
func (c Caller) ReachesSome(g nestor.Glob) bool {
	meets := func(patterns []nestor.Glob) bool { return len(patterns) == 0 || slices.ContainsFunc(patterns, g.Meets) }
	switch {
	case nestor.IsSecret(string(g)):
		return false
	case c.Kind == AsWebhook:
		return g.Meets(nestor.Glob(c.Grant.Path + "/**"))
	case c.Kind == WithKey:
		return meets(patterns(c.Scopes))
	}
	return !slices.ContainsFunc(c.Within, func(b nestor.Reach) bool { return !meets(b.Patterns) })
}

// ReachesBelow reports whether the credential extends to all that lies below a
// document that it can write. If not, each document below has to be asked about
// before they are all deleted together.
func (c Caller) ReachesBelow() bool {
	return c.Kind == AsWebhook || !c.Bounded()
}

// Bounded reports whether the credential is for some documents only: a
// webhook's, a key with globs, or what such a one asked for. It is no good for what is not a
// document.
func (c Caller) Bounded() bool {
	return c.Kind == AsWebhook || c.Kind == WithKey && len(patterns(c.Scopes)) > 0 ||
		slices.ContainsFunc(c.Within, func(b nestor.Reach) bool { return len(b.Patterns) > 0 })
}

// Root is the document that everything of the caller's own lies below.
func (c Caller) Root() nestor.Path {
	if c.Kind == AsWebhook {
		return c.Grant.Path
	}
	return userPath(c.UserID)
}

// Owns reports whether globs match only the caller's own documents.
func (c Caller) Owns(globs ...nestor.Glob) bool {
	root := string(c.Root())
	return !slices.ContainsFunc(globs, func(g nestor.Glob) bool {
		return string(g) != root && !strings.HasPrefix(string(g), root+"/")
	})
}

func isUser(p nestor.Path) bool { return nestor.Glob("users/*").Match(string(p)) }
