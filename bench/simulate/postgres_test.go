package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
)

// pair is the table and a PostgreSQL, to which the same is done.
type pair struct {
	*testing.T
	url     string
	table   *table
	names   *names
	nodes   []*realNode
	mu      sync.Mutex
	running map[int32]nestor.Job // by key, as PostgreSQL gave them out
	made    int
}

// realNode is a node of both.
type realNode struct {
	store   *postgres.Store
	name    string
	accepts atomic.Bool
	turns   store.Turns
}

const (
	keys    = 7
	tenants = 3
)

func tenantOf(key int32) string { return fmt.Sprintf("users/u%d", key%tenants) }

// accountOf is the account that the chat of a key belongs to.
func accountOf(key int32) string { return []string{"", "acme"}[key%2] }

// What decides in the simulated database decides as PostgreSQL does: after each of many
// things done at random the jobs are the same, in the same order.
func TestTheTableOfJobsIsWhatPostgresMakesOfIt(t *testing.T) {
	for name, limits := range map[string]store.Limits{"without limits": {}, "with limits of users": {Tenant: 2}, "with limits of users and accounts": {Tenant: 2, Account: 2}} {
		t.Run(name, func(t *testing.T) { compare(t, limits) })
	}
}

func compare(t *testing.T, limits store.Limits) {
	p := &pair{T: t, url: pgtest.URL(t), table: newTable(keys, tenantOf), names: &names{numbers: map[string]int32{}}, running: map[int32]nestor.Job{}}
	p.table.limits, p.table.account = limits, accountOf
	for range 3 {
		p.nodes = append(p.nodes, p.open())
	}
	p.must(p.nodes[0].store.Update(t.Context(), func(tx store.Tx) error {
		for key := range int32(keys) {
			if _, err := tx.Create(chatOf(key), nestor.Chat{AccountID: accountOf(key)}); err != nil {
				return err
			}
		}
		return nil
	}))
	seed := rand.Uint64()
	dice := rand.New(rand.NewPCG(seed, 0))
	for i := range 400 {
		did := p.step(dice, p.nodes[dice.IntN(len(p.nodes))])
		if got, want := p.ofTable(), p.ofPostgres(); !slices.Equal(got, want) {
			t.Fatalf("with the seed %d, after %d things, of which the last was %s, the table has\n%s\nand PostgreSQL\n%s",
				seed, i+1, did, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func (p *pair) open() *realNode {
	s, err := postgres.Open(p.Context(), p.url, store.Options{Rules: store.Rules{Planner: p}})
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { s.Close() })
	n := &realNode{store: s}
	s.Observe(store.First, func(c store.Commit) { p.took(c.Claimed) })
	p.join(n)
	return n
}

func (p *pair) join(n *realNode) {
	n.name, n.turns = nestor.NewID(), store.Turns{}
	lease := store.Lease{Node: n.name, TTL: time.Hour, Grace: time.Hour, Accept: func(string) bool { return n.accepts.Load() }, Limits: p.table.limits}
	if err := n.store.Join(p.Context(), lease); err != nil {
		p.Fatal(err)
	}
}

func (p *pair) took(jobs []nestor.Job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, j := range jobs {
		p.running[agentOf(&j)] = j
	}
}

// Plan implements [store.Planner]: a document says in its path which job it causes.
func (p *pair) Plan(e *store.Event) []nestor.Job {
	if e.Type != nestor.Create || store.Chats.Has(e.Path) {
		return nil
	}
	parts := strings.Split(e.Path.ID(), "-") // number, key, trigger, whether it coalesces
	c := e.Change
	c.Before, c.After = nil, nil
	return []nestor.Job{{ID: nestor.JobID(parts[2], &c), Key: parts[1], Trigger: parts[2], Coalesce: parts[3] == "true", Change: c}}
}

func chatOf(key int32) nestor.Path {
	return nestor.Path(fmt.Sprintf("%s/orch-chats/c%d", tenantOf(key), key))
}

func (p *pair) document(key int32, trigger uint8, coalesce bool) nestor.Path {
	p.made++
	return chatOf(key).Child("in", fmt.Sprintf("%d-%d-%d-%v", p.made, key, trigger, coalesce))
}

// step does something to both.
func (p *pair) step(dice *rand.Rand, n *realNode) string {
	n.accepts.Store(dice.IntN(3) > 0)
	taker := int32(none)
	if n.accepts.Load() {
		taker = p.names.number(n.name)
	}
	key, trigger, coalesce := int32(dice.IntN(keys)), uint8(dice.IntN(2)), dice.IntN(2) == 0
	job, runs := p.running[key]
	runs = runs && job.Owner == n.name
	now := nestor.Millis(time.Now())
	at := time.Now().Add(time.Duration(dice.IntN(2)*7200-3600) * time.Second)
	ctx, head := p.Context(), p.table.head[key]
	switch what := dice.IntN(12); {
	case what < 4:
		path := p.document(key, trigger, coalesce)
		p.must(n.store.Update(ctx, func(tx store.Tx) error { return create(tx, path) }))
		if p.table.limited() {
			taker = none // it has no place yet
		}
		p.table.insert(key, trigger, coalesce, taker, now)
		return "a new job"
	case what < 6:
		limit := dice.IntN(4)
		got, err := n.store.Claim(ctx, limit)
		p.must(err)
		p.took(got.Jobs)
		allotted := n.turns.Allot(p.table.walk(n.turns.After(), n.turns.Walk(limit)), limit, time.Now(), nil)
		claimed := p.table.claim(p.names.number(n.name), nestor.Millis(time.Now()), allotted.Takes)
		n.turns = allotted.Then(got.Jobs, new(store.Lately))
		if p.table.limits.Account > 0 {
			n.turns = allotted.After(got.Jobs)
		}
		if len(claimed) != len(got.Jobs) {
			p.Errorf("the table gives out %d jobs and PostgreSQL %d", len(claimed), len(got.Jobs))
		}
		return "a claim"
	case what == 6:
		return p.lose(ctx, n)
	case what == 7:
		p.must(n.store.Leave(ctx))
		p.table.leave(p.names.number(n.name))
		p.join(n)
		return "a node that leaves"
	case !runs:
		return "nothing"
	}
	delete(p.running, key)
	switch dice.IntN(5) {
	case 0:
		p.must(n.store.Complete(ctx, &job, nil))
		p.table.finish(head, false, now, taker)
		return "an end"
	case 1:
		path := p.document(key, trigger, coalesce)
		p.must(n.store.Complete(ctx, &job, func(tx store.Tx) error { return create(tx, path) }))
		p.table.relay(head, trigger, coalesce, now, taker)
		return "an end that another job follows"
	case 2:
		p.must(n.store.Bury(ctx, &job, "for a test", nil))
		p.table.finish(head, true, now, taker)
		return "a job that is given up"
	case 3:
		p.must(n.store.Retry(ctx, &job, at, "for a test"))
		p.table.putBack(head, nestor.Millis(at), 1)
		return "a job that is tried again"
	}
	p.must(n.store.PutOff(ctx, &job, at, "for a test"))
	p.table.putBack(head, nestor.Millis(at), 0)
	return "a job that is put off"
}

// lose has the others take over from a node, which then can end none of its jobs.
func (p *pair) lose(ctx context.Context, n *realNode) string {
	db, err := pgx.Connect(ctx, p.url)
	p.must(err)
	defer db.Close(ctx)
	_, err = db.Exec(ctx, "DELETE FROM nodes WHERE id = $1", n.name)
	p.must(err)
	i := slices.Index(p.nodes, n)
	_, err = p.nodes[(i+1)%len(p.nodes)].store.TakeOver(ctx)
	p.must(err)
	lost := p.names.number(n.name)
	p.table.takeOver(p.table.orphans(func(owner int32) bool { return owner != lost }), nestor.Millis(time.Now()))
	for key, j := range p.running {
		if j.Owner != n.name {
			continue
		}
		if err := n.store.Complete(ctx, &j, nil); nestor.CodeOf(err) != nestor.CodeLeaseLost {
			p.Errorf("a job that was taken over can be ended: %v", err)
		}
		delete(p.running, key)
	}
	p.join(n)
	return "a node that is gone"
}

func create(tx store.Tx, path nestor.Path) error {
	_, err := tx.Create(path, map[string]any{})
	return err
}

func (p *pair) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

func line(key, trigger string, state nestor.JobState, owner string, attempt int) string {
	return fmt.Sprintf("key %s, trigger %s: %s by %q, attempt %d", key, trigger, state, owner, attempt)
}

// ofPostgres are the jobs in order.
func (p *pair) ofPostgres() (all []string) {
	for _, state := range []nestor.JobState{"", nestor.JobDead} {
		jobs, err := p.nodes[0].store.Jobs(p.Context(), store.JobFilter{State: state, Limit: 10000})
		p.must(err)
		for _, j := range jobs {
			all = append(all, line(j.Key, j.Trigger, j.State, j.Owner, j.Attempt))
		}
	}
	return all
}

var states = map[state]nestor.JobState{isReady: nestor.JobReady, isRunning: nestor.JobRunning, isBlocked: nestor.JobBlocked, isDead: nestor.JobDead}

func (p *pair) ofTable() (all []string) {
	rows := slices.DeleteFunc(slices.Clone(p.table.rows), func(r row) bool { return r.state == gone })
	slices.SortFunc(rows, func(a, b row) int { return int(a.n - b.n) })
	for _, dead := range []bool{false, true} {
		for _, r := range rows {
			if (r.state == isDead) == dead {
				all = append(all, line(strconv.Itoa(int(r.key)), strconv.Itoa(int(r.trigger)), states[r.state], p.names.of(r.owner), int(r.attempt)))
			}
		}
	}
	return all
}
