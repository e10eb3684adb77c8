package memory

import (
	"context"
	"errors"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/billing"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/store"
)

// Known is what a step of an agent starts from.
type Known struct {
	Read  *nestor.Document
	Agent nestor.SubAgent // what was read
	Said  conversation.Messages
	// Scopes are the budgets that bound the agent's calls, but for the payer's.
	Scopes []budget.Scope
	// Unpaid says why nobody pays for the agent's work, nil if somebody does.
	Unpaid error
	basis  basis // the agent, and what else the scopes come from
	// elsewhere is how often others had written to the database; see [store.SoleWriter].
	elsewhere int64
}

// basis are documents as they are known, nil where there is none.
type basis struct {
	paths []nestor.Path
	docs  []*nestor.Document
}

func (b *basis) add(p nestor.Path, d *nestor.Document) {
	b.paths, b.docs = append(b.paths, p), append(b.docs, d)
}

// at is the document at p, nil if there is none or it is not known.
func (b basis) at(p nestor.Path) *nestor.Document {
	if i := slices.Index(b.paths, p); i >= 0 {
		return b.docs[i]
	}
	return nil
}

// seqs are what the documents are known by, 0 where there is none.
func (b basis) seqs() []int64 {
	seqs := make([]int64, len(b.docs))
	for i, d := range b.docs {
		if d != nil {
			seqs[i] = d.Seq
		}
	}
	return seqs
}

// lacks reports whether a change is of one of the documents and newer than what is known of it.
func (b basis) lacks(c *nestor.Change) bool {
	i := slices.Index(b.paths, c.Path)
	return i >= 0 && (b.docs[i] == nil || c.Seq > b.docs[i].Seq)
}

// with is the basis after a change. Others may still look at the one before.
func (b basis) with(c *nestor.Change) basis {
	if b.lacks(c) {
		b.docs = slices.Clone(b.docs)
		b.docs[slices.Index(b.paths, c.Path)] = c.After
	}
	return b
}

// seqTeller is a store that can tell the Seq of documents, 0 where there is none,
// without reading them. If a store cannot, the documents are read.
type seqTeller interface {
	Seqs(ctx context.Context, paths ...nestor.Path) ([]int64, error)
}

// elsewhere is how often somebody else wrote, where that can be told. (If a step meets
// something that was written just before, it does not commit, as after any other conflict.)
func (m *Memory) elsewhere() (n int64, known bool) {
	s, ok := m.store.(store.SoleWriter)
	if !ok {
		return 0, false
	}
	return s.WrittenElsewhere(), true
}

func (m *Memory) seqs(ctx context.Context, paths []nestor.Path) (seqs []int64, err error) {
	if s, ok := m.store.(seqTeller); ok {
		return s.Seqs(ctx, paths...)
	}
	err = m.store.View(ctx, func(r store.Reader) error {
		seqs = make([]int64, len(paths))
		for i, p := range paths {
			d, err := store.FindDocument(r, p)
			if err != nil {
				return err
			}
			if d != nil {
				seqs[i] = d.Seq
			}
		}
		return nil
	})
	return seqs, err
}

// Remember returns what is remembered of an agent, if it still holds; see [Memory].
func (m *Memory) Remember(ctx context.Context, agent nestor.Path) *Known {
	k := m.recall(agent)
	if k == nil {
		return nil
	}
	if n, known := m.elsewhere(); known && n == k.elsewhere {
		return k
	}
	if now, err := m.seqs(ctx, k.basis.paths); err != nil || !slices.Equal(now, k.basis.seqs()) {
		return nil
	}
	return k
}

// Read returns what there is to know of an agent; nil if it is not at work.
func (m *Memory) Read(ctx context.Context, agent nestor.Path) (k *Known, err error) {
	meanwhile := m.expect(agent)
	elsewhere, _ := m.elsewhere()
	err = m.store.View(ctx, func(r store.Reader) error {
		k = nil
		read := &noting{Reader: r}
		if err := store.ExpectQueries(r, []nestor.Path{agent, chatdoc.ChatOf(agent)}, chatdoc.MessagesOf(agent)); err != nil {
			return err
		}
		doc, err := store.FindDocument(read, agent)
		if err != nil || doc == nil {
			return err
		}
		known := Known{Read: doc, elsewhere: elsewhere}
		if known.Agent, err = nestor.As[nestor.SubAgent](doc); err != nil || known.Agent.Status != nestor.SubAgentActive {
			return err
		}
		if known.Scopes, err = billing.ScopesOf(read, chatdoc.ChatOf(agent), known.Agent.TaskID); err != nil {
			return err
		}
		if known.Unpaid, err = billing.UnpaidAt(read, chatdoc.ChatOf(agent), known.Agent.AskedBy); err != nil {
			return err
		}
		known.basis = read.basis(agent)
		k = &known
		k.Said, err = conversation.ReadMessages(r, agent)
		return err
	})
	if k == nil || err != nil {
		m.forget(agent)
		return nil, err
	}
	m.keep(agent, meanwhile, k)
	return k, nil
}

// Begin has what a transaction knows of the agent that it creates be remembered when it
// commits, so that the first step need not read it. It is called after everything but
// messages is written that the step depends on; chat and task are what was read or written.
func (m *Memory) Begin(tx store.Tx, agent nestor.Path, chat *nestor.Chat, task *nestor.Task) error {
	read, at := &noting{Reader: tx}, chatdoc.ChatOf(agent)
	for _, p := range []nestor.Path{agent, at, chatdoc.TaskPath(at, task.ID)} {
		if _, err := read.Get(p); err != nil {
			return err
		}
	}
	scopes, err := billing.ScopesWith(read, at, chat, task)
	if err != nil {
		return err
	}
	unpaid, err := billing.Unpaid(read, at, chat, task.AskedBy)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(agent)
	m.put(agent, &remembered{begun: &Known{Read: read.read.docs[0], Scopes: scopes, Unpaid: unpaid, basis: read.basis(agent)}})
	return nil
}

// noting notes the documents that are read one by one.
type noting struct {
	store.Reader
	read basis
}

func (n *noting) Get(p nestor.Path) (*nestor.Document, error) {
	d, err := n.Reader.Get(p)
	switch {
	case slices.Contains(n.read.paths, p): // it is the same as before
	case err == nil:
		n.read.add(p, d)
	case errors.Is(err, nestor.ErrNotFound):
		n.read.add(p, nil)
	}
	return d, err
}

// Expect implements [store.Expecter]: what is read ahead counts when it is asked for.
func (n *noting) Expect(paths ...nestor.Path) error { return store.Expect(n.Reader, paths...) }

// basis is what was read for the agent. Of an agent above it only its task matters,
// which never changes.
func (n *noting) basis(agent nestor.Path) (b basis) {
	for i, p := range n.read.paths {
		if p == agent || !store.SubAgents.Has(p) {
			b.add(p, n.read.docs[i])
		}
	}
	return b
}
