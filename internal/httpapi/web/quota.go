package web

import (
	"sync"
	"time"

	"github.com/nestorhq/nestor"
)

// Quota bounds how much of something is in use at once, by each user and in
// all.
type Quota struct {
	each, all int64
	name      string // what it is, in the plural
	wait      time.Duration

	mu    sync.Mutex
	used  int64
	users map[string]int64
}

// NewQuota returns a quota of what name says, in the plural. A user who gets
// nothing is told to wait before the next try.
func NewQuota(name string, each, all int64, wait time.Duration) *Quota {
	return &Quota{name: name, each: each, all: all, wait: wait, users: map[string]int64{}}
}

// Take counts n for a user until it is given back, once. Whoever has nothing gets what is
// larger than the bound, too: it would never fit.
func (q *Quota) Take(user string, n int64) (giveBack func(), err error) {
	return q.take(user, n, false)
}

// Room reports why a user gets nothing more.
func (q *Quota) Room(user string) error {
	_, err := q.take(user, 0, false)
	return err
}

// take counts n. Always is for what there is already: it counts beyond the bound.
func (q *Quota) take(user string, n int64, always bool) (giveBack func(), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case always:
	case q.users[user] > 0 && q.users[user]+max(n, 1) > q.each:
		return nil, q.full("user", q.each)
	case q.used > 0 && q.used+max(n, 1) > q.all:
		return nil, q.full("server", q.all)
	}
	if n == 0 {
		return nil, nil
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

func (q *Quota) full(of string, limit int64) error {
	text := "you have all the " + q.name + " that one user may have (%d): close some, or try again later"
	if of == "server" {
		text = "the server has all the " + q.name + " that it may have (%d): try again later"
	}
	err := nestor.Errorf(nestor.CodeRateLimited, text, limit)
	err.Err = nestor.RetryAfter(q.wait)
	return err.With("limit", limit).With("of", of)
}
