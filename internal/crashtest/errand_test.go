package crashtest

import (
	"context"
	"testing"

	"github.com/nestorhq/nestor"
)

// An errand is a task that is one call of a tool, without a model: the letter to
// the restaurant, which must be written once. The report on it is the last document
// to be written.
var errand = play{last: letterAnswer, act: func(ctx context.Context, m *member, now situation) error {
	switch {
	case !now.opened:
		return m.write(ctx, chatPath, nestor.Chat{Title: "Errands"})
	case now.letter.Status == "":
		return m.write(ctx, chatPath.Child("tasks", "t1"), map[string]any{
			"type": nestor.TaskTool, "name": "tool:" + writeLetter, "instruction": "A table for Friday, please.",
		})
	}
	return errStuck
}}

var errandMatrix = matrix{
	name: "errand", program: errand.program, kinds: []kind{inTool, afterCommit, inHandler, inEffect},
	whole: func(t *trial, l *life) {
		if n := len(t.world.ran(writeLetter)); n != 1 || len(l.ending.documents) != 5 { // chat, task, agent, call, report
			t.Errorf("%d letters, and at the end there is %q", n, l.end)
		}
		if n := len(l.passed[beforeRequest]); n != 0 {
			t.Errorf("a model was asked %d times", n)
		}
	},
	check: func(t *trial, _, last *life) bool {
		if last.decided != (last.found > 0) {
			t.Errorf("%d letters were interrupted; the person was asked: %t", last.found, last.decided)
		}
		if n := len(t.world.ran(writeLetter)); n > 1 || n == 0 && !last.decided {
			t.Errorf("the letter was written %d times", n)
		}
		return last.decided
	},
	open: 3,
}

func TestAToolTaskThatIsKilledAnywhereEndsAsIfNothingHadHappened(t *testing.T) { errandMatrix.test(t) }
