package simulate_test

import (
	"container/heap"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// table is the jobs table in memory. Each method does what one statement of
// internal/store/postgres/queue.go or one function of its migrations does; a test has
// PostgreSQL and the table do the same things and compares what is left. Rows have no
// pointers, so that ten million of them are no work for the garbage collector.
type table struct {
	rows    []row
	free    []int32
	head    []int32 // of each key: its row that is ready or running, or none
	blocked map[int32][]int32
	tenant  func(key int32) string
	account func(key int32) string // nil: there are none
	limits  store.Limits
	placed  map[string]int // running jobs that count for a tenant or an account
	most    int            // that one tenant ever had of these
	line    []string       // the tenants with ready jobs, by name
	ready   map[string]*ready
	waiting int           // jobs that are ready
	running map[int32]int // by owner
	lastID  int64
	lastN   int64
}

type row struct {
	id, n, runAt, at int64
	key, owner       int32
	attempt          int16
	state            state
	trigger          uint8
	place            bool // it runs, and counts for limits
}

type state uint8

const (
	gone state = iota
	isReady
	isRunning
	isBlocked
	isDead
)

const none = -1

func newTable(keys int, tenant func(int32) string) *table {
	t := &table{head: make([]int32, keys), blocked: map[int32][]int32{}, tenant: tenant, ready: map[string]*ready{}, running: map[int32]int{}, placed: map[string]int{}}
	for i := range t.head {
		t.head[i] = none
	}
	return t
}

// insert queues a job: running for owner if its key is free, ready if nobody has room,
// blocked behind others. It returns none if the job coalesced with one that waits.
func (t *table) insert(key int32, trigger uint8, coalesce bool, owner int32, now int64) int32 {
	if coalesce && t.waits(key, trigger) {
		return none
	}
	i := t.add(row{key: key, trigger: trigger, owner: none, runAt: now, at: now})
	switch {
	case t.head[key] != none:
		t.rows[i].state = isBlocked
		t.blocked[key] = append(t.blocked[key], i)
	default:
		t.head[key] = i
		t.begin(i, owner)
	}
	return i
}

// waits reports whether a job of the trigger waits for the key.
func (t *table) waits(key int32, trigger uint8) bool {
	if h := t.head[key]; h != none && t.rows[h].state == isReady && t.rows[h].trigger == trigger {
		return true
	}
	return slices.ContainsFunc(t.blocked[key], func(i int32) bool { return t.rows[i].trigger == trigger })
}

func (t *table) add(r row) int32 {
	t.lastID++
	t.lastN++
	r.id, r.n = t.lastID, t.lastN
	if last := len(t.free) - 1; last >= 0 {
		i := t.free[last]
		t.free = t.free[:last]
		t.rows[i] = r
		return i
	}
	t.rows = append(t.rows, r)
	return int32(len(t.rows) - 1)
}

// begin makes the head of a key running, or ready if it has no owner.
func (t *table) begin(i, owner int32) {
	r := &t.rows[i]
	if r.owner = owner; owner == none {
		r.state = isReady
		t.wait(i)
		return
	}
	r.state = isRunning
	r.attempt++
	t.running[owner]++
	if r.place = t.limited(); r.place {
		t.count(r, 1)
	}
}

func (t *table) limited() bool { return t.limits.Tenant > 0 || t.limits.Account > 0 }

// count counts a job for its limits.
func (t *table) count(r *row, n int) {
	tenant := t.tenant(r.key)
	t.placed[tenant] += n
	t.most = max(t.most, t.placed[tenant])
	if t.account != nil {
		t.placed[t.account(r.key)] += n
	}
}

// room is how many jobs more a tenant may run.
func (t *table) room(tenant string) int {
	if t.limits.Tenant == 0 {
		return store.NoBound
	}
	return t.limits.Tenant - t.placed[tenant]
}

// shut reports whether a job has to wait for a place of its account.
func (t *table) shut(i int32) bool {
	if t.limits.Account == 0 || t.account == nil {
		return false
	}
	account := t.account(t.rows[i].key)
	return account != "" && t.placed[account] >= t.limits.Account
}

// wait adds a ready job to those of its tenant.
func (t *table) wait(i int32) {
	name := t.tenant(t.rows[i].key)
	q := t.ready[name]
	if q == nil {
		q = &ready{of: t}
		t.ready[name] = q
		at, _ := slices.BinarySearch(t.line, name)
		t.line = slices.Insert(t.line, at, name)
	}
	heap.Push(q, i)
	t.waiting++
}

// walk lists so many of the tenants with ready jobs, from the one after a name round to it again.
func (t *table) walk(after string, most int) (list []store.Waiting) {
	from, found := slices.BinarySearch(t.line, after)
	if found {
		from++
	}
	for i := range min(len(t.line), most) {
		name := t.line[(from+i)%len(t.line)]
		list = append(list, store.Waiting{Tenant: name, RunAt: t.rows[t.ready[name].rows[0]].runAt, Room: t.room(name)})
	}
	return list
}

// claim takes jobs of some tenants that are due, the oldest first, and passes over those
// that have to wait for a place.
func (t *table) claim(owner int32, now int64, takes []store.Take) (claimed []int32) {
	for _, take := range takes {
		q := t.ready[take.Tenant]
		var passed []int32
		for room := min(take.Jobs, t.room(take.Tenant)); room > 0 && len(passed) < store.LookedAt; {
			if q == nil || len(q.rows) == 0 || t.rows[q.rows[0]].runAt > now {
				break
			}
			i := heap.Pop(q).(int32)
			if t.shut(i) {
				passed = append(passed, i)
				continue
			}
			t.waiting--
			t.begin(i, owner)
			claimed = append(claimed, i)
			room--
		}
		for _, i := range passed {
			heap.Push(q, i)
		}
		if q != nil && len(q.rows) == 0 {
			delete(t.ready, take.Tenant)
			at, _ := slices.BinarySearch(t.line, take.Tenant)
			t.line = slices.Delete(t.line, at, at+1)
		}
	}
	return claimed
}

// fence finds the job that an owner runs, if it is still the owner's.
func (t *table) fence(i int32, id int64, owner int32, attempt int) (*row, bool) {
	r := &t.rows[i]
	return r, r.id == id && r.state == isRunning && r.owner == owner && int(r.attempt) == attempt
}

// stop takes a running job from its owner.
func (t *table) stop(r *row) {
	if t.running[r.owner]--; t.running[r.owner] == 0 {
		delete(t.running, r.owner)
	}
	r.owner = none
	if r.place {
		t.count(r, -1)
		r.place = false
	}
}

// finish ends a job, or buries it, and starts the next of its key, which it returns.
func (t *table) finish(i int32, bury bool, now int64, taker int32) int32 {
	r := &t.rows[i]
	t.stop(r)
	key := r.key
	if r.state, r.runAt = isDead, now; !bury {
		*r = row{}
		t.free = append(t.free, i)
	}
	t.head[key] = none
	if len(t.blocked[key]) == 0 {
		return none
	}
	next := t.blocked[key][0]
	if t.blocked[key] = t.blocked[key][1:]; len(t.blocked[key]) == 0 {
		delete(t.blocked, key)
	}
	t.head[key] = next
	t.begin(next, taker)
	return next
}

// relay ends a job that another of its key follows. It returns what is next of the key.
func (t *table) relay(i int32, trigger uint8, coalesce bool, now int64, taker int32) int32 {
	r := &t.rows[i]
	if taker != none && len(t.blocked[r.key]) == 0 {
		t.lastID++
		t.stop(r)
		*r = row{id: t.lastID, n: r.n, key: r.key, runAt: r.runAt, at: now, trigger: trigger}
		t.begin(i, taker)
		return i
	}
	if !coalesce || !slices.ContainsFunc(t.blocked[r.key], func(b int32) bool { return t.rows[b].trigger == trigger }) {
		t.insert(r.key, trigger, false, none, now) // the key is taken, so it is blocked
	}
	return t.finish(i, false, now, taker)
}

// putBack makes a job wait until at.
func (t *table) putBack(i int32, at int64, attempts int) {
	r := &t.rows[i]
	t.stop(r)
	r.runAt, r.attempt = at, r.attempt-1+int16(attempts)
	t.begin(i, none)
}

// orphans are the owners of running jobs that are no nodes.
func (t *table) orphans(isNode func(int32) bool) (owners []int32) {
	for owner := range t.running {
		if !isNode(owner) {
			owners = append(owners, owner)
		}
	}
	return owners
}

// takeOver makes the jobs of owners ready again.
func (t *table) takeOver(owners []int32, now int64) (taken []int32) {
	for i := range t.rows {
		if r := &t.rows[i]; r.state == isRunning && slices.Contains(owners, r.owner) {
			t.stop(r)
			r.runAt = min(r.runAt, now)
			t.begin(int32(i), none)
			taken = append(taken, int32(i))
		}
	}
	return taken
}

// leave gives the jobs of an owner back, uncounted.
func (t *table) leave(owner int32) {
	for i := range t.rows {
		if r := &t.rows[i]; r.state == isRunning && r.owner == owner {
			t.stop(r)
			r.attempt--
			t.begin(int32(i), none)
		}
	}
}

// job is a row as workers get it. Where it stands in the table and its id are in the change.
func (t *table) job(i int32, names *names) nestor.Job {
	r := &t.rows[i]
	return nestor.Job{
		ID: decimal(r.id), Key: decimal(int64(r.key)), Trigger: triggers[r.trigger], State: nestor.JobRunning,
		Change:  nestor.Change{Path: nestor.Path(t.tenant(r.key) + document), Seq: r.id, Version: int64(i), At: r.at},
		Attempt: int(r.attempt), RunAt: r.runAt, Owner: names.of(r.owner), Place: t.placeOf(r),
	}
}

// placeOf is the place of a running job.
func (t *table) placeOf(r *row) *nestor.Place {
	if !r.place {
		return nil
	}
	p := &nestor.Place{}
	if t.limits.Tenant > 0 {
		p.Tenant = t.tenant(r.key)
	}
	if t.limits.Account > 0 && t.account != nil {
		p.Account = t.account(r.key)
	}
	return p
}

// document is where below a tenant the document of a job is.
const document = "/agents/a"

// ready are the rows of a tenant that are ready, by time and then by number.
type ready struct {
	of   *table
	rows []int32
}

func (q *ready) Len() int { return len(q.rows) }

func (q *ready) Less(a, b int) bool {
	x, y := &q.of.rows[q.rows[a]], &q.of.rows[q.rows[b]]
	return x.runAt < y.runAt || x.runAt == y.runAt && x.n < y.n
}

func (q *ready) Swap(a, b int) { q.rows[a], q.rows[b] = q.rows[b], q.rows[a] }
func (q *ready) Push(x any)    { q.rows = append(q.rows, x.(int32)) }

func (q *ready) Pop() any {
	last := len(q.rows) - 1
	i := q.rows[last]
	q.rows = q.rows[:last]
	return i
}
