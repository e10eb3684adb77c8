package access

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
)

// Authenticate finds out who sends a request, by its Authorization header or
// else by its session cookie. A request without either is [Anonymous]; one with a
// credential that does not work is refused, with [nestor.CodeUnauthenticated].
//
// A cookie counts for a method that changes something only if the request comes
// from our own pages; see [CheckOrigin].
func (g *Gate) Authenticate(ctx context.Context, r *http.Request) (Caller, error) {
	if h := r.Header.Get("Authorization"); h != "" {
		scheme, token, ok := strings.Cut(h, " ")
		if !ok || !strings.EqualFold(scheme, "Bearer") {
			return Caller{}, nestor.Errorf(nestor.CodeUnauthenticated, "send the token as: Authorization: Bearer TOKEN")
		}
		return g.bearer(ctx, strings.TrimSpace(token), g.ClientOf(r))
	}
	cookie, err := r.Cookie(SessionCookie(r.Host))
	if err != nil {
		return Caller{Kind: Anonymous}, nil
	}
	if err := CheckOrigin(r, g.opts.Hosts...); err != nil {
		return Caller{}, err
	}
	return g.withSession(ctx, cookie.Value)
}

func (g *Gate) bearer(ctx context.Context, token string, from Client) (Caller, error) {
	switch {
	case !strings.HasPrefix(token, TokenPrefix):
		right, err := g.isLocalToken(ctx, token, from)
		if err == nil && !right {
			err = badToken()
		}
		if err != nil {
			return Caller{}, err
		}
		return Caller{UserID: Local, Admin: true, Kind: AsLocal}, nil
	case strings.HasPrefix(token, accessPrefix):
		return g.withSession(ctx, token)
	case strings.HasPrefix(token, apiKeyPrefix):
		return g.withKey(ctx, token)
	}
	grant, err := g.opts.Key.CheckToken(token, g.opts.Now())
	if err != nil {
		return Caller{}, err
	}
	return g.withGrant(ctx, grant)
}

func (g *Gate) withSession(ctx context.Context, token string) (Caller, error) {
	id, ok := parseToken(accessPrefix, token, secretSize)
	if !ok {
		return Caller{}, badToken()
	}
	rec, err := g.session(ctx, id)
	if err != nil {
		return Caller{}, err
	}
	now := g.opts.Now()
	// A token that lasts longer than any token should was made while a clock ran
	// ahead. Its browser refreshes it.
	if !isDigest(rec.digest, token) || over(rec.tokenEnds, now) || rec.tokenEnds.Sub(now) > g.opts.AccessTTL+clockSkew {
		return Caller{}, badToken()
	}
	return rec.caller(InSession, now)
}

func (g *Gate) withKey(ctx context.Context, token string) (Caller, error) {
	id, ok := parseToken(apiKeyPrefix, token, secretSize)
	if !ok {
		return Caller{}, badToken()
	}
	rec, err := g.apiKey(ctx, id)
	if err != nil {
		return Caller{}, err
	}
	if !isDigest(rec.digest, token) {
		return Caller{}, badToken()
	}
	c, err := rec.caller(WithKey, g.opts.Now())
	if err == nil {
		g.used(ctx, rec)
	}
	return c, err
}

// caller is the caller that a record stands for.
func (rec record) caller(kind Kind, now time.Time) (Caller, error) {
	if over(rec.ends, now) {
		return Caller{}, badToken()
	}
	return Caller{
		UserID: rec.userID, Kind: kind, ID: rec.id, Scopes: rec.scopes, Ends: rec.ends,
		Admin: rec.admin && (kind != WithKey || hasLevel(rec.scopes, ScopeAdmin)),
	}, nil
}

// withGrant lets the receiver of a webhook in, unless its user is disabled. The
// user need not have a document: on a server without logins nobody has one.
func (g *Gate) withGrant(ctx context.Context, grant Grant) (Caller, error) {
	if nestor.CheckID(grant.User) == nil {
		if err := g.notDisabled(ctx, grant.User); err != nil {
			return Caller{}, err
		}
	}
	return Caller{UserID: grant.User, Kind: AsWebhook, Grant: grant, Ends: time.Unix(grant.Expires, 0)}, nil
}

// Recheck looks at a caller again, for streams that outlive the request's
// token: it goes on as long as the session, key or grant does. Calling it once a
// second costs next to nothing.
func (g *Gate) Recheck(ctx context.Context, c Caller) (Caller, error) {
	now := g.opts.Now()
	switch c.Kind {
	case InSession:
		rec, err := g.session(ctx, c.ID)
		if err != nil {
			return Caller{}, err
		}
		return rec.caller(c.Kind, now)
	case WithKey:
		rec, err := g.apiKey(ctx, c.ID)
		if err != nil {
			return Caller{}, err
		}
		return rec.caller(c.Kind, now)
	case AsWebhook:
		if over(c.Ends, now) {
			return Caller{}, badToken()
		}
		return g.withGrant(ctx, c.Grant)
	}
	return c, nil
}
