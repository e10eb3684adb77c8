package library

import (
	"context"
	"slices"
	"sync"
)

// shelves remembers the users who searched last.
type shelves struct {
	limit int // bytes

	mu     sync.Mutex
	of     map[string]*shelf
	recent []string // users, the latest last
}

// take returns the shelf of a user, an empty one if nothing is remembered.
func (c *shelves) take(userID string) *shelf {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.of[userID]; s != nil {
		return s
	}
	s := newShelf()
	c.of[userID] = s
	c.recent = append(c.recent, userID)
	return s
}

// put makes a user the latest, and forgets others until the rest is within the limit,
// the latest, too, if that alone is beyond it.
func (c *shelves) put(userID string, s *shelf) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[userID] != s {
		return // forgotten by now
	}
	c.recent = append(slices.DeleteFunc(c.recent, func(id string) bool { return id == userID }), userID)
	total := int64(0)
	for i := len(c.recent) - 1; i >= 0; i-- {
		if total += c.of[c.recent[i]].bytes.Load(); total > int64(c.limit) {
			for _, id := range c.recent[:i+1] {
				delete(c.of, id)
			}
			c.recent = slices.Clone(c.recent[i+1:])
			return
		}
	}
}

// queries remembers the vectors of what was searched for last: a search is often
// repeated with a lower threshold.
type queries struct {
	mu     sync.Mutex
	known  map[queryKey][]float32
	recent []queryKey
}

type queryKey struct{ userID, model, text string }

const maxQueries = 256

func (q *queries) vector(ctx context.Context, t target, userID, text string) ([]float32, error) {
	key := queryKey{userID, t.model, text}
	q.mu.Lock()
	v, ok := q.known[key]
	q.mu.Unlock()
	if ok {
		return v, nil
	}
	made, err := t.embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, ok := q.known[key]; !ok {
		q.known[key] = made[0]
		q.recent = append(q.recent, key)
	}
	if len(q.recent) > maxQueries {
		delete(q.known, q.recent[0])
		q.recent = slices.Delete(q.recent, 0, 1)
	}
	return made[0], nil
}
