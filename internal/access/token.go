package access

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
)

// Grant is what a token allows: to act as a user on the documents at or below
// a path, until it expires.
type Grant struct {
	// Asked are those on whose behalf the receiver works: what it writes carries
	// their names. Defaults to the user.
	Asked nestor.Askers `json:"asked,omitempty"`
	User  string        `json:"user"`
	Path  nestor.Path   `json:"path"`
	// Reach bounds, beside the path, what comes of what the receiver writes: it is that of
	// the run for which the receiver works.
	Reach   []nestor.Reach `json:"reach,omitempty"`
	Expires int64          `json:"exp"` // Unix seconds
	// Of is the document whose change the receiver was told of. It says which documents
	// of the runtime the receiver writes, and how; without it, none.
	Of nestor.Path `json:"of,omitempty"`
}

// GrantTime is how long a grant lasts.
const GrantTime = time.Hour

// clockSkew is by how much the clocks of nodes may differ.
const clockSkew = 5 * time.Minute

// TokenPrefix begins every token that a server makes.
const TokenPrefix = "nst_"

var encoding = base64.RawURLEncoding

// MintToken signs a grant. Webhook receivers get such tokens to write back.
func (k *Key) MintToken(g Grant) string {
	payload, _ := json.Marshal(g) // strings and a number
	body := encoding.EncodeToString(payload)
	return TokenPrefix + body + "." + encoding.EncodeToString(k.sign(body))
}

// CheckToken returns the grant of a token that this key signed and that has not
// expired. One that lasts longer than any grant should was signed while a clock
// ran ahead, and is refused.
func (k *Key) CheckToken(token string, now time.Time) (Grant, error) {
	invalid := nestor.Errorf(nestor.CodeUnauthenticated, "the token is not valid or has expired")
	body, signature, ok := strings.Cut(strings.TrimPrefix(token, TokenPrefix), ".")
	sum, err := encoding.DecodeString(signature)
	if !ok || err != nil || !strings.HasPrefix(token, TokenPrefix) || !hmac.Equal(sum, k.sign(body)) {
		return Grant{}, invalid
	}
	var g Grant
	payload, err := encoding.DecodeString(body)
	if err != nil || json.Unmarshal(payload, &g) != nil || now.Unix() >= g.Expires ||
		g.Expires > now.Add(GrantTime+clockSkew).Unix() {
		return Grant{}, invalid
	}
	return g, nil
}

func (k *Key) sign(body string) []byte {
	m := hmac.New(sha256.New, k.derive("webhook tokens"))
	m.Write([]byte(body))
	return m.Sum(nil)
}
