package access

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"github.com/nestorhq/nestor"
)

// The length of a password in characters.
const (
	MinPassword = 12
	MaxPassword = 256
)

// HashCost is what computing the hash of a password takes. It is stored with
// every hash; a login renews a hash of another cost.
type HashCost struct {
	// Memory in KiB. Defaults to 65536.
	Memory uint32
	// Time is the number of passes over the memory. Defaults to 3.
	Time uint32
	// Threads defaults to 4.
	Threads uint8
}

var standard = HashCost{Memory: 64 << 10, Time: 3, Threads: 4}

// CheapHashes makes the default cost next to nothing in this process. It is for tests of
// whole servers, before the first one starts.
func CheapHashes() { standard = HashCost{Memory: 8, Time: 1, Threads: 1} }

const (
	saltSize = 16
	hashSize = 32
	// maxMemory bounds how much a damaged hash can make the server allocate, in
	// KiB.
	maxMemory = 1 << 20
	maxTime   = 100
)

func (c HashCost) withDefaults() HashCost {
	return HashCost{cmp.Or(c.Memory, standard.Memory), cmp.Or(c.Time, standard.Time), cmp.Or(c.Threads, standard.Threads)}
}

// hasher computes hashes, few at a time because each takes much memory.
type hasher struct {
	cost  HashCost
	slots chan struct{}
	// compute is argon2id. Tests count its calls.
	compute func(password, salt []byte, c HashCost, size uint32) []byte
}

func newHasher(cost HashCost, atOnce int) *hasher {
	return &hasher{
		cost: cost.withDefaults(), slots: make(chan struct{}, atOnce),
		compute: func(password, salt []byte, c HashCost, size uint32) []byte {
			return argon2.IDKey(password, salt, c.Time, c.Memory, c.Threads, size)
		},
	}
}

// hash makes the text that is stored for a password.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	p := phc{cost: h.cost, salt: make([]byte, saltSize)}
	rand.Read(p.salt)
	var err error
	p.sum, err = h.run(ctx, password, p.salt, p.cost, hashSize)
	return p.String(), err
}

// verify reports whether stored was made of password, and whether the hash
// should be renewed. It computes one hash in any case.
func (h *hasher) verify(ctx context.Context, password, stored string) (ok, renew bool, err error) {
	p, err := parsePHC(stored)
	if err != nil {
		return false, false, err
	}
	sum, err := h.run(ctx, password, p.salt, p.cost, uint32(len(p.sum)))
	if err != nil {
		return false, false, err
	}
	return subtle.ConstantTimeCompare(sum, p.sum) == 1, p.cost != h.cost || len(p.sum) != hashSize, nil
}

func (h *hasher) run(ctx context.Context, password string, salt []byte, c HashCost, size uint32) ([]byte, error) {
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, nestor.Errorf(nestor.CodeUnavailable, "too many logins at once: %w", context.Cause(ctx))
	}
	defer func() { <-h.slots }()
	return h.compute([]byte(password), salt, c, size), nil
}

// checkPassword reports why a text cannot be a password.
func checkPassword(password string) error {
	n := utf8.RuneCountInString(password)
	switch {
	case !utf8.ValidString(password):
		return nestor.Errorf(nestor.CodeInvalid, "a password must be valid UTF-8").With("field", "password")
	case n < MinPassword || n > MaxPassword:
		return nestor.Errorf(nestor.CodeInvalid, "a password has %d to %d characters, not %d", MinPassword, MaxPassword, n).
			With("field", "password")
	}
	return nil
}

// phc is a hash in the PHC string format: $argon2id$v=19$m=…,t=…,p=…$salt$hash.
type phc struct {
	cost      HashCost
	salt, sum []byte
}

var phcEncoding = base64.RawStdEncoding

func (p phc) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.cost.Memory, p.cost.Time, p.cost.Threads,
		phcEncoding.EncodeToString(p.salt), phcEncoding.EncodeToString(p.sum))
}

func parsePHC(text string) (p phc, err error) {
	damaged := nestor.Errorf(nestor.CodeInternal, "a stored password hash is damaged")
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return p, damaged
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.cost.Memory, &p.cost.Time, &p.cost.Threads); err != nil {
		return p, damaged
	}
	salt, err := phcEncoding.DecodeString(parts[4])
	if err != nil {
		return p, damaged
	}
	sum, err := phcEncoding.DecodeString(parts[5])
	if err != nil {
		return p, damaged
	}
	p.salt, p.sum = salt, sum
	c := p.cost
	switch {
	case len(salt) < 8 || len(salt) > 64 || len(sum) < 16 || len(sum) > 64,
		c.Threads == 0 || c.Time == 0 || c.Time > maxTime || c.Memory < 8*uint32(c.Threads) || c.Memory > maxMemory,
		p.String() != text: // there is one spelling
		return p, damaged
	}
	return p, nil
}
