package crashtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store/engines"
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

func TestATalkWithAnAgentThatIsKilledAnywhereEndsAsIfNothingHadHappened(t *testing.T) {
	talk.survives(t, "talk", func(t *testing.T, end string, passed *failpoints) {
		for _, message := range []string{`"type":"tool_call"`, `"type":"tool_result"`, `"repliesTo":"m1"`} {
			if !strings.Contains(end, message) {
				t.Errorf("the chat has no message with %s:\n%s", message, end)
			}
		}
		if n := passed.requests.Load(); n != 2 {
			t.Errorf("a model was asked %d times", n)
		}
	})
}

// survives kills processes that perform a play, each at another point, has another one go
// on, and sees that the end is the same on both engines. Check looks at the end of
// a play in which nobody was killed.
func (p play) survives(t *testing.T, program string, check func(t *testing.T, end string, passed *failpoints)) {
	var ends [][]string
	for _, engine := range engines.Names {
		t.Run(engine, func(t *testing.T) {
			w, passed := newWorld(t), &failpoints{}
			end, _ := p.finish(t, engines.New(t, engine), w.address("only"), passed)
			want := end.lines()
			ends = append(ends, want)
			check(t, strings.Join(want, "\n"), passed)
			var killed atomic.Int64
			points := talkPoints(passed.passed())
			t.Run("killed", func(t *testing.T) {
				for _, point := range points {
					t.Run(fmt.Sprintf("%+v", point), func(t *testing.T) {
						t.Parallel()
						db, w := engines.New(t, engine), newWorld(t)
						if dieIn(t, program, db, w.address("victim"), point) {
							killed.Add(1)
						}
						end, _ := p.finish(t, db, w.address("survivor"), &failpoints{})
						if _, err := end.undecide(); err != nil { // what the person says about a letter is as good as its answer
							t.Error(err)
						}
						if got := end.lines(); !slices.Equal(got, want) {
							t.Errorf("the end differs:%s", differences(want, got))
						}
					})
				}
			})
			t.Logf("%d of %d processes were killed at their point", killed.Load(), len(points))
			if int(killed.Load()) < len(points)*3/4 {
				t.Error("too few: this tested little")
			}
		})
	}
	if len(ends) == 2 && !slices.Equal(ends[0], ends[1]) {
		t.Errorf("the engines differ:%s", differences(ends[0], ends[1]))
	}
}

// talkPoints are after every commit and within every effect.
func talkPoints(passed killPoint) (points []killPoint) {
	for n := 1; n <= passed.Commit; n++ {
		points = append(points, killPoint{Commit: n})
	}
	for n := 1; n <= passed.Effect; n++ {
		points = append(points, killPoint{Effect: n})
	}
	return points
}
