package crashtest

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor/internal/store/engines"
)

// program begins a piece of work or goes on with it, to its end, and tells what that is.
type program func(context.Context, *life) (end []string, err error)

// matrix has the lives of a program die, each at another point, has another life go on, and
// sees that the work ends as if nothing had happened.
type matrix struct {
	// name is that of the program in children.
	name string
	program
	// kinds are those of the points, all of which are tried.
	kinds []kind
	// crashes, if set, are tried instead.
	crashes func(engine string, whole *life) []crash
	// whole, if set, looks at work that nothing interrupts.
	whole func(*trial, *life)
	// check, if set, looks at what else is to see of work that was interrupted. It reports
	// whether it was open if something had been done that must be done once.
	check func(t *trial, whole, last *life) (open bool)
	// open is after how many crashes that must have been so.
	open int
}

// crash is where lives end, one after the other, before the one that comes to the end.
type crash []point

func (c crash) String() string {
	var names []string
	for _, p := range c {
		names = append(names, p.String())
	}
	return strings.Join(names, " and then ")
}

// kind is that of its point. Several are a kind of their own.
func (c crash) kind() kind {
	if len(c) > 1 {
		return "several"
	}
	return c[0].Kind
}

// killVariable has all lives killed by SIGKILL if it is "all".
const killVariable = "NESTOR_KILL"

// really reports whether the nth life of a kind, counted from 0, is a process that is killed
// by SIGKILL, as the first and every tenth are. The others die in this process.
func really(n int) bool { return n%10 == 0 || os.Getenv(killVariable) == "all" }

func (m *matrix) test(t *testing.T) {
	var ends [][]string
	for _, engine := range engines.Names {
		t.Run(engine, func(t *testing.T) {
			whole := m.uninterrupted(t, engine)
			ends = append(ends, whole.end)
			list := whole.every(m.kinds...)
			if m.crashes != nil {
				list = m.crashes(engine, whole)
			}
			var planned, killed, open atomic.Int64
			t.Run("killed", func(t *testing.T) {
				met := map[kind]int{}
				for _, c := range list {
					really := really(met[c.kind()])
					met[c.kind()]++
					t.Run(c.String(), func(t *testing.T) {
						t.Parallel()
						k, o := m.crash(t, engine, whole, c, really)
						planned.Add(int64(len(c)))
						killed.Add(int64(k))
						if o {
							open.Add(1)
						}
					})
				}
				if met[afterCommit] > 0 {
					t.Run("after any later commit", func(t *testing.T) {
						t.Parallel()
						for n := met[afterCommit] + 1; ; n++ {
							if k, _ := m.crash(t, engine, whole, crash{{Kind: afterCommit, N: n}}, false); k == 0 {
								break // there is none
							}
						}
					})
				}
			})
			// Equal runs differ a little in how many commits and handlers they need, so
			// the last points are not always reached.
			t.Logf("%d of %d lives died at their point, %d of them while it was open whether something had been done", killed.Load(), planned.Load(), open.Load())
			if n := open.Load(); killed.Load() < planned.Load()*9/10 || n < int64(m.open) || n > planned.Load()/2 {
				t.Error("this tested little")
			}
		})
	}
	if len(ends) == 2 && !slices.Equal(ends[0], ends[1]) {
		t.Errorf("the engines differ:%s", differences(ends[0], ends[1]))
	}
}

// uninterrupted comes to the end twice, without a crash, and returns the life that passed
// more commits.
func (m *matrix) uninterrupted(t *testing.T, engine string) (whole *life) {
	t.Helper()
	for range 2 {
		trial := m.begin(t, engine)
		l := trial.live(newLife(trial.db, trial.world.address("only")))
		if m.whole != nil {
			m.whole(trial, l)
		}
		if whole != nil && !slices.Equal(l.end, whole.end) {
			t.Fatalf("two uninterrupted runs differ:%s", differences(whole.end, l.end))
		}
		if whole == nil || len(l.passed[afterCommit]) > len(whole.passed[afterCommit]) {
			whole = l
		}
	}
	return whole
}

// crash lets it happen in a new database, comes to the end and compares. It returns how
// many lives died, and what the check of the matrix does.
func (m *matrix) crash(t *testing.T, engine string, whole *life, c crash, really bool) (killed int, open bool) {
	t.Helper()
	trial := m.begin(t, engine)
	for _, p := range c {
		trial.kill(p, really)
	}
	return trial.killed, trial.survive(whole)
}

// survivor is what the world calls the life that comes to the end.
const survivor = "survivor"

// survive comes to the end and compares.
func (t *trial) survive(whole *life) (open bool) {
	t.Helper()
	last := t.live(newLife(t.db, t.world.address(survivor)))
	if !last.unknown && !slices.Equal(last.end, whole.end) {
		t.Errorf("the end differs:%s", differences(whole.end, last.end))
	}
	return t.check != nil && t.check(t, whole, last)
}
