package worker

import "sync"

// relay passes a job to the goroutine that is just ending the one before it with
// the same key, as the steps of an agent follow each other. A goroutine of its
// own would begin with a small stack and wake another processor.
type relay struct {
	mu   sync.Mutex
	next map[string]*runner // by the keys of jobs that are ending
}

// open lets the next job with the key be passed, until close. It reports false
// if somebody else lets it: a job that was taken over may still be running.
func (r *relay) open(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, open := r.next[key]; open {
		return false
	}
	if r.next == nil {
		r.next = map[string]*runner{}
	}
	r.next[key] = nil
	return true
}

// close returns the job that was passed, nil if none was.
func (r *relay) close(key string) *runner {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := r.next[key]
	delete(r.next, key)
	return next
}

// pass reports false if nobody takes the job.
func (r *relay) pass(j *runner) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, open := r.next[j.Key]
	if !open || before != nil {
		return false
	}
	r.next[j.Key] = j
	return true
}
