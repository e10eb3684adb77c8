package search

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool/builtin"
)

// around is how much of a text a hit shows before and after the match.
const around = 120

// match looks for every word in the text of a document.
func match(d *nestor.Document, title string, fields, words []string) (builtin.Hit, bool) {
	body, err := nestor.As[map[string]any](d)
	if err != nil {
		return builtin.Hit{}, false
	}
	var parts []string
	for _, f := range fields {
		if text, _ := body[f].(string); text != "" {
			parts = append(parts, text)
		}
	}
	text := strings.Join(parts, "\n")
	lower := strings.ToLower(text)
	for _, w := range words {
		if !strings.Contains(lower, w) {
			return builtin.Hit{}, false
		}
	}
	name, _ := body[title].(string)
	role, _ := body["role"].(string)
	hit := builtin.Hit{Path: string(d.Path), Title: cmp.Or(name, role, "untitled")}
	hit.Snippet = passage(text, strings.Index(lower, words[0]))
	return hit, true
}

// passage is the text around an offset. Lower case may have moved the offset a
// little, which only moves the passage.
func passage(text string, at int) string {
	from, to := max(0, at-around), min(len(text), at+around)
	from = min(from, to)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return text[from:to]
}
