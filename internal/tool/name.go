package tool

import (
	"strconv"
	"strings"
	"unicode"
)

// maxName is the longest name that all providers take.
const maxName = 64

// CleanName turns any name into one that matches ^[a-zA-Z0-9_-]{0,64}$: outer space is
// trimmed, inner space becomes an underscore, and everything else that providers reject is
// dropped. Where punctuation is dropped between two words, an underscore keeps them apart:
// pets/list.all is pets_list_all.
func CleanName(name string) string {
	name = strings.TrimSpace(name)
	if len(name) <= maxName && strings.IndexFunc(name, func(r rune) bool { return !offerable(r) }) < 0 {
		return name
	}
	var clean strings.Builder
	last, apart := '_', false
	for _, r := range name {
		if unicode.IsSpace(r) {
			r = '_'
		}
		if !offerable(r) {
			apart = apart || unicode.IsPunct(r) || unicode.IsSymbol(r)
			continue
		}
		if apart && last != '_' && last != '-' && r != '_' && r != '-' {
			clean.WriteByte('_')
		}
		clean.WriteRune(r)
		last, apart = r, false
	}
	return clean.String()[:min(clean.Len(), maxName)]
}

// offerable reports whether all providers take r in a name.
func offerable(r rune) bool {
	return r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// Names makes of each name one that all providers take and that no other has. The same
// names in the same order always give the same. A name that is valid as it is stays,
// whatever the others are, and of several that become the same all but the first are
// numbered.
func Names(all []string) []string {
	names := make([]string, len(all))
	taken := make(map[string]bool, len(all))
	for i, name := range all {
		if clean := CleanName(name); clean != "" && clean == name && !taken[clean] {
			names[i], taken[clean] = clean, true
		}
	}
	for i, name := range all {
		if names[i] != "" {
			continue
		}
		base := CleanName(name)
		if base == "" {
			base = "tool_" + strconv.Itoa(i+1)
		}
		name = base
		for n := 2; taken[name]; n++ {
			suffix := "_" + strconv.Itoa(n)
			name = base[:min(len(base), maxName-len(suffix))] + suffix
		}
		names[i], taken[name] = name, true
	}
	return names
}
