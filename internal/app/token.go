package app

import (
	"log/slog"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
)

// minToken is how long NESTOR_TOKEN must be where others can guess at it.
const minToken = 32

// checkToken refuses a token that can be guessed, or mistaken for one of the
// server's own. Where only this machine can reach the server a short one is
// pointed out.
func checkToken(cfg Config, local bool, log *slog.Logger) error {
	const advice = "make one with: openssl rand -hex 24"
	switch {
	case cfg.Token == "":
		return nil
	case strings.HasPrefix(cfg.Token, access.TokenPrefix):
		return nestor.Errorf(nestor.CodeInvalid, "NESTOR_TOKEN begins with %s, as the tokens do that the server makes: %s", access.TokenPrefix, advice)
	case strings.TrimSpace(cfg.Token) != cfg.Token:
		return nestor.Errorf(nestor.CodeInvalid, "NESTOR_TOKEN has space around it, which no request can send: %s", advice)
	case len(cfg.Token) >= minToken:
		return nil
	case !local || len(cfg.Hosts) > 0 || len(cfg.TrustedProxies) > 0:
		return nestor.Errorf(nestor.CodeInvalid, "NESTOR_TOKEN has %d characters, and others than this machine can reach the server: "+
			"whoever guesses it reads and writes everything, so it needs at least %d: %s", len(cfg.Token), minToken, advice)
	}
	log.Warn("NESTOR_TOKEN is short: every program on this machine can guess at it", "atLeast", minToken, "advice", advice)
	return nil
}
