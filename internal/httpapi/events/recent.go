package events

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/store"
)

// maxRecent bounds how many documents are remembered.
const maxRecent = 10_000

// recent remembers for a moment what the rechecks of streams read: a thousand
// readers of one chat ask for the same document every second. It is for deciding
// on rights alone, never for what is shown.
type recent struct {
	store store.Documents
	// believed is for how long what was read counts.
	believed time.Duration

	mu   sync.Mutex
	read map[nestor.Path]glimpse
}

// glimpse is a document as it was a moment ago, nil for none.
type glimpse struct {
	doc   *nestor.Document
	until time.Time
}

func newRecent(s store.Documents, believed time.Duration) *recent {
	return &recent{store: s, believed: believed, read: map[nestor.Path]glimpse{}}
}

// reader reads through what is remembered.
func (c *recent) reader(ctx context.Context) store.Reader {
	return recentReader{rules.Live(ctx, c.store), c}
}

type recentReader struct {
	store.Reader
	recent *recent
}

// Get implements [store.Reader].
func (r recentReader) Get(p nestor.Path) (*nestor.Document, error) {
	g, ok := r.recent.recall(p)
	if !ok {
		now := time.Now() // what is read next is at least as new
		d, err := r.Reader.Get(p)
		if err != nil && !errors.Is(err, nestor.ErrNotFound) {
			return nil, err
		}
		g = glimpse{d, now.Add(r.recent.believed)}
		if err != nil {
			g.doc = nil
		}
		r.recent.note(p, g)
	}
	if g.doc == nil {
		return nil, nestor.Errorf(nestor.CodeNotFound, "there is no document %s", p)
	}
	return g.doc, nil
}

func (c *recent) recall(p nestor.Path) (glimpse, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g, ok := c.read[p]
	return g, ok && time.Now().Before(g.until)
}

func (c *recent) note(p nestor.Path, g glimpse) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.read) >= maxRecent {
		clear(c.read)
	}
	c.read[p] = g
}
