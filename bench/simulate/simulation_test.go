package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// simulation is a cluster under way.
type simulation struct {
	options
	life    context.Context
	end     context.CancelFunc
	db      *database
	nodes   []*node
	names   *names
	tenants []string // users, by number
	agents  []agent  // guarded by the database's mutex
	sent    atomic.Int64
	began   time.Time

	mu       sync.Mutex
	inFlight map[int32]int32     // agents whose handler runs, and the owner that it runs for
	orphans  map[int64]time.Time // jobs whose node died or froze, and when
	wrong    []string            // broken promises
	seen     measures

	fenced int64 // commits that came too late; guarded by the database's mutex
}

// agent is what the database holds of one: steps that it was asked for and made.
type agent struct{ want, done uint16 }

var triggers = []string{"step"}

const stepTrigger = 0

// What becomes of a step, of thousand.
const (
	failing = 10 // the model fails, and is asked again
	waiting = 2  // it cannot begin yet, and is put off
)

// patient is how steps are tried: so often that none of millions is given up by chance.
var patient = nestor.RetryPolicy{MaxAttempts: 10}

var (
	errModel        = errors.New("the model failed")
	errSooner error = nestor.PutOff{}
)

func newSimulation(o options) *simulation {
	s := &simulation{options: o, names: &names{numbers: map[string]int32{}}, inFlight: map[int32]int32{}, orphans: map[int64]time.Time{}}
	s.agents = make([]agent, o.agents)
	for i := range o.users + 1 {
		s.tenants = append(s.tenants, fmt.Sprintf("users/u%08d", i))
	}
	s.db = &database{sim: s, slow: 1, busy: make([]time.Time, o.shards), nodes: map[int32]*nodeRow{}, jobs: newTable(o.agents, s.tenant)}
	s.db.jobs.limits.Tenant = o.limit
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// user is whose an agent is. The agents at the end are those of the user who asks for
// much at once, 0.
func (s *simulation) user(agent int32) int {
	if int(agent) >= s.options.agents-s.flood {
		return 0
	}
	return 1 + int(agent)%s.users
}

func (s *simulation) tenant(agent int32) string { return s.tenants[s.user(agent)] }

// shard is where the rows of an agent are. The first shard has what is of no user.
func (s *simulation) shard(agent int32) int { return 1 + s.user(agent)%(s.shards-1) }

func (s *simulation) shardOf(j *nestor.Job) int { return s.shard(agentOf(j)) }

func agentOf(j *nestor.Job) int32 {
	n, _ := strconv.Atoi(j.Key)
	return int32(n)
}

// start has a node join and work until it dies or the simulation ends.
func (s *simulation) start(group *sync.WaitGroup, number int) {
	n := &node{sim: s, db: s.db, wake: make(chan struct{}, 1), signal: make(chan struct{}, 1), dead: make(chan struct{})}
	s.nodes = append(s.nodes, n)
	w := worker.New(n, worker.Options{
		Node: fmt.Sprintf("n%d", number), Concurrency: s.concurrency, Drain: time.Hour, Limits: store.Limits{Tenant: s.limit},
		Handlers: map[string]worker.Handler{"step": {Run: n.handle}},
		Plan:     func(string) (worker.Plan, bool) { return worker.Plan{Handler: "step", Retry: patient}, true },
		Hooks:    worker.Hooks{Started: s.started},
		Logger:   slog.New(slog.DiscardHandler),
	})
	ctx, cancel := context.WithCancel(s.life)
	group.Go(func() {
		defer cancel()
		// Processes do not start in the same moment.
		if time.Sleep(rand.N(time.Second)); w.Run(ctx) != nil && !n.isDead() {
			s.broken("a worker ended by itself")
		}
	})
	group.Go(func() {
		<-w.Joined()
		select {
		case <-n.dead:
			cancel()
		case <-ctx.Done():
		}
	})
	group.Go(func() { n.notify(ctx) })
	group.Go(func() { n.clients(ctx, w.Joined()) })
}

// clients send messages to this node, as their share of the load.
func (n *node) clients(ctx context.Context, joined <-chan struct{}) {
	s := n.sim
	<-joined
	next := time.Now()
	for {
		next = next.Add(time.Duration(rand.ExpFloat64() * float64(time.Second) * float64(s.live()) / s.rate))
		if !sleep(ctx, time.Until(next)) || n.isDead() {
			return
		}
		i := s.sent.Add(1) - 1
		if i >= int64(s.messages) {
			return
		}
		for to := n; !to.message(int32(i)); { // no answer: the client asks another node
			to = s.nodes[rand.IntN(len(s.nodes))]
		}
	}
}

func (s *simulation) live() int {
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	return max(1, len(s.db.nodes))
}

func (s *simulation) wakeAll() {
	for _, n := range s.nodes {
		n.poke()
	}
}

// handle makes a step: it waits for the model.
func (n *node) handle(ctx context.Context, j *nestor.Job) (worker.Effect, error) {
	s, agent := n.sim, agentOf(j)
	s.begin(agent, j)
	defer s.over(agent, j)
	switch luck := rand.IntN(1000); {
	case luck < failing:
		return nil, errModel
	case luck < failing+waiting:
		return nil, errSooner
	}
	timer := time.NewTimer(s.model/4 + time.Duration(rand.ExpFloat64()*float64(s.model*3/4)))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-n.dead:
		return nil, errDead
	}
	if !n.awake() {
		return nil, errDead
	}
	return func(tx store.Tx) error {
		a := &s.agents[agent]
		if a.done++; a.done > a.want {
			s.broken("agent %d made %d steps of %d", agent, a.done, a.want)
		}
		tx.(*transaction).again = int(a.done)%s.steps != 0
		s.seen.steps.Add(1)
		return nil
	}, nil
}

// begin checks that no other handler of the agent runs, unless for a node that was taken
// for gone.
func (s *simulation) begin(agent int32, j *nestor.Job) {
	owner := s.names.number(j.Owner)
	s.mu.Lock()
	other, runs := s.inFlight[agent]
	s.inFlight[agent] = owner
	s.mu.Unlock()
	if !runs {
		return
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	s.seen.overlaps.Add(1)
	if s.db.isNode(other) {
		s.broken("agent %d runs on %s and on %s, which is a node in good standing", agent, j.Owner, s.names.of(other))
	}
}

func (s *simulation) over(agent int32, j *nestor.Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inFlight[agent] == s.names.number(j.Owner) {
		delete(s.inFlight, agent)
	}
}

// exceeded checks that nobody had more jobs running than may, and that somebody had as many.
func (s *simulation) exceeded() {
	s.db.mu.Lock()
	most := s.db.jobs.most
	s.db.mu.Unlock()
	if s.limit > 0 && most != s.limit {
		s.broken("%d jobs of one user ran at once, want %d", most, s.limit)
	}
}

// started measures how long a job waited, and whether it is one that was left behind.
func (s *simulation) started(j *nestor.Job, _ time.Duration) {
	now := time.Now()
	if j.Attempt == 1 {
		s.seen.wait(s.user(agentOf(j)) == 0, now.Sub(s.began), now.Sub(time.UnixMilli(j.Change.At)))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if since, ok := s.orphans[j.Change.Seq]; ok {
		delete(s.orphans, j.Change.Seq)
		s.seen.takeOvers = append(s.seen.takeOvers, now.Sub(since))
	}
}

// strike ends or freezes nodes; how many jobs they leave is noted.
func (s *simulation) strike(nodes []*node, how func(*node)) {
	now := time.Now()
	for _, n := range nodes {
		l := n.current()
		if l == nil {
			continue
		}
		how(n)
		s.db.mu.Lock()
		s.mu.Lock()
		for i := range s.db.jobs.rows {
			if r := &s.db.jobs.rows[i]; r.state == isRunning && r.owner == l.owner {
				s.orphans[r.id] = now
			}
		}
		s.mu.Unlock()
		s.db.mu.Unlock()
	}
}

// kill ends a process: the server notices at once that its connections are gone.
func (s *simulation) kill(n *node) {
	close(n.dead)
	s.db.unlock(n.current().owner)
}

// freeze stops a process, whose connections stay.
func (s *simulation) freeze(n *node) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.thawed = make(chan struct{})
}

func (s *simulation) thaw(n *node) {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.thawed)
	n.thawed = nil
}

// takenFor notes that a node was taken for gone; the database's mutex is held.
func (s *simulation) takenFor(n *node) {
	if n.isDead() {
		s.seen.rightly++
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.thawed != nil {
		s.seen.rightly++
	} else {
		s.seen.wrongly++
	}
}

// broken notes a promise that did not hold.
func (s *simulation) broken(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.wrong) < 20 {
		s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
	}
}

// lost looks at the end for what was asked for and not done.
func (s *simulation) lost() {
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	missing := 0
	for i, a := range s.agents {
		asked := i < s.messages || i >= s.options.agents-s.flood
		if a.done != a.want || asked && a.want == 0 {
			if missing++; missing < 5 {
				s.broken("agent %d made %d of %d steps", i, a.done, a.want)
			}
		}
	}
	left := map[state]int{}
	for i := range s.db.jobs.rows {
		if st := s.db.jobs.rows[i].state; st != gone {
			left[st]++
		}
	}
	if missing > 0 || len(left) > 0 {
		s.broken("%d agents did not make their steps, and of the jobs these are left, by state: %v", missing, left)
	}
}

// memory is what the process uses, without the tables of the simulated database.
func memory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// names are those of nodes, by number.
type names struct {
	mu      sync.RWMutex
	list    []string
	numbers map[string]int32
}

func (s *names) number(name string) int32 {
	s.mu.RLock()
	n, ok := s.numbers[name]
	s.mu.RUnlock()
	if ok {
		return n
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n = int32(len(s.list))
	s.list, s.numbers[name] = append(s.list, name), n
	return n
}

func (s *names) of(number int32) string {
	if number == none {
		return ""
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.list[number]
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
