package mcp

import (
	"net/http"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
)

// admit makes the session that a request may begin.
func (d *Door) admit(user string) (*session, error) {
	d.mu.Lock()
	if d.stopped {
		d.mu.Unlock()
		return nil, nestor.Errorf(nestor.CodeUnavailable, "the server stops")
	}
	var oldest *session
	has := 0
	for s := range d.sessions {
		if s.user != user {
			continue
		}
		has++
		if s.open == 0 && (oldest == nil || s.used.Before(oldest.used)) {
			oldest = s
		}
	}
	full := has >= maxSessions
	if full && oldest == nil {
		d.mu.Unlock()
		return nil, nestor.Errorf(nestor.CodeRateLimited, "there are %d sessions of this user, and all are in use", has)
	}
	s := newSession(d, user)
	d.sessions[s] = true
	if full {
		delete(d.sessions, oldest)
	}
	d.mu.Unlock()
	if full {
		oldest.close()
	}
	return s, nil
}

// settle keeps a session that has begun until it ends, and forgets one that has not.
func (d *Door) settle(s *session) {
	for begun := range s.server.Sessions() {
		d.mu.Lock()
		s.id, s.used = begun.ID(), time.Now()
		s.open--
		d.mu.Unlock()
		d.ended.Go(func() {
			_ = begun.Wait() // how it ended is of no interest
			d.forget(s)
		})
		return
	}
	d.forget(s)
}

func (d *Door) forget(s *session) {
	s.end()
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.sessions, s)
}

// use notes that a request uses the caller's session with an id, until done is called.
// One that is about to be deleted is interrupted: the SDK waits for the calls of a session
// before it ends it.
func (d *Door) use(id string, req *httpapi.Request) (done func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for s := range d.sessions {
		if s.user != req.UserID() || s.id != id {
			continue
		}
		if req.Method == http.MethodDelete {
			s.cancel()
		}
		s.open++
		return func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			s.open--
			s.used = time.Now()
		}
	}
	return func() {}
}
