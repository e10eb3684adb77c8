package llm

import "sync"

// checked remembers texts that were found to be JSON objects. The parameters of tools
// are sent with each request of an agent, and hardly ever change.
type checked struct {
	mu    sync.RWMutex
	texts map[string]bool
	size  int
}

// maxChecked is how many bytes of texts are remembered.
const maxChecked = 1 << 20

// isObject is the function of that name, but quicker the second time.
func (c *checked) isObject(text []byte) bool {
	c.mu.RLock()
	known := c.texts[string(text)]
	c.mu.RUnlock()
	if known {
		return true
	}
	if !isObject(text) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.texts == nil || c.size+len(text) > maxChecked {
		c.texts, c.size = map[string]bool{}, 0
	}
	if !c.texts[string(text)] && len(text) <= maxChecked {
		c.texts[string(text)] = true
		c.size += len(text)
	}
	return true
}
