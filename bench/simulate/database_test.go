package simulate_test

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// op is a kind of question to the database.
type op int

const (
	opCommit op = iota
	opWalk
	opClaim
	opRenew
	opPing
	opLook
	opTakeOver
	opNotify
	opConnect
	ops
)

// costs is how long a question keeps its shard busy, and how much longer for each node
// that there is.
var costs = [ops]struct{ cost, each time.Duration }{
	opCommit:   {cost: 200 * time.Microsecond},
	opWalk:     {cost: 50 * time.Microsecond}, // a look for jobs
	opClaim:    {cost: 100 * time.Microsecond},
	opRenew:    {cost: 50 * time.Microsecond},
	opPing:     {cost: 10 * time.Microsecond},
	opLook:     {cost: 20 * time.Microsecond, each: time.Microsecond},
	opTakeOver: {cost: 50 * time.Microsecond, each: time.Microsecond},
	opNotify:   {cost: 10 * time.Microsecond, each: time.Microsecond},
	opConnect:  {cost: 200 * time.Microsecond},
}

const everyShard = -1

// roundTrip is the least that a question takes beside its work. Up to as much comes on
// top, at random.
const roundTrip = 500 * time.Microsecond

// database is the shards, each of which does one thing at a time, and what is in them.
type database struct {
	sim *simulation

	mu        sync.Mutex
	busy      []time.Time // until when each shard is
	slow      float64     // how many times longer everything takes
	awayUntil time.Time
	asked     [ops]int64
	jobs      *table
	nodes     map[int32]*nodeRow
	asks      int64 // for jobs
	wasted    int64 // of these found nothing
	met       int64 // of these, because others were faster
	claims    int64 // jobs that were claimed in that way
}

// nodeRow is the row of a node, and its session lock.
type nodeRow struct {
	node            *node
	lease           *held
	expires, missed time.Time
	locked          bool
}

// ask takes the time of a question. It reports whether the node lived to see the answer.
func (d *database) ask(n *node, what op, shard int) bool {
	if !n.awake() {
		return false
	}
	d.mu.Lock()
	now := time.Now()
	d.asked[what]++
	cost := time.Duration(float64(costs[what].cost+costs[what].each*time.Duration(len(d.nodes))) * d.slow)
	begin := now
	if d.awayUntil.After(now) {
		begin = d.awayUntil.Add(rand.N(maxPause))
	}
	end := now
	for i := range d.busy {
		if shard != everyShard && shard != i {
			continue
		}
		if d.busy[i].Before(begin) {
			d.busy[i] = begin
		}
		d.busy[i] = d.busy[i].Add(cost)
		if end.Before(d.busy[i]) {
			end = d.busy[i]
		}
	}
	trip := time.Duration(float64(roundTrip+rand.N(roundTrip)) * d.slow)
	d.mu.Unlock()
	time.Sleep(end.Sub(now) + trip)
	return n.awake()
}

func (d *database) isAway() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.awayUntil.After(time.Now())
}

// restart ends all sessions, and so their locks.
func (d *database) restart(lasts time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.awayUntil = time.Now().Add(lasts)
	for _, r := range d.nodes {
		r.locked = false
		select {
		case r.lease.broken <- struct{}{}:
		default:
		}
	}
}

func (d *database) slower(times float64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.slow = times
}

func (d *database) join(n *node, l *held) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.nodes[l.owner] = &nodeRow{node: n, lease: l, expires: time.Now().Add(l.TTL), locked: true}
}

func (d *database) holdsLock(owner int32) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.nodes[owner]
	return r != nil && r.locked
}

// unlock is the end of a node's session: its process died.
func (d *database) unlock(owner int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := d.nodes[owner]; r != nil {
		r.locked = false
	}
}

// regain is the lock taken again. False: the node was taken for gone.
func (d *database) regain(l *held) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.nodes[l.owner]
	if r == nil {
		return false
	}
	r.expires, r.missed, r.locked = time.Now().Add(l.TTL), time.Time{}, true
	return true
}

func (d *database) renew(l *held) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.nodes[l.owner]
	if r != nil {
		r.expires = time.Now().Add(l.TTL)
		l.others.Store(int64(len(d.nodes) - 1))
	}
	return r != nil
}

func (d *database) leave(l *held) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.nodes, l.owner)
	d.jobs.leave(l.owner)
}

func (d *database) isNode(owner int32) bool { return d.nodes[owner] != nil }

// missed does what the statement missedNodes does.
func (d *database) missed(l *held) (due time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, waited := time.Now(), l.signs.Judge(l.TTL)
	for owner, r := range d.nodes {
		at := now
		switch free := !r.locked; {
		case owner == l.owner:
			continue
		case r.expires.Before(now) && waited, free == r.missed.IsZero():
		case free && waited:
			at = r.missed.Add(l.Grace)
		default:
			continue
		}
		if due.IsZero() || at.Before(due) {
			due = at
		}
	}
	return due
}

// takeOver does what the statement missNodes does, and the one after it.
func (d *database) takeOver(l *held) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, waited := time.Now(), l.signs.Judge(l.TTL)
	for owner, r := range d.nodes {
		free := !r.locked
		missed := r.missed
		if missed.IsZero() {
			missed = now
		}
		switch {
		case owner == l.owner:
		case waited && (r.expires.Before(now) || free && !missed.After(now.Add(-l.Grace))):
			delete(d.nodes, owner)
			d.sim.takenFor(r.node)
		case free:
			r.missed = missed
		default:
			r.missed = time.Time{}
		}
	}
	owners := d.jobs.orphans(d.isNode)
	if len(owners) == 0 {
		return 0
	}
	return len(d.jobs.takeOver(owners, nestor.Millis(now)))
}

func (d *database) walk(after string, most int) []store.Waiting {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.jobs.walk(after, most)
}

func (d *database) claim(owner int32, now time.Time, takes []store.Take) (jobs []nestor.Job) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, i := range d.jobs.claim(owner, nestor.Millis(now), takes) {
		jobs = append(jobs, d.jobs.job(i, d.sim.names))
	}
	return jobs
}

// claimed counts what came of asking for jobs.
func (d *database) claimed(jobs int, saw bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asks++
	if d.claims += int64(jobs); jobs == 0 {
		d.wasted++
		if saw {
			d.met++
		}
	}
}

// enqueue is the commit of a message to an agent.
func (d *database) enqueue(n *node, agent int32) store.Commit {
	taker, limited := n.taker(agent), d.jobs.limited()
	lacks := limited && taker != none
	if limited {
		taker = none
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sim.agents[agent].want += uint16(d.sim.steps)
	c := d.started(d.jobs.insert(agent, stepTrigger, false, taker, nestor.Millis(time.Now())))
	if lacks {
		c.Waiting, c.Look = false, c.Waiting
	}
	return c
}

// finish runs the effect of a job and ends it, in one transaction.
func (d *database) finish(n *node, j *nestor.Job, fn func(store.Tx) error, bury bool) (store.Commit, error) {
	taker := n.taker(agentOf(j))
	d.mu.Lock()
	defer d.mu.Unlock()
	i, owner := int32(j.Change.Version), d.sim.names.number(j.Owner)
	r, ours := d.jobs.fence(i, j.Change.Seq, owner, j.Attempt)
	if !ours {
		d.sim.fenced++
		return store.Commit{}, store.LeaseLost(j)
	}
	tx := &transaction{sim: d.sim}
	if fn != nil {
		if err := fn(tx); err != nil {
			return store.Commit{}, err
		}
	}
	now := nestor.Millis(time.Now())
	if tx.again && !bury {
		return d.started(d.jobs.relay(i, r.trigger, false, now, taker)), nil
	}
	next := d.jobs.finish(i, bury, now, taker)
	c := d.started(next)
	c.Look = next == none && d.jobs.limited() && n.current() != nil && n.current().bounded.Load()
	return c, nil
}

func (d *database) putBack(j *nestor.Job, at time.Time, attempts int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	i, owner := int32(j.Change.Version), d.sim.names.number(j.Owner)
	if _, ours := d.jobs.fence(i, j.Change.Seq, owner, j.Attempt); !ours {
		d.sim.fenced++
		return store.LeaseLost(j)
	}
	d.jobs.putBack(i, nestor.Millis(at), attempts)
	return nil
}

// started is the commit that started a job, or left it to others.
func (d *database) started(i int32) (c store.Commit) {
	if i == none {
		return c
	}
	switch d.jobs.rows[i].state {
	case isRunning:
		c.Claimed = []nestor.Job{d.jobs.job(i, d.sim.names)}
	case isReady:
		c.Waiting = true
	}
	return c
}

// transaction is what effects write to.
type transaction struct {
	store.Tx
	sim   *simulation
	again bool // the agent goes on
}
