package worker

import (
	"sync"

	"github.com/nestorhq/nestor/internal/store"
)

// seats are the places where jobs run: so many in all, and so many for each
// tenant. Commits that happen at once may claim a few jobs too many; those wait
// here, each tenant's in a line of its own, and the lines take turns.
type seats struct {
	each    int            // for one tenant, 0 for no bound
	weights map[string]int // of tenants that have another than 1

	mu      sync.Mutex
	free    int
	tenants map[string]*guests
	lines   []*guests // of tenants with jobs that wait for a seat, the next first
}

// guests are the jobs of a tenant.
type guests struct {
	claimed int // and not ended
	seated  int
	line    []*runner
}

func newSeats(all, each int, weights map[string]int) *seats {
	return &seats{each: each, weights: weights, free: all, tenants: map[string]*guests{}}
}

// accepts reports whether a tenant may claim one more job.
func (s *seats) accepts(tenant string) bool {
	return s.each == 0 || s.share(tenant).Room > 0
}

// share is what a tenant gets.
func (s *seats) share(tenant string) store.Share {
	share := store.Share{Weight: max(1, s.weights[tenant]), Room: 1 << 30}
	if s.each > 0 {
		share.Room = s.each
		s.mu.Lock()
		defer s.mu.Unlock()
		if g := s.tenants[tenant]; g != nil {
			share.Room -= g.claimed
		}
	}
	return share
}

// enter takes a job in, and reports whether it can start. Otherwise it is
// one of those that leave returns.
func (s *seats) enter(r *runner) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.tenants[r.tenant]
	if g == nil {
		g = &guests{}
		s.tenants[r.tenant] = g
	}
	g.claimed++
	if s.free > 0 && s.seat(g) {
		return true
	}
	if g.line = append(g.line, r); len(g.line) == 1 {
		s.lines = append(s.lines, g)
	}
	return false
}

func (s *seats) seat(g *guests) bool {
	if s.each > 0 && g.seated >= s.each {
		return false
	}
	g.seated++
	s.free--
	return true
}

// leave lets a job go. It returns one to start in its place, if one waits that
// may, and whether the tenant was at its bound, so that it may claim again.
func (s *seats) leave(r *runner) (next *runner, bound bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.tenants[r.tenant]
	bound = s.each > 0 && g.claimed >= s.each
	g.claimed--
	g.seated--
	s.free++
	if g.claimed == 0 {
		delete(s.tenants, r.tenant)
	}
	for i, waits := range s.lines {
		if !s.seat(waits) {
			continue
		}
		next, waits.line = waits.line[0], waits.line[1:]
		s.lines = append(s.lines[:i], s.lines[i+1:]...)
		if len(waits.line) > 0 {
			s.lines = append(s.lines, waits)
		}
		break
	}
	return next, bound
}
