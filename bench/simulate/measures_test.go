package simulate_test

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// measures are what the simulation prints.
type measures struct {
	steps, overlaps   atomic.Int64
	rightly, wrongly  int // nodes taken for gone; guarded by the database's mutex
	takeOvers         []time.Duration
	memory            string
	floodAt           time.Duration
	marks             []mark
	mu                sync.Mutex
	before, flood, by histogram // waits of others, before and during the flood, and of its user
}

// mark is how things stood when something happened.
type mark struct {
	what     string
	at       time.Time
	steps    int64
	asked    [ops]int64
	asks     int64
	wasted   int64
	met      int64
	claims   int64
	overlaps int64
	taken    int // how many take-overs there were before
	right    int
	wrong    int
}

// mark ends the time of what happened before, and begins that of the next.
func (s *simulation) mark(what string) {
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen.marks = append(s.seen.marks, mark{
		what: what, at: time.Now(), steps: s.seen.steps.Load(), asked: s.db.asked, asks: s.db.asks, wasted: s.db.wasted, met: s.db.met, claims: s.db.claims,
		overlaps: s.seen.overlaps.Load(), taken: len(s.seen.takeOvers), right: s.seen.rightly, wrong: s.seen.wrongly,
	})
}

// floodLasts is how long waits count as those of the flood.
const floodLasts = 20 * time.Second

// wait notes how long a job waited for its first attempt.
func (m *measures) wait(flood bool, at, d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case flood:
		m.by.add(d)
	case at >= m.floodAt && at < m.floodAt+floodLasts:
		m.flood.add(d)
	case at < m.floodAt/4:
		m.before.add(d)
	}
}

// histogram counts durations in steps of a tenth.
type histogram struct {
	counts [256]int64
	total  int64
}

func (h *histogram) add(d time.Duration) {
	h.total++
	h.counts[min(255, int(math.Log(1+float64(d.Milliseconds()))/math.Log(1.1)))]++
}

func (h *histogram) quantile(q float64) time.Duration {
	left := int64(q * float64(h.total))
	for i, n := range h.counts {
		if left -= n; left < 0 {
			return time.Duration((math.Pow(1.1, float64(i))-1)*1000) * time.Microsecond
		}
	}
	return 0
}

func (s *simulation) print(t *testing.T, took time.Duration) {
	m := &s.seen
	t.Logf("%d nodes, %d agents of %d users, of which %d get a message, %d shards, %d jobs at once on a node, a model that takes %v: %v of their time in %v of ours",
		s.options.nodes, s.options.agents, s.users, s.messages+s.flood, s.shards, s.concurrency, s.model, m.marks[len(m.marks)-1].at.Sub(s.began).Round(time.Second), took.Round(time.Second))
	t.Logf("memory: %s; a waiting agent is a row of the database, and nothing on a node", m.memory)
	for i, from := range m.marks[:len(m.marks)-1] {
		to := m.marks[i+1]
		seconds := to.at.Sub(from.at).Seconds()
		per := func(n int64) float64 { return float64(n) / seconds }
		t.Logf("%s (%.0f s): %.0f steps/s", from.what, seconds, per(to.steps-from.steps))
		var beats int64
		for _, o := range []op{opRenew, opPing, opLook, opTakeOver} {
			beats += to.asked[o] - from.asked[o]
		}
		t.Logf("  on the database: %.0f commits/s, %.0f heartbeats/s, %.0f claims/s of which %.0f found nothing (%.0f because others were faster) and the others %.0f jobs/s, %.0f wake-ups/s",
			per(to.asked[opCommit]-from.asked[opCommit]), per(beats), per(to.asks-from.asks), per(to.wasted-from.wasted), per(to.met-from.met),
			per(to.claims-from.claims), per(to.asked[opNotify]-from.asked[opNotify]))
		if taken := slices.Clone(m.takeOvers[from.taken:to.taken]); len(taken) > 0 {
			slices.Sort(taken)
			t.Logf("  %d jobs of %d nodes were taken over, half within %v, 99%% within %v, all within %v; %d nodes were taken for gone that were not, %d handlers overlapped",
				len(taken), to.right-from.right, taken[len(taken)/2].Round(time.Millisecond), taken[len(taken)*99/100].Round(time.Millisecond),
				taken[len(taken)-1].Round(time.Millisecond), to.wrong-from.wrong, to.overlaps-from.overlaps)
		} else if to.wrong > from.wrong {
			t.Logf("  %d nodes were taken for gone that were not", to.wrong-from.wrong)
		}
	}
	t.Logf("waiting for a place: others before %v (99%%: %v), others in the %v after one user asked for %d at once %v (99%%: %v), that user %v (99%%: %v)",
		m.before.quantile(0.5), m.before.quantile(0.99), floodLasts, s.flood, m.flood.quantile(0.5), m.flood.quantile(0.99), m.by.quantile(0.5), m.by.quantile(0.99))
	t.Logf("commits that came too late and were refused: %d", s.fenced)
}
