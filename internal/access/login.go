package access

import (
	"context"

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

// Login starts a session for the user whose id, name or e-mail login is. The
// error is of [nestor.CodeUnauthenticated] for an unknown or disabled user as
// for a wrong password, after the same work, and of [nestor.CodeRateLimited]
// after too many failures.
func (g *Gate) Login(ctx context.Context, login, pass string, from Client) (Tokens, error) {
	try, err := g.try(login, from)
	if err != nil {
		return Tokens{}, err
	}
	found, err := g.candidate(ctx, login, try.network)
	if err != nil {
		return Tokens{}, err
	}
	now := g.opts.Now()
	if err := lockedUntil(found.failures.at(try.network).Until, now); err != nil {
		return Tokens{}, err
	}
	// While the address or the account is held up, only the right password from a
	// known place gets in. Every other password costs as much and gets the same
	// answer: nobody can find out which places an account knows.
	held := try.held
	if held == nil {
		held = lockedUntil(found.failures.Until, now)
	}
	if len(pass) > 4*MaxPassword { // no password is that long
		pass = pass[:4*MaxPassword]
	}
	ok, renew, err := g.passwords.verify(ctx, pass, found.hash)
	if err != nil {
		return Tokens{}, err
	}
	if held != nil && !(ok && found.active && found.known) {
		return Tokens{}, held
	}
	if !ok || !found.active {
		if err := g.countFailure(ctx, found.failuresAt(), try.network); err != nil {
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
		try.succeed()
	}
	return t, err
}

// candidate is the user that a login names, or nobody, who has a hash as well.
type candidate struct {
	userID   string
	active   bool
	known    bool // at the address that the login comes from
	hash     string
	failures failures
}

// candidate reads as much for nobody as for a user, so that the time it takes does
// not tell them apart.
func (g *Gate) candidate(ctx context.Context, login, network string) (c candidate, err error) {
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
		known, err := store.Find[places](r, secretPath("places", id))
		if err != nil {
			return err
		}
		if held == nil || u == nil || p == nil {
			return nil
		}
		c = candidate{userID: id, active: !u.Disabled, hash: p.Hash}
		c.known = known != nil && known.knows(network, g.opts.Now())
		if f != nil {
			c.failures = *f
		}
		return nil
	})
	return c, err
}

// admit starts the session of a login that was right, and stores the hash that
// the password has from now on. If the password was changed meanwhile, which
// ends all sessions, this one does not begin.
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
		// Written even when it stays the same, so that the password cannot be changed
		// while the session begins.
		if _, err := tx.Put(at, password{Hash: hash}, store.AnyVersion); err != nil {
			return err
		}
		if err := forgive(tx, c.failuresAt(), from.Network()); err != nil {
			return err
		}
		if err := remember(tx, c.userID, from.Network(), g.opts.Now()); err != nil {
			return err
		}
		return g.begin(tx, t, from)
	})
	return t, err
}

func wrongLogin() error {
	return nestor.Errorf(nestor.CodeUnauthenticated, "the name or the password is wrong")
}
