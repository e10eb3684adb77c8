package trigger

import (
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
)

// defaultKey gives every document a queue of its own for each trigger.
const defaultKey = "{trigger}:{path}"

// maxKey bounds the template of a key.
const maxKey = 256

// keyTemplate is a key in pieces: literal text and placeholders such as
// "{path}" in turn.
type keyTemplate []string

func parseKey(s string) (keyTemplate, error) {
	if len(s) > maxKey {
		return nil, nestor.Errorf(nestor.CodeInvalid, "it has %d characters: at most %d are allowed", len(s), maxKey)
	}
	var k keyTemplate
	for s != "" {
		at := strings.IndexAny(s, "{}")
		if at < 0 {
			at = len(s)
		}
		if at > 0 {
			k = append(k, s[:at])
			s = s[at:]
			continue
		}
		end := strings.IndexByte(s, '}') + 1
		switch s[:max(end, 0)] {
		case "{trigger}", "{path}", "{parent}", "{seq}":
			k = append(k, s[:end])
			s = s[end:]
		default:
			return nil, nestor.Errorf(nestor.CodeInvalid, "braces enclose one of {trigger}, {path}, {parent} and {seq}")
		}
	}
	return k, nil
}

// fill makes the key of a job of trigger for c.
func (k keyTemplate) fill(trigger string, c *nestor.Change) string {
	var b strings.Builder
	for _, piece := range k {
		switch piece {
		case "{trigger}":
			piece = trigger
		case "{path}":
			piece = string(c.Path)
		case "{parent}":
			piece = string(c.Path.Parent())
		case "{seq}":
			piece = strconv.FormatInt(c.Seq, 10)
		}
		b.WriteString(piece)
	}
	return b.String()
}
