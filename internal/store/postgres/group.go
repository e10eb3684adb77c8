package postgres

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

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
	p.done = make(chan error, 1)
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
	ctx, stop := untilAllEnd(all)
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

// untilAllEnd is a context that ends when those of all proposals have: nobody who
// goes away takes others along.
func untilAllEnd(all []*proposal) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var left atomic.Int64
	left.Store(int64(len(all)))
	stops := make([]func() bool, len(all))
	for i, p := range all {
		stops[i] = context.AfterFunc(p.ctx, func() {
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
	inserts map[*table]*inserts
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
	r.inserts = map[*table]*inserts{}
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
	err = r.send(append(steps{{text: settings}}, list...))
	return seqs, versions, err
}

// settings keep the server from planning statements anew for each length of their
// arrays, and a round from waiting long for what somebody holds, such as a chat that
// is being deleted: who needs that waits for it alone.
const settings = "SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('lock_timeout', '100ms', true)"

// unchanged finds out whether d is still the document at its path. If somebody
// else holds it, it is about to change.
func (r *round) unchanged(p *proposal, d *nestor.Document) step {
	tb := r.store.tables.At(d.Path)
	return step{tb.check, tb.Identity(d.Path), func(rows pgx.Rows) error {
		var version int64
		found := false
		_, err := pgx.ForEachRow(rows, []any{&version}, func() error {
			found = true
			return nil
		})
		if !found || version != d.Version {
			p.failed = store.ErrRetry
		}
		return err
	}}
}

// add adds what a proposal writes, and its jobs.
func (r *round) add(p *proposal, seqs, versions []int64) {
	writes, err := p.session.Numbered(seqs, versions)
	if err != nil {
		p.failed = err
		return
	}
	for i := range writes {
		w := &writes[i]
		r.changes = append(r.changes, w.Change)
		if w.Type == nestor.Create && w.Version == 1 {
			r.insert(w.After)
		} else {
			r.document(&w.Change)
		}
		p.note(w)
	}
	if p.work.job != nil {
		p.endJob(p.work.job, p.work.cause)
	}
	r.keys = append(r.keys, p.keys...)
	r.jobs = append(r.jobs, p.jobs...)
	r.ends = r.ends || p.ends
}

// endAll sends all writes and the commit. New documents come first, those that
// others lie below before these.
func (r *round) endAll() error {
	rest := r.takeWrites()
	for _, tb := range r.insertOrder() {
		r.writes = append(r.writes, r.inserts[tb].step(tb))
	}
	r.writes = append(r.writes, rest...)
	if len(r.changes) > 0 {
		r.log(r.changes)
	}
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

// inserts are the new rows of a table, by column.
type inserts struct {
	keys    [][]string
	numbers [5][]int64
	bodies  []string
}

func (r *round) insert(d *nestor.Document) {
	tb := r.store.tables.At(d.Path)
	in := r.inserts[tb]
	if in == nil {
		in = &inserts{}
		r.inserts[tb] = in
	}
	key := tb.Identity(d.Path)
	if in.keys == nil {
		in.keys = make([][]string, len(key))
	}
	for i, v := range key {
		in.keys[i] = append(in.keys[i], v.(string))
	}
	for i, v := range []int64{d.Version, d.Seq, d.CreatedSeq, d.CreatedAt, d.UpdatedAt} {
		in.numbers[i] = append(in.numbers[i], v)
	}
	in.bodies = append(in.bodies, string(tb.RowBody(d)))
}

func (in *inserts) step(tb *table) step {
	var args []any
	for _, k := range in.keys {
		args = append(args, k)
	}
	for _, n := range in.numbers {
		args = append(args, n)
	}
	return step{text: tb.insertAll, args: append(args, in.bodies)}
}
