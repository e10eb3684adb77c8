package doctext

import (
	"regexp"
	"strings"
)

// MaxHeading is the deepest level of headings in Markdown.
const MaxHeading = 6

// BoxMark finds a box at the beginning of a text, as lists of things to do have it.
var BoxMark = regexp.MustCompile(`^(?:\[([ xX✓✔✗-]?)\](?:[ \t]+|$)|([☐☑☒✓✔✅🗹⬜])\x{FE0F}?[ \t]*)`)

// Ticked reports whether a box that [BoxMark] found is ticked.
func Ticked(box []string) bool {
	return strings.ContainsAny(box[1]+box[2], "xX✓✔☑☒✅🗹")
}
