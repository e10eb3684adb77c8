package access

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"

	"github.com/nestorhq/nestor"
)

// The kinds of random tokens. Their prefixes let scanners find what leaked, and
// the rest is letters and digits, so that a double click selects a whole token.
const (
	accessPrefix  = "nst_a_" // of a session, for a quarter of an hour
	refreshPrefix = "nst_r_" // of a session, to get the next two
	apiKeyPrefix  = "nst_k_"
	oneTimePrefix = "nst_u_" // in a URL, once
	sharePrefix   = "nst_s_" // in a URL, for whoever has it
)

const (
	idSize     = 20 // of what nestor.NewID makes
	secretSize = 26 // of what rand.Text makes: more than 128 bits
)

// mint makes a token for the session or key of an id.
func mint(prefix, id string) string { return prefix + id + rand.Text() }

// parseToken finds the id in a token of a kind. It says nothing about whether
// the token is genuine.
func parseToken(prefix, token string, size int) (id string, ok bool) {
	rest, ok := strings.CutPrefix(token, prefix)
	if !ok || len(rest) != idSize+size || strings.ContainsFunc(rest, notAlphanumeric) {
		return "", false
	}
	return rest[:idSize], true
}

func notAlphanumeric(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
}

// digest is what is stored of a token. The token is random enough for one round
// of a fast hash.
func digest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// isDigest reports whether stored is the digest of token, in constant time.
func isDigest(stored, token string) bool {
	return subtle.ConstantTimeCompare([]byte(stored), []byte(digest(token))) == 1
}

// NewShare makes the token of a link that lets whoever has it see something, the id in it,
// and what is stored of it.
func NewShare() (id, token, stored string) {
	id = nestor.NewID()
	token = mint(sharePrefix, id)
	return id, token, digest(token)
}

// ParseShare finds the id in the token of a link. It says nothing about whether the token
// is genuine; see [IsShare].
func ParseShare(token string) (id string, ok bool) { return parseToken(sharePrefix, token, secretSize) }

// IsShare reports whether a token is the one of which something is stored.
func IsShare(stored, token string) bool { return isDigest(stored, token) }

func badToken() error {
	return nestor.Errorf(nestor.CodeUnauthenticated, "the token is not valid or has expired")
}
