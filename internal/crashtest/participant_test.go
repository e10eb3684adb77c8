package crashtest

import (
	"context"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
)

// A talk is a chat whose participant is the shopper: it compares prices and holds an
// item, two tools at once, and answers in the chat itself.
var talk = play{last: bought.text, act: func(ctx context.Context, m *member, now situation) error {
	switch {
	case !now.opened:
		return m.write(ctx, chatPath, nestor.Chat{Title: "Gifts", Participant: "agent:shopper", Budget: budget})
	case !now.said[wish]:
		return m.say(ctx, "m1", wish)
	}
	return errStuck
}}

var talkMatrix = matrix{
	name: "talk", program: talk.program, kinds: []kind{afterCommit, inEffect},
	whole: func(t *trial, l *life) {
		for _, message := range []string{`"type":"tool_call"`, `"type":"tool_result"`, `"repliesTo":"m1"`} {
			if end := strings.Join(l.end, "\n"); !strings.Contains(end, message) {
				t.Errorf("the chat has no message with %s:\n%s", message, end)
			}
		}
		if n := len(l.passed[beforeRequest]); n != 2 {
			t.Errorf("a model was asked %d times", n)
		}
	},
}

func TestATalkWithAnAgentThatIsKilledAnywhereEndsAsIfNothingHadHappened(t *testing.T) {
	talkMatrix.test(t)
}
