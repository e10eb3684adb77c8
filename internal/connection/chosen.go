package connection

import (
	"context"
	"strings"
	"sync"

	"github.com/nestorhq/nestor/internal/store"
)

// choices remembers which connections users chose, which is asked at every step. It does
// where nobody else writes to the database; elsewhere they are read.
type choices struct {
	docs store.Documents
	sole store.SoleWriter // nil: they are read

	mu        sync.Mutex
	byUser    map[string]*choice // nil for a user who chose none
	elsewhere int64              // writes of others that it knows of
	written   int                // choices of this process
}

// maxChoices bounds the users of whom it is known.
const maxChoices = 10_000

func newChoices(docs store.Documents) *choices {
	c := &choices{docs: docs}
	if s, ok := docs.(interface {
		store.SoleWriter
		Observe(store.Turn, func(store.Commit))
	}); ok {
		c.sole = s
		s.Observe(store.MemoryTurn, c.follow)
	}
	return c
}

// of is what a user chose, nil if nothing.
func (c *choices) of(ctx context.Context, userID string) (*choice, error) {
	if c.sole == nil {
		return store.Load[choice](ctx, c.docs, ChoicePath(userID))
	}
	elsewhere := c.sole.WrittenElsewhere()
	made, known, written := c.recall(userID, elsewhere)
	if known {
		return made, nil
	}
	made, err := store.Load[choice](ctx, c.docs, ChoicePath(userID))
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.written == written && c.elsewhere == elsewhere {
		if c.byUser == nil || len(c.byUser) >= maxChoices {
			c.byUser = map[string]*choice{}
		}
		c.byUser[userID] = made
	}
	return made, nil
}

func (c *choices) recall(userID string, elsewhere int64) (made *choice, known bool, written int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.elsewhere != elsewhere {
		c.byUser, c.elsewhere = nil, elsewhere
	}
	made, known = c.byUser[userID]
	return made, known, c.written
}

// follow forgets what a commit of this process changes.
func (c *choices) follow(commit store.Commit) {
	for i := range commit.Changes {
		p := commit.Changes[i].Path
		if !strings.HasSuffix(p.Collection(), "/"+choiceCollection) {
			continue
		}
		c.mu.Lock()
		delete(c.byUser, p.UserID())
		c.written++
		c.mu.Unlock()
	}
}
