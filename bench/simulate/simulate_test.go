// Package simulate runs a cluster that no machine has room for: by default a small one, as
// a test; with flags one of 1,000 nodes and ten million agents, in a minute or two on one core.
//
//	go test ./bench/simulate -run Cluster -v -timeout 1h -args -nodes 1000 -agents 10000000 -messages 72000 -model 10s -users 1000000 -shards 32 -bus
//
// The workers are real (internal/worker): they claim, renew, take over, back off and fence
// as they do in a server, on the clock of testing/synctest, which goes as fast as nothing
// is left to do. The database is not: a table in memory that answers as the statements of
// internal/store/postgres do, which a test compares with a PostgreSQL, and that takes time
// as a database of several shards would (database_test.go). Models are pauses.
//
// Meanwhile a tenth of the nodes die, some freeze, the database becomes slow, restarts, and
// one user asks for very much at once. In the end every agent must have made every step
// that it was asked for, once, and no two handlers may have run for one agent, unless its
// node was taken for gone.
package simulate_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// options are how large the cluster is and how much it has to do.
type options struct {
	nodes, agents, messages, users, shards, concurrency, steps, flood, limit int
	load, rate                                                               float64
	model                                                                    time.Duration
	bus                                                                      bool
}

var given options

func init() {
	flag.IntVar(&given.nodes, "nodes", 20, "nodes")
	flag.IntVar(&given.agents, "agents", 20_000, "agents")
	flag.IntVar(&given.messages, "messages", 0, "how many of them are sent a message; 0 for all")
	flag.IntVar(&given.users, "users", 1000, "users, besides the one who asks for much at once")
	flag.IntVar(&given.shards, "shards", 4, "shards of the database, of which the first has what is of no user")
	flag.IntVar(&given.concurrency, "concurrency", 16, "jobs that a node runs at once")
	flag.IntVar(&given.steps, "steps", 2, "steps that a message causes")
	flag.IntVar(&given.limit, "limit", 0, "jobs of one user that run at once; 0 for any number")
	flag.Float64Var(&given.load, "load", 0.75, "share of the places on nodes that the messages fill")
	flag.BoolVar(&given.bus, "bus", false, "wake-ups go over a message bus instead of the database")
	flag.DurationVar(&given.model, "model", 2*time.Second, "what a model takes on average")
}

// The faults, as shares of the time in which messages are sent.
const (
	calm     = 0.1
	killAt   = 0.2
	freezeAt = 0.35
	slowAt   = 0.5
	awayAt   = 0.65
	floodAt  = 0.8
)

const (
	frozenFor = 15 * time.Second
	slowFor   = 5 * time.Second
	slowTimes = 20
	awayFor   = 3 * time.Second
)

func TestAClusterLosesAndDoublesNothing(t *testing.T) { live(t, given) }

// With a limit, one user who asks for as much as there are places gets no more than the
// limit, on whichever nodes, and the rest is done later.
func TestAClusterKeepsTheLimitsOfUsers(t *testing.T) {
	o := given
	o.limit = 8
	live(t, o)
}

// live has a cluster live through all faults.
func live(t *testing.T, o options) {
	o.flood = o.nodes * o.concurrency
	if o.messages == 0 {
		o.messages = o.agents - o.flood
	}
	o.rate = o.load * float64(o.nodes*o.concurrency) / (o.model.Seconds() * float64(o.steps))
	began := time.Now()
	var s *simulation
	synctest.Test(t, func(t *testing.T) {
		s = newSimulation(o)
		s.run()
	})
	s.print(t, time.Since(began))
	for _, wrong := range s.wrong {
		t.Error(wrong)
	}
}

// run lets the cluster live through all faults.
func (s *simulation) run() {
	var group sync.WaitGroup
	before := memory()
	s.began = time.Now()
	lasts := time.Duration(float64(s.messages) / s.rate * float64(time.Second))
	s.seen.floodAt = time.Duration(floodAt * float64(lasts))
	for i := range s.options.nodes {
		s.start(&group, i)
	}
	until := func(share float64) {
		time.Sleep(time.Until(s.began.Add(time.Duration(share * float64(lasts)))))
	}

	until(calm)
	s.mark("nothing happens")
	until(killAt)
	s.measureMemory(before)
	s.mark("a tenth of the nodes die")
	order := rand.Perm(len(s.nodes))
	tenth := max(1, len(s.nodes)/10)
	s.strike(s.chosen(order[:tenth]), s.kill)
	until(freezeAt)
	s.mark("some freeze for 15 s")
	frozen := s.chosen(order[tenth : tenth+max(1, tenth/5)])
	s.strike(frozen, s.freeze)
	time.Sleep(frozenFor)
	for _, n := range frozen {
		s.thaw(n)
	}
	until(slowAt)
	s.mark("the database is 20 times slower, for 5 s")
	s.db.slower(slowTimes)
	time.Sleep(slowFor)
	s.db.slower(1)
	until(awayAt)
	s.mark("the database is away for 3 s")
	s.db.restart(awayFor)
	until(floodAt)
	s.mark("one user asks for as much as there are places")
	s.askForMuch()
	until(1)
	s.mark("")
	s.drain()
	s.lost()
	s.exceeded()
	s.end()
	group.Wait()
}

func (s *simulation) chosen(numbers []int) (nodes []*node) {
	for _, i := range numbers {
		nodes = append(nodes, s.nodes[i])
	}
	return nodes
}

// askForMuch has one user give work to all of their agents, on one node.
func (s *simulation) askForMuch() {
	for _, n := range s.nodes {
		if n.isDead() {
			continue
		}
		const each = 100 // in one commit
		for i := s.options.agents - s.flood; i < s.options.agents; {
			if !s.db.ask(n, opCommit, s.shard(int32(i))) {
				break
			}
			for range min(each, s.options.agents-i) {
				n.tell(s.db.enqueue(n, int32(i)))
				i++
			}
		}
		return
	}
}

// drain waits until all was sent and no job is left.
func (s *simulation) drain() {
	for range 3600 {
		time.Sleep(time.Second)
		s.db.mu.Lock()
		left := len(s.db.jobs.running) + s.db.jobs.waiting
		s.db.mu.Unlock()
		if left == 0 && s.sent.Load() >= int64(s.messages) {
			return
		}
	}
	s.broken("jobs are left after an hour")
}

func (s *simulation) measureMemory(before uint64) {
	after := memory()
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.inFlight); n > 0 && after > before {
		s.seen.memory = fmt.Sprintf("%.1f KB for each of %d that run", float64(after-before)/1024/float64(n), n)
	}
}
