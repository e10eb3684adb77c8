package access

import (
	"context"
	"time"
)

// Guesses at NESTOR_TOKEN, which a person may have chosen, are slowed down for
// each address. Tokens that the server makes cannot be guessed and are not
// counted: a program whose key was revoked must not lock out others behind the
// same address.
const (
	freeGuesses      = 20
	longestGuessWait = time.Minute
)

// HasToken reports whether there is a NESTOR_TOKEN.
func (g *Gate) HasToken() bool { return g.token != "" }

// isLocalToken reports whether a token is NESTOR_TOKEN. After too many wrong
// ones from an address none from there is looked at for a while; the error is
// of [nestor.CodeRateLimited].
func (g *Gate) isLocalToken(ctx context.Context, token string, from Client) (bool, error) {
	right := g.HasToken() && isDigest(g.token, token)
	wait, err := g.guesses.attempt(from.Network(), right)
	if wait > 0 {
		g.opts.Logger.WarnContext(ctx, "somebody guesses at the server's token", "address", from.Address, "wait", wait)
	}
	return right && err == nil, err
}
