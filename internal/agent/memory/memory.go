package memory

import (
	"bytes"
	"slices"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/billing"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/store"
)

// Memory keeps what is known of agents at work, so that a step need not read it
// all again: without it a step costs more the longer the conversation is, at step
// 200 three times as much. Nothing else depends on it.
//
// It follows the commits of its process. Others may write, too, so what it has counts
// only if the documents of the basis still have the Seq that it knows them by:
//
//   - Every write of a document gives it a Seq that is larger than the one before
//     and that no other write ever has. So a document whose Seq is the same is the
//     same, and of two that are known the one with the larger Seq is newer.
//   - A write of this process is taken in only if it replaced what is known (see
//     unbroken): what others wrote in between has not come here.
//   - Every step, and everything that is said to an agent, writes the agent's
//     document in the same transaction. So if that is the same, nobody else made a
//     step or spoke to the agent.
//   - Only results of calls are written without it. A missing result leaves a call
//     open, and then there is no reason for a step. So whenever what is remembered
//     gives no reason for a step, all is read (see nextStep).
//   - The chat, the tasks, the account and the project, which have the budgets, and the
//     user who pays, are in the basis, too.
//   - Where nobody else writes, the basis need not be looked at (see [store.SoleWriter]).
//   - An agent that this process creates is known from that transaction on (see Begin).
//     Commits may be told of in another order: if one about the agent comes before its
//     creation, it has written the agent's document, and all is read.
//
// What is remembered can be outdated a moment later, just like what is read. A
// step commits only on the agent's document as it was (see step.current).
//
// It has two generations. When the young one is full it becomes the old one,
// and whatever nobody asks for meanwhile goes with the next change.
type Memory struct {
	store      store.Documents
	mu         sync.Mutex
	young, old generation
	size       int // of the young
}

// New makes a memory of what is in s. It must be told of all commits; see [Memory.Follow].
func New(s store.Documents) *Memory { return &Memory{store: s} }

// generation is what is remembered of agents, by their chat.
type generation map[nestor.Path]map[nestor.Path]*remembered

// maxRemembered is the size of a generation, in bytes of JSON.
const maxRemembered = 32 << 20

// remembered is what is known of an agent. As long as it is being read there is
// only what was written meanwhile, and nothing before the agent is created.
type remembered struct {
	Known
	begun *Known           // what will be known if the transaction commits that creates the agent
	fresh []*nestor.Change // committed and not taken in yet
	size  int
}

// Follow takes in a commit of this process.
func (m *Memory) Follow(c store.Commit) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range c.Changes {
		m.note(&c.Changes[i])
	}
}

// note brings what is known up to date: of an agent for whatever happens to it
// and its messages, of all agents of a chat for what bounds them.
func (m *Memory) note(c *nestor.Change) {
	switch p := c.Path; {
	case store.SubAgentMessages.Has(p):
		m.add(p.Parent(), c, nestor.Create)
	case store.SubAgents.Has(p) && c.Type == nestor.Create:
		m.begin(p, c)
	case store.SubAgents.Has(p):
		m.add(p, c, nestor.Update)
	case store.Tasks.Has(p), store.Chats.Has(p):
		m.bound(chatdoc.ChatOf(p), c)
	case billing.IsPlace(p), p.Collection() == "users" && c.Type != nestor.Create:
		m.young, m.old, m.size = nil, nil, 0 // that is rare
	}
}

// add notes a change that is the usual one. After any other all is read again.
func (m *Memory) add(agent nestor.Path, c *nestor.Change, usual nestor.ChangeType) {
	r := m.find(agent)
	if r == nil {
		return
	}
	if c.Type != usual {
		m.drop(agent)
		return
	}
	r.fresh = append(r.fresh, c)
	if c.Type == nestor.Create {
		r.size += len(c.After.Data)
		m.grow(len(c.After.Data))
	}
}

// begin notes that an agent was created, by the transaction that [Memory.Begin] was told of.
func (m *Memory) begin(agent nestor.Path, c *nestor.Change) {
	r := m.find(agent)
	if r == nil || r.begun == nil || r.begun.Read != c.After {
		m.drop(agent)
		return
	}
	r.Known, r.begun = *r.begun, nil
	r.elsewhere, _ = m.elsewhere()
	meanwhile := r.fresh
	r.fresh = []*nestor.Change{c}
	for _, c := range meanwhile { // now it is known what came before the transaction and what after
		if r.basis.lacks(c) {
			m.drop(agent)
		}
	}
}

// bound notes a change of a chat or a task. It matters if there is a budget.
func (m *Memory) bound(chat nestor.Path, c *nestor.Change) {
	if m.young[chat] == nil && m.old[chat] == nil {
		return
	}
	matters := c.Type != nestor.Update || hasBudget(c.Before) || hasBudget(c.After) || store.Chats.Has(c.Path) && moved(c)
	for _, g := range []generation{m.young, m.old} {
		for agent, r := range g[chat] {
			switch {
			case r.begun != nil && len(r.fresh) < mostMeanwhile:
				r.fresh = append(r.fresh, c)
			case r.Read == nil: // it is not known yet what bounds it
				m.drop(agent)
			case !slices.Contains(r.basis.paths, c.Path):
			case matters:
				m.drop(agent)
			default:
				r.fresh = append(r.fresh, c)
			}
		}
	}
}

// moved reports whether a chat belongs to another account or project than before.
func moved(c *nestor.Change) bool {
	var before, after struct {
		AccountID string `json:"accountId"`
		ProjectID string `json:"projectId"`
	}
	return c.Before.Decode(&before) != nil || c.After.Decode(&after) != nil || before != after
}

// mostMeanwhile bounds what is kept for an agent that is about to be created. One that
// takes longer is read.
const mostMeanwhile = 16

// hasBudget is true at least if a chat or task has one.
func hasBudget(d *nestor.Document) bool { return bytes.Contains(d.Data, []byte(`"budget"`)) }

// recall returns what is remembered of an agent, nil if nothing is.
func (m *Memory) recall(agent nestor.Path) *Known {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.find(agent)
	if r == nil || r.Read == nil {
		return nil
	}
	if !r.unbroken() {
		m.drop(agent)
		return nil
	}
	for i, c := range r.fresh {
		if c.Path == agent && writtenAgain(c, r.fresh[i+1:]) {
			continue // it was written again since
		}
		if !r.takeIn(c) {
			m.drop(agent)
			return nil
		}
	}
	r.fresh = nil
	k := r.Known
	k.Said = slices.Clip(k.Said) // the rest of the array is ours
	return &k
}

// unbroken reports whether what this process wrote follows on what is known. If it
// follows on what another process wrote meanwhile, the last Seq is the right one,
// and yet what was written with the one before it is not known.
func (r *remembered) unbroken() bool {
	if len(r.fresh) == 0 {
		return true
	}
	seqs := r.basis.seqs()
	for _, c := range r.fresh {
		i := slices.Index(r.basis.paths, c.Path)
		if i < 0 || c.Seq <= seqs[i] {
			continue
		}
		if c.Before == nil || c.Before.Seq != seqs[i] {
			return false
		}
		seqs[i] = c.Seq
	}
	return true
}

func writtenAgain(c *nestor.Change, later []*nestor.Change) bool {
	return slices.ContainsFunc(later, func(l *nestor.Change) bool { return l.Path == c.Path && l.Seq > c.Seq })
}

// takeIn adds what was written, unless it was read already. It reports false if
// all is to be read again: commits that overtook each other are the database's
// to order.
func (r *remembered) takeIn(c *nestor.Change) bool {
	switch {
	case c.Path == r.Read.Path:
		if c.Seq <= r.Agent.Seq {
			return true
		}
		agent, err := nestor.As[nestor.SubAgent](c.After)
		if err != nil || !billing.SamePayer(chatdoc.ChatOf(c.Path), r.Agent.AskedBy, agent.AskedBy) {
			return false
		}
		r.Read, r.Agent = c.After, agent
		r.basis = r.basis.with(c)
	case c.Path.Parent() == r.Read.Path:
		if r.Said.Has(c.Path.ID()) {
			return true
		}
		said, err := nestor.As[nestor.SubAgentMessage](c.After)
		if err != nil || len(r.Said) > 0 && said.CreatedSeq < r.Said[len(r.Said)-1].CreatedSeq {
			return false
		}
		r.Said = append(r.Said, conversation.NewUtterance(said))
	default:
		r.basis = r.basis.with(c)
	}
	return true
}

// expect begins to note what is written about an agent that is about to be read.
func (m *Memory) expect(agent nestor.Path) *remembered {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(agent)
	r := &remembered{}
	m.put(agent, r)
	return r
}

// keep remembers what was read, unless what was written meanwhile, which r has,
// makes it useless.
func (m *Memory) keep(agent nestor.Path, r *remembered, k *Known) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.find(agent) != r {
		return
	}
	m.drop(agent)
	r.Known = *k
	r.Said = slices.Clip(r.Said)
	for _, u := range k.Said {
		r.size += len(u.Content)
		for _, m := range u.Media {
			r.size += len(m.Data)
		}
	}
	m.put(agent, r)
}

// LastOf forgets an agent that is about to end, and returns what it knew of its task and its
// chat, nil for what has to be read. A chat in which others are at work has to: they
// write it when they end, so what is known of it is soon outdated.
func (m *Memory) LastOf(agent, task nestor.Path) (taskDoc, chatDoc *nestor.Document) {
	k := m.recall(agent)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(agent)
	if k == nil {
		return nil, nil
	}
	chat := chatdoc.ChatOf(agent)
	if len(m.young[chat]) == 0 && len(m.old[chat]) == 0 {
		chatDoc = k.basis.at(chat)
	}
	return k.basis.at(task), chatDoc
}

// forget drops what is known of an agent.
func (m *Memory) forget(agent nestor.Path) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(agent)
}

// find moves what it finds to the young generation.
func (m *Memory) find(agent nestor.Path) *remembered {
	chat := chatdoc.ChatOf(agent)
	if r := m.young[chat][agent]; r != nil {
		return r
	}
	r := m.old[chat][agent]
	if r != nil {
		delete(m.old[chat], agent)
		m.put(agent, r)
	}
	return r
}

func (m *Memory) put(agent nestor.Path, r *remembered) {
	if m.young == nil {
		m.young = generation{}
	}
	chat := chatdoc.ChatOf(agent)
	if m.young[chat] == nil {
		m.young[chat] = map[nestor.Path]*remembered{}
	}
	m.young[chat][agent] = r
	m.grow(r.size)
}

func (m *Memory) grow(n int) {
	if m.size += n; m.size > maxRemembered {
		m.young, m.old, m.size = nil, m.young, 0
	}
}

func (m *Memory) drop(agent nestor.Path) {
	chat := chatdoc.ChatOf(agent)
	if r := m.young[chat][agent]; r != nil {
		m.size -= r.size
	}
	for _, g := range []generation{m.young, m.old} {
		delete(g[chat], agent)
		if len(g[chat]) == 0 {
			delete(g, chat)
		}
	}
}
