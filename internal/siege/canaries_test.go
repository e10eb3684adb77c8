package siege

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// canaries are texts that nobody could guess, each known to some people only.
type canaries struct {
	account string

	mu          sync.Mutex
	texts       []canary
	connections map[string]connection // by secret
	found       []string              // where one was that it must not be
}

type canary struct {
	text, of string
	letter   string // of the chat that it is in
	round    int
}

// connection is that of a chat.
type connection struct {
	letter string
	round  int
}

func newCanaries() *canaries { return &canaries{connections: map[string]connection{}} }

func (c *canaries) add(of string) string { return c.put(canary{of: of}) }

func (c *canaries) addChat(letter string, round int) string {
	return c.put(canary{of: fmt.Sprintf("chat %s%d", letter, round), letter: letter, round: round})
}

func (c *canaries) addConnection(letter string, round int) string {
	secret := c.put(canary{of: fmt.Sprintf("secret of the connection of %s%d", letter, round)})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.connections[secret] = connection{letter, round}
	return secret
}

func (c *canaries) put(n canary) string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails
	n.text = hex.EncodeToString(b[:])
	c.mu.Lock()
	defer c.mu.Unlock()
	c.texts = append(c.texts, n)
	return n.text
}

// visible are the chats that people may read, by letter. Narrow credentials read
// theirs of this round.
var visible = map[string]string{
	"u1": "cpkwse", "u2": "cqe", "u3": "ce", "ex": "e",
}

// seenBy reports whether a person may be shown it.
func (n canary) seenBy(p *person, round int) bool {
	switch {
	case p.narrow != "":
		return n.letter == p.narrow && n.round == round
	case n.letter != "":
		return strings.Contains(visible[p.user], n.letter)
	}
	return n.of == p.user+"'s own"
}

// promptedIn reports whether the model of a chat may be shown it. A private chat
// can hold what its user may read, and one that is shared what is in the chats
// of the account.
func (n canary) promptedIn(c connection) bool {
	switch c.letter {
	case "p":
		return strings.Contains(visible["u1"], n.letter) && n.letter != "" || n.of == "u1's own"
	case "q":
		return strings.Contains(visible["u2"], n.letter) && n.letter != "" || n.of == "u2's own"
	case "c":
		return n.letter == "c" || n.letter == "e"
	case "e":
		return n.letter == "e"
	}
	return n.letter == c.letter && n.round == c.round
}

// look notes the canaries of a text that a person must not see. NESTOR_TOKEN sees
// all but secrets.
func (c *canaries) look(p *person, round int, where, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.texts {
		secret := strings.HasPrefix(n.of, "secret")
		if (p.name != "local" || secret) && strings.Contains(text, n.text) && !n.seenBy(p, round) {
			c.note(fmt.Sprintf("%s is shown %s by %s", p.name, n.of, where))
		}
	}
}

// prompt looks at a request to the model.
func (c *canaries) prompt(key, body string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	of, known := c.connections[key]
	for _, n := range c.texts {
		if !strings.Contains(body, n.text) {
			continue
		}
		switch {
		case strings.HasPrefix(n.of, "secret"):
			c.note("a prompt has the " + n.of)
		case known && !n.promptedIn(of):
			c.note(fmt.Sprintf("a prompt of the chat %s%d has %s", of.letter, of.round, n.of))
		}
	}
}

func (c *canaries) note(found string) {
	if !slices.Contains(c.found, found) {
		c.found = append(c.found, found)
	}
}

// crossed returns what was noted, and forgets it.
func (c *canaries) crossed() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.found
	c.found = nil
	return found
}
