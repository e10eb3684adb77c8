package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// IDForm is what a server takes as the id of a tool call.
type IDForm int

// The forms of ids. A provider gets its own ids back unchanged, whatever they
// look like; the form matters for ids that another provider gave.
const (
	// AnyID: whatever is printable and not absurdly long.
	AnyID IDForm = iota
	// ID40 is OpenAI's own: at most 40 characters.
	ID40
	// PlainID is Anthropic's: letters, digits, "_" and "-".
	PlainID
	// ID9 is Mistral's: nine letters and digits.
	ID9
)

// WireID is the id of a call as a server is told it: the provider's own where
// the server takes it, else one that has the server's form and derives from the
// call's id. So a call and its result agree in every request, also after a
// restart.
func (f IDForm) WireID(id, providerID string) string {
	switch {
	case providerID != "" && f.takes(providerID):
		return providerID
	case f.takes(id):
		return id
	case f == ID9:
		return shortID(id)
	}
	return derivedID(id)
}

func (f IDForm) takes(id string) bool {
	most := 40
	switch f {
	case AnyID:
		most = 256
	case PlainID:
		most = 128
	case ID9:
		most = 9
		if len(id) != most {
			return false
		}
	}
	if id == "" || len(id) > most {
		return false
	}
	for i := range len(id) {
		c := id[i]
		plain := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		switch {
		case plain:
		case f == ID9, f == PlainID && c != '_' && c != '-', c <= ' ' || c > '~':
			return false
		}
	}
	return true
}

// callID names a call that came without an id.
func callID(replyID string, position int) string {
	return derivedID(replyID + "/" + strconv.Itoa(position))
}

// derivedID is short and plain, so that every form but Mistral's takes it.
func derivedID(from string) string {
	sum := sha256.Sum256([]byte(from))
	return "call_" + hex.EncodeToString(sum[:12])
}

// shortID is nine letters and digits.
func shortID(from string) string {
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256([]byte(from))
	id := make([]byte, 9)
	for i := range id {
		id[i] = letters[int(sum[i])%len(letters)]
	}
	return string(id)
}
