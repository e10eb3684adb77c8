package crashtest

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestAConversationThatIsKilledAnywhereEndsAsIfNothingHadHappened(t *testing.T) {
	var ends [][]string
	for _, engine := range engines.Names {
		t.Run(engine, func(t *testing.T) {
			whole := wholeConversation(t, engine)
			ends = append(ends, whole.lines)
			if again := wholeConversation(t, engine).lines; !slices.Equal(again, whole.lines) {
				t.Fatalf("two uninterrupted conversations differ:%s", differences(whole.lines, again))
			}
			var planned, killed, decided atomic.Int64
			t.Run("killed", func(t *testing.T) {
				for _, c := range whole.crashes(engine) {
					t.Run(c.name, func(t *testing.T) {
						t.Parallel()
						planned.Add(int64(len(c.points)))
						k, d := c.interrupt(t, engine, whole.lines)
						killed.Add(int64(k))
						if d {
							decided.Add(1)
						}
					})
				}
			})
			t.Logf("%d of %d processes were killed at their point, %d of them while it was open whether a letter was sent",
				killed.Load(), planned.Load(), decided.Load())
			// Only what is counted, and not named, may be missed: equal runs
			// differ a little in how many commits and handlers they need.
			if killed.Load() < planned.Load()*9/10 || decided.Load() < 5 {
				t.Error("too few: this tested little")
			}
		})
	}
	if len(ends) == 2 && !slices.Equal(ends[0], ends[1]) {
		t.Errorf("the engines differ:%s", differences(ends[0], ends[1]))
	}
}

// whole is a conversation that nothing interrupts.
type whole struct {
	lines        []string // of its ending
	passed       killPoint
	transactions []string
}

func wholeConversation(t *testing.T, engine string) whole {
	t.Helper()
	w := newWorld(t)
	fail := &failpoints{}
	end, _ := conversation.finish(t, engines.New(t, engine), w.address("only"), fail)
	lines := end.lines()
	end.check(t, w, 0, lines)
	slices.Sort(fail.transactions)
	if n := len(slices.Compact(slices.Clone(fail.transactions))); n != len(fail.transactions) || n < 20 {
		t.Errorf("the transactions have %d different names: %q", n, fail.transactions)
	}
	return whole{lines, fail.passed(), fail.transactions}
}

// crashes has one after every transaction that a person would notice and one in
// every tool, and two that happen after the letter was claimed and again after
// what follows from that.
//
// PostgreSQL, which is faster under the race detector, also has one before every
// model call, after its budget was reserved, and a sample of handler runs,
// effects and pairs of any commits.
func (w whole) crashes(engine string) []crash {
	var list []crash
	add := func(name string, points ...killPoint) { list = append(list, crash{name, points}) }
	for _, name := range w.transactions {
		add("after "+name, killPoint{Transaction: name})
	}
	for tool := range toolAnswers {
		add("when "+tool+" is done", killPoint{Tool: tool + " done"})
	}
	add("when "+writeLetter+" begins", killPoint{Tool: writeLetter + " begins"})
	for _, next := range []string{writeLetter + " unknown", writeLetter + " success"} {
		add("after "+letterClaimed+" and after "+next, killPoint{Transaction: letterClaimed}, killPoint{Transaction: next})
	}
	if engine == "sqlite" {
		return list
	}
	for n := 1; n <= w.passed.Request; n++ {
		add(fmt.Sprintf("before model call %d", n), killPoint{Request: n})
	}
	for n := 1; n <= w.passed.Handler; n += 2 {
		add(fmt.Sprintf("in handler run %d", n), killPoint{Handler: n})
	}
	for n := 1; n <= w.passed.Effect; n += 6 {
		add(fmt.Sprintf("inside the transaction of effect %d", n), killPoint{Effect: n})
	}
	for n := 1; n <= w.passed.Commit; n += 12 {
		again := 1 + n/3
		add(fmt.Sprintf("after commit %d and after commit %d of the restart", n, again), killPoint{Commit: n}, killPoint{Commit: again})
	}
	return list
}

// interrupt lets the crash happen in a conversation, brings that to its end and
// compares. It reports how many processes were killed, and whether the person had
// to decide.
func (c crash) interrupt(t *testing.T, engine string, want []string) (killed int, decided bool) {
	db := engines.New(t, engine)
	w := newWorld(t)
	for i, point := range c.points {
		if dieIn(t, "converse", db, w.address(fmt.Sprintf("victim%d", i+1)), point) {
			killed++
		}
	}
	end, interrupted := conversation.finish(t, db, w.address("survivor"), &failpoints{})
	decided = end.check(t, w, killed, want)
	if interrupted && !decided {
		t.Error("nobody was asked about a letter that may or may not have been sent")
	}
	if decided && !interrupted && len(c.points) == 1 {
		t.Error("the person was asked about a letter that was not interrupted")
	}
	return killed, decided
}

// TestAConversationEndsAsWellHoweverOftenItIsKilled has one process after the
// other come a little further. Each makes progress: it passes more of these
// points than are ever under way at once.
func TestAConversationEndsAsWellHoweverOftenItIsKilled(t *testing.T) {
	for _, engine := range engines.Names {
		t.Run(engine, func(t *testing.T) {
			want := wholeConversation(t, engine).lines
			t.Run("killed", func(t *testing.T) {
				for name, point := range map[string]killPoint{
					"before its third model call": {Request: 3},
					"in its fifth handler run":    {Handler: 5},
					"after its tenth commit":      {Commit: 10},
				} {
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						db := engines.New(t, engine)
						w := newWorld(t)
						killed := 0
						for dieIn(t, "converse", db, w.address(fmt.Sprintf("victim%d", killed+1)), point) {
							killed++
						}
						end, _ := conversation.finish(t, db, w.address("reader"), &failpoints{})
						end.check(t, w, killed, want)
						t.Logf("%d processes were killed", killed)
						if killed < 3 {
							t.Error("too few: this tested little")
						}
					})
				}
			})
		})
	}
}

// dieIn runs a program in a child that is to be killed, and reports whether it
// was.
func dieIn(t *testing.T, program string, db engines.Place, world string, point killPoint) bool {
	t.Helper()
	name := nestor.NewID()
	job := task{Program: program, Database: db, Kill: point, World: world}
	if db.Engine == "postgres" {
		job.Database.Address = withApplication(t, db.Address, name)
	}
	_, killed := run(t, job)
	if killed && db.Engine == "postgres" {
		awaitNoSession(t, db.Address, name)
	}
	return killed
}
