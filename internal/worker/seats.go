package worker

import "sync"

// seats are the places where jobs run. Commits that happen at once may claim a few jobs too
// many; those wait here, each tenant's in a line of its own, and the lines take turns.
type seats struct {
	mu      sync.Mutex
	free    int
	waiting map[string]*line
	lines   []*line // the next first
}

// line is the jobs of a tenant that wait for a seat.
type line struct {
	tenant string
	jobs   []*runner
}

func newSeats(all int) *seats { return &seats{free: all, waiting: map[string]*line{}} }

// left is how many are free.
func (s *seats) left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.free
}

// enter takes a job in, and reports whether it can start. Otherwise it is
// one of those that leave returns.
func (s *seats) enter(r *runner) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.free > 0 {
		s.free--
		return true
	}
	l := s.waiting[r.tenant]
	if l == nil {
		l = &line{tenant: r.tenant}
		s.waiting[r.tenant], s.lines = l, append(s.lines, l)
	}
	l.jobs = append(l.jobs, r)
	return false
}

// leave lets a job go. It returns the one to start in its place, nil if none waits.
func (s *seats) leave() (next *runner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.lines) == 0 {
		s.free++
		return nil
	}
	l := s.lines[0]
	s.lines = s.lines[1:]
	next, l.jobs = l.jobs[0], l.jobs[1:]
	if len(l.jobs) > 0 {
		s.lines = append(s.lines, l)
	} else {
		delete(s.waiting, l.tenant)
	}
	return next
}
