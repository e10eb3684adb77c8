package condense

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nestorhq/nestor/internal/llm"
)

// readTool is the tool that reads a result back by the id of its call.
const readTool = "read_result"

// stubResults replaces large results by stubs, oldest first, until the
// conversation leaves its reserve free. Results that the model has not seen yet
// stay: it asked for them, and if it was given a stub for what it just read
// back, it would ask again for ever.
func (v *view) stubResults(large int) {
	if !v.readable {
		return
	}
	total := v.total()
	for i := range v.turns[:v.unseen()] {
		for j, p := range v.turns[i].Message.Parts {
			if total <= v.room-v.reserve {
				return
			}
			result, ok := p.(llm.ToolResult)
			if !ok || v.text(result.Content) < large {
				continue
			}
			before := v.sizes[i]
			t := v.turns[i]
			t.Message.Parts = slices.Clone(t.Message.Parts)
			t.Message.Parts[j] = v.stub(result)
			if after := v.turn(t); after < before {
				v.show(i, t)
				total -= before - after
			}
		}
	}
}

// dropMedia leaves out the images and files of results, oldest first, until the
// conversation leaves its reserve free. Those that the model has not seen yet
// stay.
func (v *view) dropMedia() {
	total := v.total()
	for i := range v.turns[:v.unseen()] {
		if total <= v.room-v.reserve {
			return
		}
		if t, dropped := withoutResultMedia(v.turns[i]); dropped {
			total -= v.sizes[i]
			v.show(i, t)
			total += v.sizes[i]
		}
	}
}

// withoutResultMedia leaves out what came with results. Their texts describe it.
func withoutResultMedia(t Turn) (shown Turn, dropped bool) {
	t.Message, dropped = t.Message.WithMedia(func(*llm.Media) bool { return false })
	return t, dropped
}

// stub says what was there, and how to read it.
func (v *view) stub(r llm.ToolResult) llm.ToolResult {
	r.Content = fmt.Sprintf("[This result is no longer shown. It has %d characters, about %d tokens, and begins with %q. To read it, call %s with the id %q.]",
		utf8.RuneCountInString(r.Content), v.text(r.Content), beginning(r.Content, 200), readTool, r.CallID)
	return r
}

// beginning is the start of a text in one line, up to so many characters.
func beginning(text string, limit int) string {
	if len(text) > 8*limit {
		text = text[:8*limit] // enough, whatever white space it holds
	}
	line := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " "))
	if len(line) > limit {
		return string(line[:limit]) + "…"
	}
	return string(line)
}
