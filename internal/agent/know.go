package agent

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// known is what a step of an agent starts from.
type known struct {
	read  *nestor.Document
	agent nestor.SubAgent // what was read
	said  conversation
	bounds
	basis  []nestor.Path // the agent, and what else the scopes come from
	digest store.Digest  // of the basis
}

// remember returns what is remembered of an agent, if it still holds: whoever
// takes a step or speaks to the agent writes its document. Only the results of
// calls come without, so if one seems to be missing it may have been overlooked.
func (a *Agents) remember(ctx context.Context, agent nestor.Path) *known {
	k := a.memory.recall(agent)
	if k == nil || a.store.Follows() {
		return k
	}
	if now, err := a.store.Digest(ctx, k.basis...); err != nil || now != k.digest {
		return nil
	}
	return k
}

// read returns what there is to know of an agent; nil if it is not at work.
func (a *Agents) read(ctx context.Context, agent nestor.Path) (k *known, err error) {
	meanwhile := a.memory.expect(agent)
	err = a.store.View(ctx, func(r store.Reader) error {
		basis := &noting{Reader: r}
		k = nil
		doc, err := store.Find[nestor.SubAgent](basis, agent)
		if err != nil || doc == nil || doc.Status != nestor.SubAgentActive {
			return err
		}
		k = &known{read: basis.docs[0], agent: *doc}
		if k.bounds, err = a.bounds(basis, chatOf(agent), doc.TaskID); err != nil {
			return err
		}
		for _, d := range basis.docs {
			k.basis = append(k.basis, d.Path)
			k.digest.Apply(&nestor.Change{After: d})
		}
		k.said, err = readConversation(r, agent)
		return err
	})
	if k == nil || err != nil {
		a.memory.forget(agent)
		return nil, err
	}
	a.memory.keep(agent, meanwhile, k)
	return k, nil
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
