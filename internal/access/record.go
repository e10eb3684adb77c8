package access

import (
	"context"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

const (
	// recordTTL is how long a look-up is believed: what another node revokes ends
	// here within that time.
	recordTTL  = time.Second
	maxRecords = 10_000
)

// record is what the database says about the session or key of a token.
type record struct {
	id     string
	userID string
	admin  bool
	// digest is that of the token, which is good until tokenEnds. The session or
	// key itself is good until ends, zero for ever.
	digest          string
	tokenEnds, ends time.Time
	scopes          []string
	lastUsed        time.Time
}

// records caches look-ups for a moment, so that a busy client costs a read per
// second and not one per request.
type records struct {
	now func() time.Time

	mu    sync.Mutex
	known *bounded[timed]
	// removed counts removals. A look-up during which something was removed is not
	// kept: it may have read what is gone.
	removed uint64
}

type timed struct {
	record record
	until  time.Time
}

func newRecords(now func() time.Time) *records {
	return &records{now: now, known: newBounded[timed](maxRecords)}
}

func (c *records) get(key string, load func() (record, error)) (record, error) {
	now := c.now()
	c.mu.Lock()
	if t := c.known.get(key); t != nil && now.Before(t.until) {
		defer c.mu.Unlock()
		return t.record, nil
	}
	removed := c.removed
	c.mu.Unlock()
	rec, err := load()
	if err != nil {
		return record{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if removed != c.removed {
		return rec, nil
	}
	t := c.known.get(key)
	if t == nil {
		t = c.known.add(key)
	}
	*t = timed{rec, now.Add(recordTTL)}
	return rec, nil
}

func (c *records) remove(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known.remove(key)
	c.removed++
}

func (c *records) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known.clear()
	c.removed++
}

// session looks a session up. The error is of [nestor.CodeUnauthenticated] if
// there is none that works.
func (g *Gate) session(ctx context.Context, id string) (record, error) {
	return g.records.get(accessPrefix+id, func() (rec record, err error) {
		err = g.opts.Store.View(ctx, func(r store.Reader) error {
			s, err := store.Find[sessionSecret](r, secretPath("sessions", id))
			if err != nil {
				return err
			}
			if s == nil {
				return badToken()
			}
			rec = record{
				id: id, userID: s.UserID, digest: s.Access,
				tokenEnds: time.UnixMilli(s.AccessExpiresAt), ends: time.UnixMilli(s.ExpiresAt),
			}
			_, err = confirm[Session](r, &rec, sessionPath(s.UserID, id))
			return err
		})
		return rec, err
	})
}

// apiKey looks a key up, as session does.
func (g *Gate) apiKey(ctx context.Context, id string) (record, error) {
	return g.records.get(apiKeyPrefix+id, func() (rec record, err error) {
		err = g.opts.Store.View(ctx, func(r store.Reader) error {
			s, err := store.Find[apiKeySecret](r, secretPath("keys", id))
			if err != nil {
				return err
			}
			if s == nil {
				return badToken()
			}
			rec = record{id: id, userID: s.UserID, digest: s.Digest, scopes: s.Scopes}
			if s.ExpiresAt != 0 {
				rec.ends = time.UnixMilli(s.ExpiresAt)
				rec.tokenEnds = rec.ends
			}
			listed, err := confirm[APIKey](r, &rec, apiKeyPath(s.UserID, id))
			rec.lastUsed = time.UnixMilli(listed.LastUsedAt)
			return err
		})
		return rec, err
	})
}

// notDisabled fails if a user is disabled.
func (g *Gate) notDisabled(ctx context.Context, userID string) error {
	_, err := g.records.get("user "+userID, func() (record, error) {
		return record{}, g.opts.Store.View(ctx, func(r store.Reader) error {
			u, err := store.Find[standing](r, userPath(userID))
			if err == nil && u != nil && u.Disabled {
				return badToken()
			}
			return err
		})
	})
	return err
}

// Standing is a user as they would be with a session, for what they let others see. The error is of
// [nestor.CodeUnauthenticated] if the user is locked out.
func (g *Gate) Standing(ctx context.Context, userID string) (Caller, error) {
	if err := g.notDisabled(ctx, userID); err != nil {
		return Caller{}, err
	}
	return Caller{UserID: userID, Kind: InSession}, nil
}

// confirm reports why a record does not count: its session or key is not listed
// any more, or its user is gone or disabled.
func confirm[T any](r store.Reader, rec *record, at nestor.Path) (listed T, err error) {
	found, err := store.Find[T](r, at)
	if err != nil {
		return listed, err
	}
	u, err := store.Find[standing](r, userPath(rec.userID))
	if err != nil {
		return listed, err
	}
	if found == nil || u == nil || u.Disabled {
		return listed, badToken()
	}
	rec.admin = u.Admin
	return *found, nil
}

// over reports whether a time has come that is not zero.
func over(end, now time.Time) bool { return !end.IsZero() && !now.Before(end) }
