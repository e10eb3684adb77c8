package agent

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// memory keeps the conversations of agents at work, so that a step need not
// read all of one again. It follows the commits of its process. What others
// write it does not see, so a conversation counts only if its digest is that
// of the database; if not, it is read. Nothing depends on what is remembered
// but speed.
//
// It has two generations. When the young one is full it becomes the old one,
// and whatever nobody asks for meanwhile goes with the next change.
type memory struct {
	mu         sync.Mutex
	young, old map[nestor.Path]*remembered
	size       int // of the young
}

// maxRemembered is the size of a generation, in bytes of JSON.
const maxRemembered = 32 << 20

type remembered struct {
	said   conversation
	fresh  []*nestor.Document // committed and not decoded yet
	digest store.Digest
	size   int
}

// Committed tells of a commit of this process. Whoever runs the handlers
// registers it with the store, before the worker.
func (a *Agents) Committed(c store.Commit) {
	for i := range c.Changes {
		if agent, ok := speaksTo(c.Changes[i].Path); ok {
			a.memory.add(agent, &c.Changes[i])
		}
	}
}

// speaksTo is the agent that a document is a message of.
func speaksTo(p nestor.Path) (nestor.Path, bool) {
	if strings.Count(string(p), "/") != 7 || !strings.HasSuffix(p.Collection(), "/messages") {
		return "", false
	}
	return p.Parent(), true
}

// add brings a conversation up to date. A change that is more than a new message
// ends it: that happens too rarely to be worth more.
func (m *memory) add(agent nestor.Path, c *nestor.Change) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.find(agent)
	if r == nil {
		return
	}
	if c.Type != nestor.Create {
		m.drop(agent)
		return
	}
	r.fresh = append(r.fresh, c.After)
	r.digest.Apply(c)
	r.size += len(c.After.Data)
	m.grow(len(c.After.Data))
}

// recall returns what is remembered of a conversation, nil if nothing is.
func (m *memory) recall(agent nestor.Path) (conversation, store.Digest) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.find(agent)
	if r == nil {
		return nil, store.Digest{}
	}
	for _, d := range r.fresh {
		said, err := nestor.As[nestor.SubAgentMessage](d)
		if err != nil {
			m.drop(agent)
			return nil, store.Digest{}
		}
		if n := len(r.said); n > 0 && said.Seq < r.said[n-1].Seq {
			m.drop(agent) // commits overtook each other; let the database order them
			return nil, store.Digest{}
		}
		r.said = append(r.said, said)
	}
	r.fresh = nil
	return slices.Clip(r.said), r.digest
}

// keep remembers a conversation as it was read.
func (m *memory) keep(agent nestor.Path, said conversation) {
	r := &remembered{said: slices.Clip(said)}
	for i := range said {
		r.digest.Count++
		r.digest.SeqSum += said[i].Seq
		r.size += len(said[i].Content)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(agent)
	m.put(agent, r)
}

func (m *memory) forget(agent nestor.Path) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(agent)
}

func (m *memory) find(agent nestor.Path) *remembered {
	if r := m.young[agent]; r != nil {
		return r
	}
	r := m.old[agent]
	if r != nil {
		delete(m.old, agent)
		m.put(agent, r)
	}
	return r
}

func (m *memory) put(agent nestor.Path, r *remembered) {
	if m.young == nil {
		m.young = map[nestor.Path]*remembered{}
	}
	m.young[agent] = r
	m.grow(r.size)
}

func (m *memory) grow(n int) {
	if m.size += n; m.size > maxRemembered {
		m.young, m.old, m.size = nil, m.young, 0
	}
}

func (m *memory) drop(agent nestor.Path) {
	if r := m.young[agent]; r != nil {
		m.size -= r.size
	}
	delete(m.young, agent)
	delete(m.old, agent)
}

// recall returns the conversation of an agent if it is known and still right.
func (a *Agents) recall(ctx context.Context, agent nestor.Path) (conversation, error) {
	said, digest := a.memory.recall(agent)
	if said == nil {
		return nil, nil
	}
	now, err := a.store.Digest(ctx, messagesOf(agent).Collection)
	if err != nil || now != digest {
		return nil, err
	}
	return said, nil
}
