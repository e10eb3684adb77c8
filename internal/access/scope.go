package access

import (
	"slices"

	"github.com/nestorhq/nestor"
)

// The scopes of a key that say what it may do. Each includes those before it.
const (
	ScopeRead  = "read"
	ScopeWrite = "write"
	// ScopeAdmin is for what needs an admin, and for a user's own keys,
	// sessions and password.
	ScopeAdmin = "admin"
)

const maxScopes = 50

// checkScopes reports what is wrong with the scopes of a key. One of them is
// read, write or admin. All others are globs over the paths of documents: if
// there are any, the key reaches nothing else.
func checkScopes(scopes []string) error {
	invalid := func(format string, args ...any) error {
		return nestor.Errorf(nestor.CodeInvalid, format, args...).With("field", "scopes")
	}
	if len(scopes) > maxScopes {
		return invalid("a key has at most %d scopes", maxScopes)
	}
	levels := 0
	for _, s := range scopes {
		if level(s) > 0 {
			levels++
			continue
		}
		if _, err := nestor.ParseGlob(s); err != nil {
			return invalid("scope %q is neither read, write or admin nor a pattern for paths: %w", s, err)
		}
	}
	if levels != 1 {
		return invalid("scopes hold exactly one of read, write and admin")
	}
	return nil
}

// level orders read, write and admin. It is 0 for globs.
func level(scope string) int {
	return 1 + slices.Index([]string{ScopeRead, ScopeWrite, ScopeAdmin}, scope)
}

// hasLevel reports whether scopes include one of read, write and admin.
func hasLevel(scopes []string, want string) bool {
	return slices.ContainsFunc(scopes, func(s string) bool { return level(s) >= level(want) })
}

// inGlobs reports whether the globs among scopes reach a document.
func inGlobs(scopes []string, p nestor.Path) bool {
	all := true
	for _, s := range scopes {
		if level(s) > 0 {
			continue
		}
		if nestor.Glob(s).Match(string(p)) {
			return true
		}
		all = false
	}
	return all
}
