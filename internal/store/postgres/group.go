package postgres

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// group commits proposals, several in one transaction. One that comes while others are
// being committed waits for the next round, so nothing waits longer than it would
// for a connection, and one commit serves all of a round.
type group struct {
	mu      sync.Mutex
	waiting []*proposal
	rounds  int // under way
}

const (
	maxRounds = 2
	maxRound  = 64
)

// commit commits a proposal in the next round and returns when it is durable.
func (g *group) commit(s *Store, p *proposal) error {
	g.mu.Lock()
	g.waiting = append(g.waiting, p)
	lead := g.rounds < maxRounds
	if lead {
		g.rounds++
	}
	g.mu.Unlock()
	if lead {
		go g.lead(s)
	}
	select {
	case err := <-p.done:
		return err
	case <-p.ctx.Done():
		if g.withdraw(p) {
			return context.Cause(p.ctx)
		}
		return <-p.done
	}
}

// withdraw takes a proposal back that no round has taken.
func (g *group) withdraw(p *proposal) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.waiting, p)
	if i < 0 {
		return false
	}
	g.waiting = slices.Delete(g.waiting, i, i+1)
	return true
}

// lead commits whoever waits, round after round.
func (g *group) lead(s *Store) {
	for {
		g.mu.Lock()
		n := min(len(g.waiting), maxRound)
		round := slices.Clone(g.waiting[:n])
		g.waiting = slices.Delete(g.waiting, 0, n)
		if n == 0 {
			g.rounds--
		}
		g.mu.Unlock()
		if n == 0 {
			return
		}
		s.commitRound(round)
	}
}

// commitRound commits proposals in one transaction. What the server refuses is not
// told from what it accepts: each of the round is then tried alone.
func (s *Store) commitRound(all []*proposal) {
	contexts := make([]context.Context, len(all))
	for i, p := range all {
		contexts[i] = p.ctx
	}
	ctx, stop := untilAllEnd(contexts)
	defer stop()
	r := &round{tx: tx{store: s, ctx: ctx}}
	conn, err := s.acquire(ctx)
	if err == nil {
		r.conn = conn
		if err = r.commitAll(all); err != nil {
			r.rollback()
		} else {
			conn.Release()
		}
	}
	if refused(err) {
		err = errAlone
	}
	for _, p := range all {
		p.ended = p.ended && err != errAlone // then nothing was written
		p.done <- cmp.Or(p.failed, err)
	}
}

// untilAllEnd is a context that ends when all of those have: nobody who goes away
// takes others along.
func untilAllEnd(all []context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var left atomic.Int64
	left.Store(int64(len(all)))
	stops := make([]func() bool, len(all))
	for i, one := range all {
		stops[i] = context.AfterFunc(one, func() {
			if left.Add(-1) == 0 {
				cancel()
			}
		})
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}

// round is the transaction that several proposals share.
type round struct {
	tx
	good    []*proposal // those that have not failed
	inserts map[*table]steps
	changes []nestor.Change
}

func (r *round) commitAll(all []*proposal) (err error) {
	defer func() {
		if recover() != nil {
			err = errAlone // whoever made it panic meets it again
		}
	}()
	seqs, versions, err := r.check(all)
	if err != nil {
		return err
	}
	r.inserts = map[*table]steps{}
	for _, p := range r.good {
		if p.failed == nil {
			r.add(p, seqs[:p.n], versions[:len(p.created)])
		}
		seqs, versions = seqs[p.n:], versions[len(p.created):]
	}
	r.good = slices.DeleteFunc(r.good, func(p *proposal) bool { return p.failed != nil })
	if len(r.good) == 0 {
		return r.abandon()
	}
	return r.endAll()
}

// abandon ends a transaction in which there is nothing to do.
func (r *round) abandon() error {
	if !r.begun {
		return nil
	}
	return r.send(steps{{text: "ROLLBACK"}})
}

// check locks what the proposals rely on and finds those that are stale. It
// reserves for all of them: whose place in the log is not used leaves a gap, as one
// that is rolled back does.
func (r *round) check(all []*proposal) (seqs, versions []int64, err error) {
	var list steps
	var created []nestor.Path
	n := 0
	written, relied := map[nestor.Path]bool{}, map[nestor.Path]bool{}
	for _, p := range all {
		if p.meets(written, relied) {
			p.failed = store.ErrRetry
			continue
		}
		r.good = append(r.good, p)
		if job := p.work.during; job != nil {
			list = append(list, holds(job, func(lost error) error {
				p.failed = lost
				return nil
			}))
		}
		n += p.n
		created = append(created, p.created...)
		for _, path := range p.paths {
			written[path] = true
		}
		for _, d := range p.assumed {
			relied[d.Path] = true
			list = append(list, r.unchanged(p, d))
		}
	}
	if n > 0 {
		list = append(list, r.reserve(n, created, &seqs, &versions))
	}
	if len(list) == 0 {
		return nil, nil, nil
	}
	if err := r.send(append(steps{{text: settings}}, list.together()...)); err != nil {
		return nil, nil, err
	}
	for _, p := range r.good {
		if p.failed == nil && p.unchanged < len(p.assumed) {
			p.failed = store.ErrRetry
		}
	}
	return seqs, versions, nil
}

// settings keep the server from planning statements anew for each length of their
// arrays, from reading whole tables because it takes them for small, and a round
// from waiting long for what somebody holds, such as a chat that is being deleted: who
// needs that waits for it alone.
const settings = `SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('lock_timeout', '100ms', true),
	set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('enable_seqscan', 'off', true)`

// unchanged finds out whether d is still the document at its path. If somebody
// else holds it, it is about to change.
func (r *round) unchanged(p *proposal, d *nestor.Document) step {
	tb := r.store.tables.At(d.Path)
	return step{text: tb.check, args: tb.Identity(d.Path), bulk: &bulk{text: tb.checkAll, row: func(read scan) error {
		var version int64
		err := read(&version)
		if version == d.Version {
			p.unchanged++
		}
		return err
	}}}
}

// add adds what a proposal writes, and its jobs.
func (r *round) add(p *proposal, seqs, versions []int64) {
	writes, err := p.session.Numbered(seqs, versions)
	if err == nil && len(store.Returns(writes)) > 0 {
		err = errAlone // what gets a copy of its own may be in this round, too: one after the other is safe
	}
	if err != nil {
		p.failed = err
		return
	}
	for i := range writes {
		w := &writes[i]
		r.changes = append(r.changes, w.Change)
		if w.Type == nestor.Create && w.Version == 1 {
			r.insert(w)
		} else {
			r.document(w)
		}
		p.note(w)
	}
	p.check(p.work.job)
	if p.work.job != nil {
		p.endJob(p.work.job, p.work.cause)
	}
	r.keys = append(r.keys, p.keys...)
	r.jobs = append(r.jobs, p.jobs...)
	r.ends = r.ends || p.ends
}

// insert adds a new document.
func (r *round) insert(w *store.Write) {
	tb := r.store.tables.At(w.Path)
	r.inserts[tb] = append(r.inserts[tb], tb.inserting(w))
}

// endAll sends all writes and the commit. New documents come first, those that
// others lie below before these.
func (r *round) endAll() error {
	rest := r.takeWrites()
	for _, tb := range r.insertOrder() {
		r.writes = append(r.writes, r.inserts[tb].together()...)
	}
	r.writes = append(r.writes, rest.together()...)
	if len(r.changes) > 0 {
		r.log(r.changes)
	}
	r.jobs = r.jobsTogether()
	r.signed()
	for _, p := range r.good {
		p.token, p.entry, p.ended = r.token, r.entry, true
	}
	return r.end()
}

func (r *round) insertOrder() []*table {
	order := make([]*table, 0, len(r.inserts))
	for tb := range r.inserts {
		order = append(order, tb)
	}
	slices.SortFunc(order, func(a, b *table) int {
		return cmp.Or(len(a.Keys)-len(b.Keys), cmp.Compare(a.Name, b.Name))
	})
	return order
}

// jobsTogether puts the steps about jobs together, but for those whose key another
// one has, too: these stay in order. The key is the second argument of each. Those
// that look whether a run is over come last, once for each run: the jobs of two
// proposals may be the last of one.
func (r *round) jobsTogether() steps {
	uses := map[any]int{}
	for _, s := range r.jobs {
		uses[s.args[1]]++
	}
	var list, inOrder, last steps
	for _, s := range r.jobs {
		switch {
		case s.last:
			if !slices.ContainsFunc(last, func(other step) bool { return other.args[1] == s.args[1] }) {
				last = append(last, s)
			}
		case uses[s.args[1]] == 1:
			list = append(list, s)
		default:
			inOrder = append(inOrder, s)
		}
	}
	return slices.Concat(list.together(), inOrder, last.together())
}
