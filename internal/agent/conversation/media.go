package conversation

import (
	"slices"

	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/llm"
)

// VisibleTo leaves out the media of results that a model is not shown, so that
// they are neither loaded nor counted.
func VisibleTo(model llm.Model, turns []condense.Turn) []condense.Turn {
	taker, _ := model.(llm.MediaTaker)
	taken := func(m *llm.Media) bool { return taker != nil && taker.TakesMedia(m.MIMEType) }
	copied := false
	for i := range turns {
		seen, fewer := turns[i].Message.WithMedia(taken)
		if !fewer {
			continue
		}
		if !copied {
			turns, copied = slices.Clone(turns), true
		}
		turns[i].Message = seen
	}
	return turns
}
