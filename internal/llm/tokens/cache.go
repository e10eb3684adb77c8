package tokens

import (
	"hash/maphash"
	"sync"
)

// generation bounds the memory of a cache to some megabytes, and is far more
// than the texts of the conversations that are active at a time.
const generation = 1 << 15

// cache remembers the counts of texts by their hash, so that a conversation
// that grows by a message is not counted anew. What was not asked for during a
// whole generation is forgotten. The zero value is ready to use; it is safe for
// concurrent use.
type cache struct {
	mu         sync.Mutex
	young, old map[text]int
}

// text stands for a text and the way it is counted. Two texts that look the
// same by chance, 1 in 2⁶⁴, would share a count, which does no harm.
type text struct {
	hash   uint64
	length int
	by     encoding
}

var seed = maphash.MakeSeed()

func (c *cache) count(by encoding, s string) int {
	if s == "" {
		return 0
	}
	key := text{maphash.String(seed, s), len(s), by}
	if n, ok := c.get(key); ok {
		return n
	}
	n := by.count(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(key, n)
	return n
}

func (c *cache) get(key text) (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, ok := c.young[key]; ok {
		return n, true
	}
	n, ok := c.old[key]
	if ok {
		c.put(key, n)
	}
	return n, ok
}

func (c *cache) put(key text, n int) {
	if c.young == nil || len(c.young) >= generation {
		c.young, c.old = map[text]int{}, c.young
	}
	c.young[key] = n
}
