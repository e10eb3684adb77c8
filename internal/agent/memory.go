package agent

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/store"
)

// known is what a step of an agent starts from.
type known struct {
	agent  *nestor.Document
	said   conversation
	scopes []budget.Scope
	basis  []nestor.Path // the agent, and what else the scopes come from
	digest store.Digest  // of the basis and the messages
}

// know returns what there is to know of an agent; nil if it is not at work.
func (a *Agents) know(ctx context.Context, agent nestor.Path) (*known, error) {
	if k := a.memory.recall(agent); k != nil {
		now, err := a.store.Digest(ctx, messagesOf(agent).Collection, k.basis...)
		if err == nil && now == k.digest {
			return k, nil
		}
	}
	return a.read(ctx, agent)
}

func (a *Agents) read(ctx context.Context, agent nestor.Path) (k *known, err error) {
	err = a.store.View(ctx, func(r store.Reader) error {
		basis := &noting{Reader: r}
		k = nil
		doc, err := store.Find[nestor.SubAgent](basis, agent)
		if err != nil || doc == nil || doc.Status != nestor.SubAgentActive {
			return err
		}
		k = &known{agent: basis.docs[0]}
		if k.scopes, err = a.scopes(basis, chatOf(agent), doc.TaskID); err != nil {
			return err
		}
		for _, d := range basis.docs {
			k.basis = append(k.basis, d.Path)
			k.digest.Apply(&nestor.Change{After: d})
		}
		k.said, err = readConversation(r, agent)
		for i := range k.said {
			k.digest.Count, k.digest.SeqSum = k.digest.Count+1, k.digest.SeqSum+k.said[i].Seq
		}
		return err
	})
	if k != nil && err == nil {
		a.memory.keep(agent, k)
	}
	return k, err
}

// noting notes the documents that are read one by one.
type noting struct {
	store.Reader
	docs []*nestor.Document
}

func (n *noting) Get(p nestor.Path) (*nestor.Document, error) {
	d, err := n.Reader.Get(p)
	if err == nil {
		n.docs = append(n.docs, d)
	}
	return d, err
}

// memory keeps what is known of agents at work, so that a step need not read it
// all again. It follows the commits of its process. What others write it does
// not see, so what it has counts only if its digest is that of the database.
// Nothing depends on it but speed.
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
	known
	fresh []*nestor.Document // messages that were committed and not decoded yet
	size  int
}

// Committed tells of a commit of this process. Whoever runs the handlers
// registers it with the store, before the worker.
func (a *Agents) Committed(c store.Commit) {
	for i := range c.Changes {
		a.memory.note(&c.Changes[i])
	}
}

// note brings what is known of an agent up to date. A change that is more than
// a new message or a step of the agent ends it.
func (m *memory) note(c *nestor.Change) {
	depth := strings.Count(string(c.Path), "/")
	agent := c.Path
	switch {
	case depth == 7 && strings.HasSuffix(c.Path.Collection(), "/messages"):
		agent = c.Path.Parent()
	case depth != 5 || !strings.HasSuffix(c.Path.Collection(), "/sub-agents"):
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.find(agent)
	switch {
	case r == nil:
		return
	case agent == c.Path && c.Type == nestor.Update:
		r.agent = c.After
	case agent != c.Path && c.Type == nestor.Create:
		r.fresh = append(r.fresh, c.After)
		r.size += len(c.After.Data)
		m.grow(len(c.After.Data))
	default:
		m.drop(agent)
		return
	}
	r.digest.Apply(c)
}

// recall returns what is remembered of an agent, nil if nothing is.
func (m *memory) recall(agent nestor.Path) *known {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.find(agent)
	if r == nil {
		return nil
	}
	for _, d := range r.fresh {
		said, err := nestor.As[nestor.SubAgentMessage](d)
		if err != nil || len(r.said) > 0 && said.Seq < r.said[len(r.said)-1].Seq {
			m.drop(agent) // commits overtook each other; let the database order them
			return nil
		}
		r.said = append(r.said, said)
	}
	r.fresh = nil
	k := r.known
	k.said = slices.Clip(k.said) // the rest of the array is ours
	return &k
}

// keep remembers what was read.
func (m *memory) keep(agent nestor.Path, k *known) {
	r := &remembered{known: *k}
	for i := range k.said {
		r.size += len(k.said[i].Content)
	}
	r.said = slices.Clip(r.said)
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
