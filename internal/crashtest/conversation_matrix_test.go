package crashtest

import (
	"slices"
	"sync"
	"testing"

	"github.com/nestorhq/nestor/internal/store/engines"
)

var conversationMatrix = matrix{
	name: "converse", program: conversation.program, crashes: conversationCrashes,
	whole: func(t *trial, l *life) {
		l.ending.happened(t.T, t.world, 0, l.decided)
		names := slices.Sorted(slices.Values(l.passed[afterTransaction]))
		if n := len(slices.Compact(slices.Clone(names))); n != len(names) || n < 20 {
			t.Errorf("the transactions have %d different names: %q", n, names)
		}
	},
	check: func(t *trial, _, last *life) bool {
		last.ending.happened(t.T, t.world, t.killed, last.decided)
		if last.found > 0 && !last.decided {
			t.Error("nobody was asked about a letter that may or may not have been sent")
		}
		if last.decided && last.found == 0 && t.killed < 2 {
			t.Error("the person was asked about a letter that was not interrupted")
		}
		return last.decided
	},
	open: 5,
}

func TestAConversationThatIsKilledAnywhereEndsAsIfNothingHadHappened(t *testing.T) {
	conversationMatrix.test(t)
}

// conversationCrashes has one after every transaction that a person would notice and one in
// every tool, and two that happen after the letter was claimed and again after
// what follows from that.
//
// PostgreSQL, which is faster under the race detector, also has one before every
// model call, after its budget was reserved, and a sample of handler runs,
// effects and pairs of any commits.
func conversationCrashes(engine string, whole *life) []crash {
	list := whole.every(afterTransaction, inTool)
	for _, next := range []string{writeLetter + " unknown", writeLetter + " success"} {
		list = append(list, crash{{Kind: afterTransaction, Name: letterClaimed}, {Kind: afterTransaction, Name: next}})
	}
	if engine == "sqlite" {
		return list
	}
	list = append(list, whole.every(beforeRequest)...)
	list = append(list, sample(whole.every(inHandler), 2)...)
	list = append(list, sample(whole.every(inEffect), 6)...)
	for _, first := range sample(whole.every(afterCommit), 12) {
		list = append(list, crash{first[0], {Kind: afterCommit, N: 1 + first[0].N/3}})
	}
	return list
}

// wholeConversation is how a conversation ends that nothing interrupts.
func wholeConversation(t *testing.T) []string {
	t.Helper()
	uninterrupted.Do(func() {
		uninterrupted.end = conversationMatrix.uninterrupted(t, "postgres").end
	})
	return uninterrupted.end
}

var uninterrupted struct {
	sync.Once
	end []string
}

// TestAConversationEndsAsWellHoweverOftenItIsKilled has one process after the
// other come a little further. Each makes progress: it passes more of these
// points than are ever under way at once.
func TestAConversationEndsAsWellHoweverOftenItIsKilled(t *testing.T) {
	for _, engine := range engines.Names {
		t.Run(engine, func(t *testing.T) {
			whole := conversationMatrix.uninterrupted(t, engine)
			t.Run("killed", func(t *testing.T) {
				for _, p := range []point{{Kind: beforeRequest, N: 3}, {Kind: inHandler, N: 5}, {Kind: afterCommit, N: 10}} {
					t.Run(p.String(), func(t *testing.T) {
						t.Parallel()
						trial := conversationMatrix.begin(t, engine)
						for trial.kill(p, really(trial.killed)) {
						}
						trial.survive(whole)
						t.Logf("%d lives died", trial.killed)
						if trial.killed < 3 {
							t.Error("too few: this tested little")
						}
					})
				}
			})
		})
	}
}
