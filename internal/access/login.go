package access

import (
	"context"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Client is where a login comes from.
type Client struct {
	// Address is the IP address without a port. Failed logins count against it.
	Address string
	// Agent is the User-Agent, to tell sessions apart by.
	Agent string
}

// failures are the failed logins of a user, on all nodes.
type failures struct {
	Count  int   `json:"count"`
	LastAt int64 `json:"lastAt"`
	Until  int64 `json:"until"` // locked, Unix milliseconds
}

// Login starts a session for the user whose id, name or e-mail login is. The
// error is of [nestor.CodeUnauthenticated] for an unknown or disabled user as
// for a wrong password, after the same work, and of [nestor.CodeRateLimited]
// while the account or the address is locked because of failures.
func (g *Gate) Login(ctx context.Context, login, pass string, from Client) (Tokens, error) {
	address, account := addressKey(from.Address), loginID(login)
	if err := g.addresses.begin(address); err != nil {
		return Tokens{}, err
	}
	if err := g.accounts.begin(account); err != nil {
		return Tokens{}, err
	}
	found, err := g.candidate(ctx, login)
	if err != nil {
		return Tokens{}, err
	}
	if wait := remaining(time.UnixMilli(found.failures.Until), g.opts.Now()); wait > 0 {
		return Tokens{}, tooMany(wait)
	}
	if len(pass) > 4*MaxPassword { // it is nobody's
		pass = pass[:4*MaxPassword]
	}
	ok, renew, err := g.passwords.verify(ctx, pass, found.hash)
	if err != nil {
		return Tokens{}, err
	}
	if !ok || !found.active {
		if err := g.countFailure(ctx, found.failuresAt()); err != nil {
			return Tokens{}, err
		}
		return Tokens{}, wrongLogin()
	}
	next := found.hash
	if renew {
		if next, err = g.passwords.hash(ctx, pass); err != nil {
			return Tokens{}, err
		}
	}
	t, err := g.admit(ctx, found, next, from)
	if err == nil {
		g.accounts.forget(account)
		g.addresses.takeBack(address)
	}
	return t, err
}

// candidate is whom a login names, or nobody, who has a hash as well.
type candidate struct {
	userID   string
	active   bool
	hash     string
	failures failures
}

// candidate reads as much for nobody as for a user, so that the time it takes does
// not tell them apart.
func (g *Gate) candidate(ctx context.Context, login string) (c candidate, err error) {
	err = g.opts.Store.View(ctx, func(r store.Reader) error {
		c = candidate{hash: g.nobody}
		held, err := store.Find[owner](r, secretPath("logins", loginID(login)))
		if err != nil {
			return err
		}
		id := "-"
		if held != nil {
			id = held.UserID
		}
		u, err := store.Find[standing](r, userPath(id))
		if err != nil {
			return err
		}
		p, err := store.Find[password](r, secretPath("passwords", id))
		if err != nil {
			return err
		}
		f, err := store.Find[failures](r, secretPath("failures", id))
		if err != nil {
			return err
		}
		if held == nil || u == nil || p == nil {
			return nil
		}
		c = candidate{userID: id, active: !u.Disabled, hash: p.Hash}
		if f != nil {
			c.failures = *f
		}
		return nil
	})
	return c, err
}

// failuresAt is where failures count. Those of nobody go to one document and
// lead to nothing: they are written for the time that takes.
func (c candidate) failuresAt() nestor.Path {
	if c.userID == "" {
		return secretPath("unknown", "failures")
	}
	return secretPath("failures", c.userID)
}

func (g *Gate) countFailure(ctx context.Context, p nestor.Path) error {
	now := g.opts.Now()
	return g.opts.Store.Update(ctx, func(tx store.Tx) error {
		f, err := store.Find[failures](tx, p)
		if err != nil {
			return err
		}
		if f == nil || now.Sub(time.UnixMilli(f.LastAt)) > failuresKept {
			f = &failures{}
		}
		f.Count++
		f.LastAt = nestor.Millis(now)
		f.Until = nestor.Millis(now.Add(waitAfter(f.Count, freeFailures)))
		_, err = tx.Put(p, f, store.AnyVersion)
		return err
	})
}

// admit starts the session of a login that was right and stores the hash that
// the password has from now on. That the password was changed meanwhile, which
// ended the sessions there were, ends this one before it begins.
func (g *Gate) admit(ctx context.Context, c candidate, hash string, from Client) (Tokens, error) {
	t := g.newTokens(c.userID)
	err := g.opts.Store.Update(ctx, func(tx store.Tx) error {
		at := secretPath("passwords", c.userID)
		p, err := store.Find[password](tx, at)
		if err != nil {
			return err
		}
		if p == nil || p.Hash != c.hash {
			return nestor.Errorf(nestor.CodeConflict, "the password was changed in this moment: log in again")
		}
		// Written even when it stays the same, so that it cannot be changed
		// while the session is on its way.
		if _, err := tx.Put(at, password{Hash: hash}, store.AnyVersion); err != nil {
			return err
		}
		if err := remove(tx, secretPath("failures", c.userID)); err != nil {
			return err
		}
		return g.begin(tx, t, from)
	})
	return t, err
}

func wrongLogin() error {
	return nestor.Errorf(nestor.CodeUnauthenticated, "the name or the password is wrong")
}
