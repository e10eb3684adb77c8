package tool

import (
	"strconv"
	"strings"
	"unicode"
)

// maxName is the longest name that all providers take.
const maxName = 64

// CleanName turns any name into one that matches ^[a-zA-Z0-9_-]{0,64}$: outer
// space is trimmed, inner space becomes an underscore, everything else that
// providers reject is dropped.
func CleanName(name string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return '_'
		case r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
			return r
		}
		return -1
	}, strings.TrimSpace(name))
	return clean[:min(len(clean), maxName)]
}

// offeredNames gives every tool a name of its own, in the order of tools. The
// same tools in the same order always get the same names. A tool whose name is
// valid as it is keeps it, whatever the others are called.
func offeredNames(tools []*Tool) []string {
	names := make([]string, len(tools))
	taken := make(map[string]bool, len(tools))
	for i, t := range tools {
		if clean := CleanName(t.Name); clean != "" && clean == t.Name && !taken[clean] {
			names[i], taken[clean] = clean, true
		}
	}
	for i, t := range tools {
		if names[i] != "" {
			continue
		}
		base := CleanName(t.Name)
		if base == "" {
			base = "tool_" + strconv.Itoa(i+1)
		}
		name := base
		for n := 2; taken[name]; n++ {
			suffix := "_" + strconv.Itoa(n)
			name = base[:min(len(base), maxName-len(suffix))] + suffix
		}
		names[i], taken[name] = name, true
	}
	return names
}
