package condense

import (
	"slices"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/tokens"
)

// scale measures in the tokens of one model.
type scale struct {
	meter *tokens.Meter
	model string
}

func (s scale) text(text string) int { return s.meter.Text(s.model, text) }

func (s scale) turn(t Turn) int { return s.meter.Message(s.model, t.Message) }

func (s scale) all(turns []Turn) int {
	n := 0
	for _, t := range turns {
		n += s.turn(t)
	}
	return n
}

// cutter shortens messages.
type cutter struct {
	scale
	// readable: the model has the tool to read results back.
	readable bool
}

const (
	// leastRoom is what a conversation gets at least, even if instruction and
	// tools leave less: with less than that nothing can be said.
	leastRoom = 500
	// leastSummary is the shortest summary to be asked for.
	leastSummary = leastRoom / 5
)

// view is a conversation as it is going to be shown.
type view struct {
	cutter
	// turns are a copy; changing one never reaches the message that it shows.
	turns []Turn
	sizes []int
	// room is how many tokens the turns may take. Of these, summary is the
	// length of a summary and reserve what it may exceed that by.
	room, summary, reserve int
	// first is where the messages begin: 1 after a summary, else 0.
	first int
}

func newView(o Options, req *llm.Request, turns []Turn) *view {
	v := &view{turns: slices.Clone(turns), sizes: make([]int, len(turns))}
	v.cutter = cutter{
		scale:    scale{o.Meter, o.Target},
		readable: slices.ContainsFunc(req.Tools, func(t llm.Tool) bool { return t.Name == readTool }),
	}
	fixed := o.Meter.Request(o.Target, &llm.Request{System: req.System, Tools: req.Tools})
	v.room = max(o.Threshold-fixed, leastRoom)
	v.summary = min(max(o.SummaryTokens, leastSummary), v.room/4)
	v.reserve = min(o.Reserve, v.room/8)
	if len(turns) > 0 && turns[0].Summary {
		v.first = 1
	}
	for i, t := range v.turns {
		v.sizes[i] = v.turn(t)
	}
	return v
}

func (v *view) total() int { return v.size(0) }

// size is what the turns from i on take.
func (v *view) size(i int) int {
	n := 0
	for _, size := range v.sizes[i:] {
		n += size
	}
	return n
}

func (v *view) show(i int, t Turn) { v.turns[i], v.sizes[i] = t, v.turn(t) }

// starts reports whether a step starts at turn i: an answer to calls belongs to
// the step that made them.
func (v *view) starts(i int) bool {
	return i <= v.first || v.turns[i].Message.Role != llm.RoleTool
}

// steps cuts the turns from one index to another into steps.
func (v *view) steps(from, to int) (steps [][]Turn) {
	for end := from + 1; end <= to; end++ {
		if end == to || v.starts(end) {
			steps = append(steps, v.turns[from:end])
			from = end
		}
	}
	return steps
}

// unseen is the index of the first turn that the model has not answered to.
func (v *view) unseen() int {
	for i := len(v.turns) - 1; i >= 0; i-- {
		if v.turns[i].Message.Role == llm.RoleAssistant {
			return i + 1
		}
	}
	return 0
}

// lastUser is the index of the user's last message, -1 if there is none.
func (v *view) lastUser() int {
	for i := len(v.turns) - 1; i >= v.first; i-- {
		if v.turns[i].Message.Role == llm.RoleUser {
			return i
		}
	}
	return -1
}

// boundary is where the part to be summarised ends. The rest then takes half of
// the room at most, so that the next summary is far off; but the last user turn
// is kept if it just fits, and the last step in any case.
func (v *view) boundary() int {
	fits := v.room - v.summary - v.reserve
	wanted := v.room/2 - v.summary
	end, last, kept := len(v.turns), len(v.turns), 0
	for i := len(v.turns) - 1; i >= v.first; i-- {
		kept += v.sizes[i]
		if !v.starts(i) {
			continue
		}
		if last == len(v.turns) {
			last = i
		}
		if kept <= wanted {
			end = i
		}
	}
	if user := v.lastUser(); user >= 0 && user < end && v.size(user) <= fits {
		end = user
	}
	return max(min(end, last), v.first)
}

// leavesRoom reports whether the turns from end on can be cut to fit beside a
// summary of all before.
func (v *view) leavesRoom(end int) bool {
	return v.least(v.turns[end:])+v.summaryRoom(end) <= v.room
}

// summaryRoom is the most that a summary of the turns before end takes.
func (v *view) summaryRoom(end int) int {
	n := v.summary + v.reserve
	if v.quote(end) != "" {
		n += v.quoteRoom()
	}
	return n
}

// squeezeAll cuts the turns until they fit, without a new summary, and reports
// whether that worked. A summary that was made for more room is cut as well.
func (v *view) squeezeAll() bool {
	summary, room := slices.Clone(v.turns[:v.first]), v.room
	for i, t := range summary {
		if most := v.summaryRoom(v.first); v.sizes[i] > most {
			text, quote := v.sofar()
			summary[i] = SummaryTurn(t.ID, v.compose(text, quote, most))
		}
		room -= v.turn(summary[i])
	}
	if v.least(v.turns[v.first:]) > room {
		return false
	}
	for i, t := range append(summary, v.squeeze(v.turns[v.first:], room)...) {
		v.show(i, t)
	}
	return true
}
