package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// jobPerChange queues one job for every change, keyed by the parent.
func jobPerChange(e *store.Event) []nestor.Job {
	c := e.Change
	c.Before, c.After = nil, nil
	return []nestor.Job{{
		ID: nestor.JobID("t", &c), Key: "k:" + string(c.Path.Parent()), Trigger: "t", Change: c,
	}}
}

func coalescing(e *store.Event) []nestor.Job {
	jobs := jobPerChange(e)
	jobs[0].Coalesce = true
	return jobs
}

func (e *env) jobs() []nestor.Job {
	e.Helper()
	jobs, err := e.s.Jobs(e.ctx(), store.JobFilter{})
	e.must(err)
	return jobs
}

// states renders the queue as "id:state" in order.
func (e *env) states() string {
	e.Helper()
	var out []string
	for _, j := range e.jobs() {
		out = append(out, j.Change.Path.ID()+":"+string(j.State))
	}
	return strings.Join(out, " ")
}

func (e *env) wantStates(want string) {
	e.Helper()
	if got := e.states(); got != want {
		e.Fatalf("the queue is %q, want %q", got, want)
	}
}

// claimed collects what the store hands to this process, a node that has joined.
type claimed struct {
	node string
	mu   sync.Mutex
	jobs []nestor.Job
}

// work has changes queue jobs, and joins the node that they are handed to.
func (e *env) work(jobs func(*store.Event) []nestor.Job) *claimed {
	e.Helper()
	e.planner.jobs = jobs
	c := &claimed{}
	e.s.Observe(store.First, c.observe)
	c.node = e.join(e.s, "n1")
	return c
}

func (c *claimed) observe(commit store.Commit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.jobs = append(c.jobs, commit.Claimed...)
}

// take returns the only job handed over since the last call.
func (c *claimed) take(e *env) *nestor.Job {
	e.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.jobs) != 1 {
		e.Fatalf("%d jobs were handed over, want 1", len(c.jobs))
	}
	j := c.jobs[0]
	c.jobs = nil
	return &j
}

// notes is an effect that makes notes.
func notes(ids ...string) func(store.Tx) error {
	return func(tx store.Tx) error {
		for _, id := range ids {
			if _, err := tx.Create(nestor.Path("users/u1/notes/"+id), raw(`{}`)); err != nil {
				return err
			}
		}
		return nil
	}
}

// note makes notes one after the other.
func (e *env) note(ids ...string) {
	e.Helper()
	for _, id := range ids {
		e.create(nestor.Path("users/u1/notes/"+id), raw(`{}`))
	}
}

var queueTests = []test{
	{name: "a job of a free key is handed to the committing node at once", run: func(e *env) {
		c := e.work(jobPerChange)
		e.note("a")
		j := c.take(e)
		if j.State != nestor.JobRunning || j.Owner != c.node || j.Attempt != 1 || j.Change.Path != "users/u1/notes/a" {
			e.Errorf("got %+v", j)
		}
		e.must(e.s.Complete(e.ctx(), j, nil))
		e.wantStates("")
	}},
	{name: "without a node that has room a job waits as ready", run: func(e *env) {
		e.planner.jobs = jobPerChange
		e.note("a")
		e.wantStates("a:ready")
		node := e.join(e.s, "n1")
		got, err := e.s.Claim(e.ctx(), 10)
		e.must(err)
		if len(got.Jobs) != 1 || got.Jobs[0].Attempt != 1 || got.Jobs[0].Owner != node {
			e.Errorf("claimed %+v", got.Jobs)
		}
		e.wantStates("a:running")
	}},
	{name: "jobs of one key run one at a time, in the order of their changes", run: func(e *env) {
		c := e.work(jobPerChange)
		e.note("a", "b", "c")
		e.wantStates("a:running b:blocked c:blocked")
		j := c.take(e)
		e.must(e.s.Complete(e.ctx(), j, nil))
		e.wantStates("b:running c:blocked")
		j = c.take(e)
		e.must(e.s.Complete(e.ctx(), j, nil))
		if j = c.take(e); j.Change.Path.ID() != "c" {
			e.Errorf("third is %s", j.Change.Path)
		}
	}},
	{name: "jobs of different keys run side by side", run: func(e *env) {
		e.planner.jobs = jobPerChange
		e.join(e.s, "n1")
		e.create("users/u1/notes/a", raw(`{}`))
		e.create("users/u2/notes/b", raw(`{}`))
		e.wantStates("a:running b:running")
	}},
	{name: "a job that fails keeps its place until it is tried again", run: func(e *env) {
		c := e.work(jobPerChange)
		e.note("a", "b")
		due := time.Now().Add(time.Hour)
		e.must(e.s.Retry(e.ctx(), c.take(e), due, "no luck"))
		e.wantStates("a:ready b:blocked")
		got, err := e.s.Claim(e.ctx(), 10)
		e.must(err)
		if len(got.Jobs) != 0 || got.Next.UnixMilli() != due.UnixMilli() {
			e.Errorf("claimed %d, next %v, want none until %v", len(got.Jobs), got.Next, due)
		}
		if j := e.jobs()[0]; j.Error != "no luck" || j.Attempt != 1 {
			e.Errorf("got %+v", j)
		}
	}},
	{name: "a job that is put off keeps its place and loses no attempt", run: func(e *env) {
		c := e.work(jobPerChange)
		e.note("a", "b")
		first := c.take(e)
		e.must(e.s.PutOff(e.ctx(), first, time.Now().Add(-time.Second), "not yet"))
		e.wantStates("a:ready b:blocked")
		e.code(nestor.CodeLeaseLost, e.s.PutOff(e.ctx(), first, time.Now(), "again"))
		got, err := e.s.Claim(e.ctx(), 10)
		e.must(err)
		if len(got.Jobs) != 1 || got.Jobs[0].ID != first.ID || got.Jobs[0].Attempt != 1 || got.Jobs[0].Error != "not yet" {
			e.Errorf("claimed %+v", got.Jobs)
		}
	}},
	{name: "a job that a wrong clock put off by a day is due when the clock is right", run: func(e *env) {
		c := e.work(jobPerChange)
		e.note("a")
		e.must(e.s.Retry(e.ctx(), c.take(e), time.Now().Add(24*time.Hour+time.Second), "no luck"))
		if n, err := e.s.TakeOver(e.ctx()); n != 0 || err != nil {
			e.Errorf("took over %d, %v", n, err)
		}
		got, err := e.s.Claim(e.ctx(), 10)
		e.must(err)
		if len(got.Jobs) != 1 || got.Jobs[0].Attempt != 2 {
			e.Fatalf("claimed %+v", got)
		}
		again, err := e.s.Claim(e.ctx(), 10)
		e.must(err)
		if len(again.Jobs) != 0 {
			e.Errorf("claimed twice: %+v", again.Jobs)
		}
		e.must(e.s.Retry(e.ctx(), &got.Jobs[0], time.Now().Add(time.Hour), "no luck again"))
		_, err = e.s.TakeOver(e.ctx())
		e.must(err)
		if got, err = e.s.Claim(e.ctx(), 10); err != nil || len(got.Jobs) != 0 {
			e.Errorf("an hour is a pause like others: claimed %+v, %v", got.Jobs, err)
		}
	}},
	{name: "a second attempt is counted", run: func(e *env) {
		c := e.work(jobPerChange)
		e.note("a")
		first := c.take(e)
		e.must(e.s.Retry(e.ctx(), first, time.Now().Add(-time.Second), "again"))
		got, err := e.s.Claim(e.ctx(), 10)
		e.must(err)
		if len(got.Jobs) != 1 || got.Jobs[0].Attempt != 2 {
			e.Fatalf("claimed %+v", got.Jobs)
		}
		e.code(nestor.CodeLeaseLost, e.s.Complete(e.ctx(), first, nil)) // the first attempt is over
		e.must(e.s.Complete(e.ctx(), &got.Jobs[0], nil))
	}},
	{name: "the effects of a job and its completion are one transaction", run: func(e *env) {
		c := e.work(jobPerChange)
		e.note("a")
		j := c.take(e)
		err := e.s.Complete(e.ctx(), j, func(tx store.Tx) error {
			_, err := tx.Create("users/u1/out/x", raw(`not json`))
			return err
		})
		e.code(nestor.CodeInvalid, err)
		e.wantStates("a:running")
		e.must(e.s.Complete(e.ctx(), j, func(tx store.Tx) error {
			_, err := tx.Create("users/u9/out/x", raw(`{}`))
			return err
		}))
		e.wantStates("x:running")
		if e.get("users/u9/out/x") == nil {
			e.Error("the effect is missing")
		}
	}},
	{name: "a job that an effect queues for its own key runs next", run: func(e *env) {
		c := e.work(jobPerChange)
		e.note("a")
		a := c.take(e)
		e.must(e.s.Complete(e.ctx(), a, notes("b", "c")))
		e.wantStates("b:running c:blocked")
		b := c.take(e)
		if b.Change.Path.ID() != "b" || b.State != nestor.JobRunning || b.Owner != c.node || b.Attempt != 1 || b.ID == a.ID {
			e.Errorf("got %+v", b)
		}
		e.code(nestor.CodeLeaseLost, e.s.Complete(e.ctx(), a, notes("x")))
		e.must(e.s.Retry(e.ctx(), b, time.Now(), "try again"))
		e.wantStates("b:ready c:blocked")
	}},
	{name: "a job that an effect queues for its own key runs after those that wait", run: func(e *env) {
		queuedAfter(e, jobPerChange, "b:running c:blocked")
	}},
	{name: "a job that an effect queues for its own key coalesces with one that waits", run: func(e *env) {
		queuedAfter(e, coalescing, "b:running")
	}},
	{name: "a job that an effect queues for its own key waits if there is no room", run: func(e *env) {
		e.planner.jobs = jobPerChange
		var c claimed
		e.s.Observe(store.First, c.observe)
		room := true
		e.must(e.s.Join(e.ctx(), store.Lease{Node: "n1-" + nestor.NewID(), TTL: time.Hour, Accept: func(string) bool { return room }}))
		e.note("a")
		room = false
		e.must(e.s.Complete(e.ctx(), c.take(e), notes("b")))
		e.wantStates("b:ready")
	}},
	{name: "a job that is given up makes room for one that its effect queues", run: func(e *env) {
		c := e.work(jobPerChange)
		e.note("a")
		e.must(e.s.Bury(e.ctx(), c.take(e), "useless", notes("b")))
		e.wantStates("b:running")
		dead, err := e.s.Jobs(e.ctx(), store.JobFilter{State: nestor.JobDead})
		e.must(err)
		if len(dead) != 1 || dead[0].Change.Path.ID() != "a" || dead[0].Error != "useless" {
			e.Errorf("given up are %+v", dead)
		}
	}},
	{name: "a node that lost its job writes nothing", run: func(e *env) {
		c := e.work(jobPerChange)
		e.note("a")
		j := c.take(e)
		e.must(e.s.Leave(e.ctx()))
		e.wantStates("a:ready")
		e.join(e.s, "n2")
		effect := func(tx store.Tx) error {
			_, err := tx.Create("users/u9/out/x", raw(`{}`))
			return err
		}
		e.code(nestor.CodeLeaseLost, e.s.Complete(e.ctx(), j, notes("b")))
		e.code(nestor.CodeLeaseLost, e.s.Complete(e.ctx(), j, effect))
		e.code(nestor.CodeLeaseLost, e.s.Bury(e.ctx(), j, "x", effect))
		e.code(nestor.CodeLeaseLost, e.s.Retry(e.ctx(), j, time.Now(), "x"))
		if e.get("users/u9/out/x") != nil {
			e.Error("the effect was written")
		}
		e.wantStates("a:ready")
	}},
	{name: "what a handler writes on its way counts only while its job is ours", run: func(e *env) {
		c := e.work(jobPerChange)
		e.note("a")
		j := c.take(e)
		during := store.During(e.ctx(), j)
		create := func(id string) func(store.Tx) error {
			return func(tx store.Tx) error {
				_, err := tx.Create(nestor.Path("users/u9/out/"+id), raw(`{}`))
				return err
			}
		}
		// One that deletes runs by itself on PostgreSQL, one that creates with others.
		remove := func(tx store.Tx) error { return tx.Delete("users/u9/out/kept", 0) }
		e.must(e.s.Update(during, create("kept")))
		e.must(e.s.Update(during, create("gone")))
		e.must(e.s.Update(during, func(tx store.Tx) error { return tx.Delete("users/u9/out/gone", 0) }))
		e.must(e.s.Leave(e.ctx()))
		e.join(e.s, "n2")
		e.code(nestor.CodeLeaseLost, e.s.Update(during, create("late")))
		e.code(nestor.CodeLeaseLost, e.s.Update(during, remove))
		claimed, err := e.s.Claim(e.ctx(), 1)
		e.must(err)
		if len(claimed.Jobs) != 1 {
			e.Fatalf("claimed %v", claimed.Jobs)
		}
		e.code(nestor.CodeLeaseLost, e.s.Update(during, create("late"))) // it is ours again, in another attempt
		e.must(e.s.Update(store.During(e.ctx(), &claimed.Jobs[0]), create("next")))
		if e.get("users/u9/out/late") != nil || e.get("users/u9/out/kept") == nil || e.get("users/u9/out/next") == nil {
			e.Error("a lost job wrote, or one that is ours did not")
		}
	}},
	{name: "the jobs of a process that ended are taken over by the next", run: func(e *env) {
		e.planner.jobs = jobPerChange
		e.join(e.s, "n1")
		e.note("a", "b")
		e.must(e.s.Close()) // without Leave, as a crash would
		e.s = e.again()
		node := e.join(e.s, "n2")
		n, err := 0, error(nil)
		for n == 0 { // a server notices the end of a connection a moment later
			n, err = e.s.TakeOver(e.ctx())
			e.must(err)
		}
		if n != 1 {
			e.Errorf("took over %d jobs, want 1", n)
		}
		e.wantStates("a:ready b:blocked")
		got, err := e.s.Claim(e.ctx(), 10)
		e.must(err)
		if len(got.Jobs) != 1 || got.Jobs[0].Attempt != 2 || got.Jobs[0].Owner != node {
			e.Errorf("claimed %+v", got.Jobs)
		}
		if n, err = e.s.TakeOver(e.ctx()); n != 0 || err != nil {
			e.Errorf("a node took over its own jobs: %d, %v", n, err)
		}
	}},
	{name: "jobs that would do the same coalesce while they wait, never with one that runs", run: func(e *env) {
		c := e.work(coalescing)
		e.note("a", "b", "c", "d")
		e.wantStates("a:running b:blocked")
		e.must(e.s.Complete(e.ctx(), c.take(e), nil))
		e.wantStates("b:running")
		e.note("e")
		e.wantStates("b:running e:blocked")
	}},
	{name: "a buried job is kept with its reason and frees its key; reviving queues it last", run: func(e *env) {
		c := e.work(jobPerChange)
		e.note("a", "b", "c")
		j := c.take(e)
		e.must(e.s.Bury(e.ctx(), j, "hopeless", func(tx store.Tx) error {
			_, err := tx.Create("users/u9/failed/a", raw(`{}`))
			return err
		}))
		if e.get("users/u9/failed/a") == nil {
			e.Error("the effect of burying is missing")
		}
		dead, err := e.s.Jobs(e.ctx(), store.JobFilter{State: nestor.JobDead})
		e.must(err)
		if len(dead) != 1 || dead[0].ID != j.ID || dead[0].Error != "hopeless" || dead[0].Owner != "" {
			e.Fatalf("dead: %+v", dead)
		}
		e.must(e.s.Revive(e.ctx(), j.ID))
		e.wantStates("b:running c:blocked a:running a:blocked") // the other a is the effect's own job
		e.code(nestor.CodeNotFound, e.s.Revive(e.ctx(), j.ID))
		e.code(nestor.CodeNotFound, e.s.Revive(e.ctx(), "none"))
	}},
	{name: "the attempts at a job that failed are kept, the newest ones", run: func(e *env) {
		c := e.work(jobPerChange)
		e.note("a")
		j := c.take(e)
		for i := range store.KeptAttempts + 2 {
			j.BeganAt = int64(1000 + i)
			e.must(e.s.Retry(e.ctx(), j, time.Now().Add(-time.Second), fmt.Sprintf("no luck \x00 \"%d\" ☺", i+1)))
			got, err := e.s.Claim(e.ctx(), 1)
			e.must(err)
			if len(got.Jobs) != 1 {
				e.Fatalf("claimed %+v", got)
			}
			j = &got.Jobs[0]
		}
		e.must(e.s.PutOff(e.ctx(), j, time.Now().Add(-time.Second), "not yet \x00\xff")) // is no attempt
		got, err := e.s.Claim(e.ctx(), 1)
		e.must(err)
		j = &got.Jobs[0]
		before := nestor.Millis(time.Now())
		e.must(e.s.Bury(e.ctx(), j, strings.Repeat("ü", 2000), nil))
		e.must(e.s.Revive(e.ctx(), j.ID))
		kept := e.jobs()[0].Attempts
		if len(kept) != store.KeptAttempts {
			e.Fatalf("%d attempts are kept: %+v", len(kept), kept)
		}
		if first := kept[0]; first.Attempt != 4 || first.Node != c.node || first.BeganAt != 1003 || first.Error != `no luck  "4" ☺` {
			e.Errorf("the oldest that is kept is %+v", first)
		}
		if last := kept[len(kept)-1]; last.Attempt != store.KeptAttempts+3 || last.EndedAt < before || last.BeganAt != 0 || last.Error != strings.Repeat("ü", 1000) {
			e.Errorf("the newest is %+v", last)
		}
	}},
	{name: "an attempt that was interrupted is kept, and none with another job that follows", run: func(e *env) {
		c := e.work(jobPerChange)
		e.note("a")
		c.take(e)
		e.must(e.s.Leave(e.ctx()))
		if kept := e.jobs()[0].Attempts; len(kept) != 1 || kept[0].Attempt != 1 || kept[0].Node != c.node || kept[0].EndedAt == 0 ||
			kept[0].Error != store.Interrupted+c.node {
			e.Errorf("kept are %+v", kept)
		}
		e.join(e.s, "n2")
		got, err := e.s.Claim(e.ctx(), 1)
		e.must(err)
		e.must(e.s.Complete(e.ctx(), &got.Jobs[0], notes("b"))) // takes the row of a
		if jobs := e.jobs(); len(jobs) != 1 || jobs[0].Change.Path.ID() != "b" || len(jobs[0].Attempts) != 0 {
			e.Errorf("left is %+v", jobs)
		}
	}},
	{name: "a dead letter can be discarded, and no other job", run: func(e *env) {
		c := e.work(jobPerChange)
		e.note("a", "b")
		j := c.take(e)
		e.code(nestor.CodeNotFound, e.s.Discard(e.ctx(), j.ID))
		e.must(e.s.Bury(e.ctx(), j, "x", nil))
		e.must(e.s.Discard(e.ctx(), j.ID))
		e.code(nestor.CodeNotFound, e.s.Discard(e.ctx(), j.ID))
		e.code(nestor.CodeNotFound, e.s.Revive(e.ctx(), j.ID))
		e.wantStates("b:running")
	}},
	{name: "jobs are listed of one tenant", run: func(e *env) {
		e.planner.jobs = jobPerChange
		e.join(e.s, "n1")
		for _, p := range []nestor.Path{"users/u1/notes/a", "users/u10/notes/b", "users/u1/notes/c"} {
			e.create(p, raw(`{}`))
		}
		jobs, err := e.s.Jobs(e.ctx(), store.JobFilter{Tenant: "users/u1"})
		e.must(err)
		if len(jobs) != 2 || jobs[0].Change.Path.ID() != "a" || jobs[1].Change.Path.ID() != "c" {
			e.Errorf("listed are %+v", jobs)
		}
	}},
	{name: "a revived job of a free key starts over", run: func(e *env) {
		c := e.work(jobPerChange)
		e.note("a")
		j := c.take(e)
		e.must(e.s.Bury(e.ctx(), j, "x", nil))
		e.must(e.s.Revive(e.ctx(), j.ID))
		got, err := e.s.Claim(e.ctx(), 1)
		e.must(err)
		if len(got.Jobs) != 1 || got.Jobs[0].Attempt != 1 || got.Jobs[0].Error != "" {
			e.Errorf("claimed %+v", got.Jobs)
		}
	}},
	{name: "documents that the planner leaves in a job come back with it", run: func(e *env) {
		e.planner.jobs = func(ev *store.Event) []nestor.Job {
			jobs := jobPerChange(ev)
			jobs[0].Change = ev.Change
			return jobs
		}
		chat := e.chat("u1", "c1")
		e.put(chat, nestor.Chat{Title: "Renamed"})
		jobs := e.jobs()
		before, err := nestor.As[nestor.Chat](jobs[1].Change.Before)
		e.must(err)
		after, err := nestor.As[nestor.Chat](jobs[1].Change.After)
		e.must(err)
		if before.Title != "A chat" || after.Title != "Renamed" || after.UserID != "u1" || after.Version != 2 {
			e.Errorf("before %+v after %+v", before, after)
		}
	}},
	{name: "jobs are counted by state and listed by trigger", run: func(e *env) {
		e.planner.jobs = func(ev *store.Event) []nestor.Job {
			jobs := jobPerChange(ev)
			jobs[0].Trigger = ev.Path.ID()
			return jobs
		}
		e.join(e.s, "n1")
		e.note("a", "b", "c")
		counts, err := e.s.CountJobs(e.ctx())
		e.must(err)
		if fmt.Sprint(counts) != "map[blocked:2 running:1]" {
			e.Errorf("counts %v", counts)
		}
		jobs, err := e.s.Jobs(e.ctx(), store.JobFilter{Trigger: "b"})
		e.must(err)
		if len(jobs) != 1 || jobs[0].Trigger != "b" {
			e.Errorf("jobs %+v", jobs)
		}
		after := []string{}
		for f := (store.JobFilter{Limit: 1}); ; f.After = jobs[0].Number {
			if jobs, err = e.s.Jobs(e.ctx(), f); err != nil || len(jobs) == 0 {
				break
			}
			after = append(after, jobs[0].Trigger)
		}
		if e.must(err); fmt.Sprint(after) != "[a b c]" {
			e.Errorf("one after the other the jobs are %v", after)
		}
	}},
	{name: "jobs that end at once do not hurt each other", run: func(e *env) {
		c := e.work(jobPerChange)
		for i := range 40 {
			e.create(nestor.Path(fmt.Sprintf("users/u%d/notes/n%d", i, i)), raw(`{}`))
		}
		results := make(chan error, 40)
		for i, j := range c.jobs {
			if i%4 == 0 {
				j.Attempt = 9 // not ours
			}
			go func() { results <- e.s.Complete(e.ctx(), &j, nil) }()
		}
		lost := 0
		for range 40 {
			if err := <-results; err != nil {
				e.code(nestor.CodeLeaseLost, err)
				lost++
			}
		}
		if n := len(e.jobs()); lost != 10 || n != 10 {
			e.Errorf("%d were refused and %d are left, want 10 and 10", lost, n)
		}
	}},
	{name: "many commits on one key lose no job and keep their order", run: func(e *env) {
		c := e.work(jobPerChange)
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() { e.note(fmt.Sprintf("n%02d", i)) })
		}
		wg.Wait()
		var seqs []int64
		for range 50 {
			j := c.take(e)
			seqs = append(seqs, j.Change.Seq)
			e.must(e.s.Complete(e.ctx(), j, nil))
		}
		e.wantStates("")
		if !slices.IsSorted(seqs) && e.serial() {
			e.Errorf("ran in the order %v", seqs)
		}
	}},
}

// queuedAfter has a job of a queue where another one waits queue a third.
func queuedAfter(e *env, jobs func(*store.Event) []nestor.Job, want string) {
	c := e.work(jobs)
	e.note("a", "b")
	e.must(e.s.Complete(e.ctx(), c.take(e), notes("c")))
	e.wantStates(want)
	if b := c.take(e); b.Change.Path.ID() != "b" || b.Attempt != 1 {
		e.Errorf("got %+v", b)
	}
}

// serial reports whether commits happen in the order of seq, which the engine
// with one writer promises. Elsewhere a key's order is that of commits.
func (e *env) serial() bool { return e.s.Wake() == nil }
