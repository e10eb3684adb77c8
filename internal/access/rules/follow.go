package rules

import (
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
)

// MayFollow lets a caller follow their own documents and, as far as rules can
// let them read these, documents of others, where the credential can reach
// some. It depends on nothing that they cannot see.
func (j *Judge) MayFollow(globs ...nestor.Glob) error {
	var readable []nestor.Glob
	for _, g := range globs {
		reached := j.caller.ReachesSome(g)
		if reached && j.caller.Owns(g) {
			continue
		}
		if readable == nil {
			var err error
			if readable, err = j.Readable(""); err != nil {
				return err
			}
		}
		covered := slices.ContainsFunc(readable, func(wide nestor.Glob) bool { return covers(wide, g) })
		if !reached || !covered {
			return nestor.Errorf(nestor.CodeForbidden,
				"you can follow %s and what lies below it, or what is shared with you, as far as your token or key reaches, not %s", j.caller.Root(), g)
		}
	}
	return nil
}

// covers reports whether wide matches all that narrow does.
func covers(wide, narrow nestor.Glob) bool {
	a, b := strings.Split(string(wide), "/"), strings.Split(string(narrow), "/")
	for i, want := range a {
		switch {
		case want == "**":
			return true
		case i == len(b):
			return false
		case b[i] == "**" || want != "*" && want != b[i]:
			return false
		}
	}
	return len(a) == len(b)
}
