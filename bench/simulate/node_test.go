package simulate_test

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// node is one process: the store that its worker uses. What a PostgreSQL store decides
// about its lease (node.go, lease.go and peers.go there) is decided here in the same way;
// what it would send to the server is a question to the database, which takes time.
type node struct {
	store.Store // what workers do not use
	sim         *simulation
	db          *database
	observe     func(store.Commit)
	wake        chan struct{}
	signal      chan struct{} // there are jobs for others

	mu       sync.Mutex
	lease    *held // nil: it has not joined
	thawed   chan struct{}
	dead     chan struct{}
	stopHold context.CancelFunc
	hold     sync.WaitGroup
}

// held is a lease as its node knows it.
type held struct {
	store.Lease
	owner int32
	has   atomic.Bool // the lock
	gone  atomic.Bool // others have taken over
	signs store.Signs
	// missed: another node is.
	missed atomic.Bool
	// broken receives when the connection with the lock breaks.
	broken chan struct{}
	turns  store.Turns // claims are made one after the other
	lately store.Lately
	// bounded: the last claim met somebody at their limit.
	bounded atomic.Bool
	others  atomic.Int64 // nodes, when the lease was renewed last
}

const (
	keepAlive   = time.Second            // lease.go
	notifyPause = 5 * time.Millisecond   // peers.go
	maxPause    = 500 * time.Millisecond // away.go
	lockPause   = 250 * time.Millisecond // lease.go
)

var errDead = nestor.Errorf(nestor.CodeLeaseLost, "this node is dead")

func (n *node) Observe(_ store.Turn, fn func(store.Commit)) { n.observe = fn }
func (n *node) Others() int {
	if l := n.current(); l != nil {
		return int(l.others.Load())
	}
	return 0
}

func (n *node) Left() <-chan struct{} { return n.wake }

func (n *node) isDead() bool {
	select {
	case <-n.dead:
		return true
	default:
		return false
	}
}

// awake waits while the process is frozen. It reports whether it lives.
func (n *node) awake() bool {
	n.mu.Lock()
	thawed := n.thawed
	n.mu.Unlock()
	if thawed != nil {
		select {
		case <-thawed:
		case <-n.dead:
		}
	}
	return !n.isDead()
}

func (n *node) current() *held {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.lease
}

// taker is this node if it has room for a job of an agent.
func (n *node) taker(agent int32) int32 {
	if l := n.current(); l != nil && l.has.Load() && !n.isDead() && l.Accept(n.sim.tenant(agent)) {
		l.lately.Add(n.sim.tenant(agent))
		return l.owner
	}
	return none
}

func (n *node) Join(ctx context.Context, lease store.Lease) error {
	if !n.db.ask(n, opConnect, 0) {
		return errDead
	}
	l := &held{Lease: lease, owner: n.sim.names.number(lease.Node), broken: make(chan struct{}, 1)}
	n.db.join(n, l)
	l.signs.Joined()
	l.has.Store(true)
	run, cancel := context.WithCancel(n.sim.life)
	n.mu.Lock()
	old := n.stopHold
	n.lease, n.stopHold = l, cancel
	n.mu.Unlock()
	if old != nil {
		old()
	}
	n.hold.Go(func() { n.keep(run, l) })
	return nil
}

// keep uses the connection that holds the lock every second, and makes a new one when it
// broke, which it notices at once.
func (n *node) keep(ctx context.Context, l *held) {
	for {
		timer := time.NewTimer(keepAlive)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
			if n.db.ask(n, opPing, 0) && n.db.holdsLock(l.owner) {
				continue
			}
		case <-l.broken:
			timer.Stop()
		}
		l.has.Store(false)
		if !n.awake() || !n.regain(ctx, l) {
			return
		}
	}
}

// regain takes the lock again. It reports false when others have taken over, or the node
// ends.
func (n *node) regain(ctx context.Context, l *held) bool {
	for pause := time.Millisecond; ; pause = min(2*pause, lockPause) {
		if !n.db.isAway() && n.db.ask(n, opConnect, 0) {
			if !n.db.regain(l) {
				l.gone.Store(true)
				return false
			}
			l.signs.Back()
			l.has.Store(true)
			n.poke()
			return true
		}
		if !sleep(ctx, pause) || n.isDead() {
			return false
		}
	}
}

func (n *node) poke() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

func (n *node) Renew(ctx context.Context) error {
	l := n.current()
	if l.gone.Load() || !n.db.ask(n, opRenew, 0) || !n.db.renew(l) { // which tells how many others there are
		return nestor.Errorf(nestor.CodeLeaseLost, "other nodes have taken over from node %s", l.Node)
	}
	l.signs.Renewed(l.TTL)
	return nil
}

func (n *node) Leave(ctx context.Context) error {
	n.mu.Lock()
	l, stop := n.lease, n.stopHold
	n.lease = nil
	n.mu.Unlock()
	stop()
	n.hold.Wait()
	if !n.isDead() {
		n.db.leave(l)
	}
	return nil
}

func (n *node) TakeOver(ctx context.Context) (int, error) {
	l := n.current()
	if l == nil || !l.has.Load() || !l.missed.Swap(false) && !store.OneOfFew(int(l.others.Load())) {
		return 0, nil
	}
	if !n.db.ask(n, opTakeOver, 0) {
		return 0, errDead
	}
	taken := n.db.takeOver(l)
	if taken > 0 {
		n.tell(store.Commit{Waiting: true})
	}
	return taken, nil
}

func (n *node) Missed(ctx context.Context) (due time.Time, err error) {
	l := n.current()
	if l == nil || !l.has.Load() || l.others.Load() == 0 || !store.OneOfFew(int(l.others.Load())) {
		return due, nil
	}
	if !n.db.ask(n, opLook, 0) {
		return due, errDead
	}
	due = n.db.missed(l)
	l.missed.Store(!due.IsZero())
	return due, nil
}

func (n *node) Claim(ctx context.Context, limit int) (out store.Claimed, err error) {
	l := n.current()
	if l == nil || !l.has.Load() {
		return out, nil
	}
	if !n.db.ask(n, opWalk, everyShard) {
		return out, errDead
	}
	now := time.Now()
	waiting := n.db.walk(l.turns.After(), l.turns.Walk(limit))
	allotted := l.turns.Allot(waiting, limit, now, l.Weight)
	if len(allotted.Takes) > 0 {
		if !n.db.ask(n, opClaim, everyShard) {
			return out, errDead
		}
		out.Jobs = n.db.claim(l.owner, now, allotted.Takes)
	}
	l.turns, out.Next, out.More = allotted.Then(out.Jobs, &l.lately), allotted.Next, allotted.More(out.Jobs)
	if l.Limits.Account > 0 {
		l.turns = allotted.After(out.Jobs)
	}
	if bounded := (l.Limits.Tenant > 0 || l.Limits.Account > 0) && allotted.Bounded(waiting, out.Jobs, l.Limits.Account > 0); l.bounded.Swap(bounded) != bounded && bounded {
		n.signalOthers()
	}
	n.db.claimed(len(out.Jobs), len(allotted.Takes) > 0)
	return out, nil
}

func (n *node) Complete(ctx context.Context, j *nestor.Job, fn func(store.Tx) error) error {
	return n.end(j, fn, false)
}

func (n *node) Bury(ctx context.Context, j *nestor.Job, cause string, fn func(store.Tx) error) error {
	return n.end(j, fn, true)
}

func (n *node) end(j *nestor.Job, fn func(store.Tx) error, bury bool) error {
	if !n.awake() || !n.db.ask(n, opCommit, n.sim.shardOf(j)) {
		return errDead
	}
	commit, err := n.db.finish(n, j, fn, bury)
	if err == nil {
		n.tell(commit)
	}
	return err
}

func (n *node) Retry(ctx context.Context, j *nestor.Job, at time.Time, cause string) error {
	return n.putBack(j, at, 1)
}

func (n *node) PutOff(ctx context.Context, j *nestor.Job, at time.Time, cause string) error {
	return n.putBack(j, at, 0)
}

func (n *node) putBack(j *nestor.Job, at time.Time, attempts int) error {
	if !n.awake() || !n.db.ask(n, opCommit, n.sim.shardOf(j)) {
		return errDead
	}
	if err := n.db.putBack(j, at, attempts); err != nil {
		return err
	}
	n.tell(store.Commit{Waiting: true})
	return nil
}

// message is a write of a client that gives an agent work. It reports whether the client
// got an answer.
func (n *node) message(agent int32) bool {
	if !n.db.ask(n, opCommit, n.sim.shard(agent)) {
		return false
	}
	n.tell(n.db.enqueue(n, agent))
	return true
}

// tell reports a commit, and has others woken if it left a job to them.
func (n *node) tell(c store.Commit) {
	n.observe(c)
	if c.Waiting {
		n.signalOthers()
	}
}

func (n *node) signalOthers() {
	select {
	case n.signal <- struct{}{}:
	default:
	}
}

// notify wakes the others, after the fact and not one by one.
func (n *node) notify(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.dead:
			return
		case <-n.signal:
		}
		if n.awake() && (n.sim.bus || n.db.ask(n, opNotify, 0)) {
			n.sim.wakeAll()
		}
		if !sleep(ctx, notifyPause) {
			return
		}
	}
}

// sleep reports whether ctx lasted so long.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
