package httpapi

import (
	"net/http"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
)

// quota bounds how much of something there is at once, of each user and in all.
type quota struct {
	each, all int64
	name      string // what it is, in the plural
	wait      time.Duration

	mu    sync.Mutex
	used  int64
	users map[string]int64
}

func newQuota(name string, each, all int64, wait time.Duration) *quota {
	return &quota{name: name, each: each, all: all, wait: wait, users: map[string]int64{}}
}

// take counts n for a user until it is given back, once.
func (q *quota) take(user string, n int64) (giveBack func(), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.users[user]+n > q.each:
		return nil, q.full("user", q.each)
	case q.used+n > q.all:
		return nil, q.full("server", q.all)
	}
	q.used += n
	q.users[user] += n
	return sync.OnceFunc(func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.used -= n
		if q.users[user] -= n; q.users[user] == 0 {
			delete(q.users, user)
		}
	}), nil
}

func (q *quota) full(of string, limit int64) error {
	text := "you have all the " + q.name + " that one user may have (%d): close some, or try again later"
	if of == "server" {
		text = "the server has all the " + q.name + " that it may have (%d): try again later"
	}
	err := nestor.Errorf(nestor.CodeRateLimited, text, limit)
	err.Err = nestor.RetryAfter(q.wait)
	return err.With("limit", limit).With("of", of)
}

// streaming is for the routes whose answers have no end: whatever they are
// about, all of them count.
func streaming(h handler) handler {
	return func(s *server, r *http.Request) (response, error) {
		giveBack, err := s.streams.take(callerOf(r).UserID, 1)
		if err != nil {
			return response{}, err
		}
		res, err := h(s, r)
		if err != nil || res.stream == nil {
			giveBack()
			return res, err
		}
		send := res.stream
		res.stream = func(w http.ResponseWriter, r *http.Request) {
			defer giveBack()
			send(w, r)
		}
		return res, nil
	}
}
