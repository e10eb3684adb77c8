package llm

import "strings"

// Seal marks provider state (a signature, an encrypted block) with the owner
// that alone can read it: the model of a provider, "anthropic/claude-opus-5".
// A conversation can move to another model at any turn, by choice or by
// fallback, and providers reject each other's state, some even that of another
// of their own models.
func Seal(owner, state string) string {
	if state == "" {
		return ""
	}
	return owner + ":" + state
}

// Unseal returns the state as the owner sent it, or false if there is none or
// it belongs to somebody else.
func Unseal(owner, sealed string) (string, bool) {
	return strings.CutPrefix(sealed, owner+":")
}
