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
		case "{trigger}", "{path}", "{parent}", "{chat}", "{agent}", "{seq}":
			k = append(k, s[:end])
			s = s[end:]
		default:
			return nil, nestor.Errorf(nestor.CodeInvalid, "braces enclose one of {trigger}, {path}, {parent}, {chat}, {agent} and {seq}")
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
		case "{chat}":
			piece = string(within(c.Path, 4))
		case "{agent}":
			piece = string(within(c.Path, 6))
		case "{seq}":
			piece = strconv.FormatInt(c.Seq, 10)
		}
		b.WriteString(piece)
	}
	return b.String()
}

// within is the document that p is or lies in whose path has n segments: the
// chat has 4, the agent 6. It is p where p is not so long.
func within(p nestor.Path, n int) nestor.Path {
	for parent := p.Parent(); strings.Count(string(p), "/")+1 > n && parent != ""; parent = p.Parent() {
		p = parent
	}
	return p
}
