package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// withRuns has every message of a person begin a run.
var withRuns = store.Options{Rules: store.Rules{Runs: &store.Runs{Check: "check", Begin: func(p nestor.Path, fields map[string]any) *nestor.Run {
	if fields["role"] != "user" {
		return nil
	}
	return &nestor.Run{Root: p[len("users/u1/"):]}
}}}}

// jobPerMessage queues a job for every new message, with a key of its own.
func jobPerMessage(e *store.Event) []nestor.Job {
	if e.Type != nestor.Create || !store.Messages.Has(e.Path) {
		return nil
	}
	jobs := jobPerChange(e)
	jobs[0].Key = string(e.Path)
	return jobs
}

const inChat nestor.Path = "users/u1/orch-chats/c1"

func message(id string) nestor.Path { return inChat.Child("messages", id) }

func (e *env) says(s store.Store, id string) {
	e.Helper()
	e.must(s.Update(e.ctx(), func(tx store.Tx) error {
		_, err := tx.Create(message(id), raw(`{"role":"user","content":"x"}`))
		return err
	}))
}

func (e *env) runOf(id string) string {
	e.Helper()
	var is struct{ RunID string }
	d := e.get(message(id))
	e.must(d.Decode(&is))
	return is.RunID
}

func answering(ids ...string) func(store.Tx) error {
	return func(tx store.Tx) error {
		for _, id := range ids {
			if _, err := tx.Create(message(id), raw(`{"role":"assistant","content":"x"}`)); err != nil {
				return err
			}
		}
		return nil
	}
}

var runTests = []test{
	{name: "what a job of a run writes and causes is part of the run", opts: withRuns, run: func(e *env) {
		c := e.work(jobPerMessage)
		e.create(inChat, raw(`{}`))
		e.says(e.s, "m1")
		j := c.take(e)
		if j.Run != "users/u1/runs/m1" || e.runOf("m1") != "m1" {
			e.Errorf("the job is part of %q, the message of %q", j.Run, e.runOf("m1"))
		}
		e.must(e.s.Complete(e.ctx(), j, answering("a1")))
		if next := c.take(e); next.Run != j.Run || next.Trigger != "t" || e.runOf("a1") != "m1" {
			e.Errorf("the next job is %+v, the answer is part of %q", next, e.runOf("a1"))
		}
	}},
	{name: "nobody outside says which run a document is part of", opts: withRuns, run: func(e *env) {
		e.create(inChat, raw(`{}`))
		e.must(e.s.Update(store.FromOutside(e.ctx()), func(tx store.Tx) error {
			_, err := tx.Create(message("m1"), raw(`{"role":"user","content":"x","runId":"other"}`))
			return err
		}))
		e.must(e.s.Update(store.FromOutside(e.ctx()), func(tx store.Tx) error {
			_, err := tx.Put(message("m1"), raw(`{"role":"user","content":"y","runId":"other"}`), store.AnyVersion)
			return err
		}))
		if got := e.runOf("m1"); got != "m1" {
			e.Errorf("the message is part of %q", got)
		}
	}},
	{name: "a run stays within the reach of each request that has a part in it", opts: withRuns, run: func(e *env) {
		e.create(inChat, raw(`{}`))
		one, two := nestor.Reach{Patterns: []nestor.Glob{"users/u1/**"}}, nestor.Reach{Key: "users/u1/keys/k", Until: 1}
		begins := store.Within(e.ctx(), one)
		e.must(e.s.Update(begins, func(tx store.Tx) error {
			_, err := tx.Create(message("m1"), raw(`{"role":"user","content":"x"}`))
			return err
		}))
		e.says(e.s, "m2")
		if a, b := e.reachOf("m1"), e.reachOf("m2"); len(a) != 1 || !a[0].Equal(one) || len(b) != 0 {
			e.Fatalf("the runs reach %v and %v", a, b)
		}
		for range 2 { // the second time changes nothing
			e.must(e.s.Update(store.Within(e.ctx(), one, two), func(tx store.Tx) error {
				_, err := tx.Patch(message("m1"), raw(`{"content":"y"}`), store.AnyVersion)
				return err
			}))
		}
		if a := e.reachOf("m1"); len(a) != 2 || !a[1].Equal(two) {
			e.Errorf("the run reaches %v", a)
		}
	}},
	{name: "a run stays within the reach of another whose handler has a part in it", opts: withRuns, run: func(e *env) {
		c := e.work(jobPerMessage)
		e.create(inChat, raw(`{}`))
		e.says(e.s, "m1")
		c.take(e)
		one := nestor.Reach{Patterns: []nestor.Glob{"users/u1/**"}}
		e.must(e.s.Update(store.Within(e.ctx(), one), func(tx store.Tx) error {
			_, err := tx.Create(message("m2"), raw(`{"role":"user","content":"x"}`))
			return err
		}))
		e.must(e.s.Complete(e.ctx(), c.take(e), func(tx store.Tx) error {
			if _, err := tx.Create(message("a2"), raw(`{"role":"assistant","content":"x"}`)); err != nil {
				return err
			}
			_, err := tx.Patch(message("m1"), raw(`{"content":"y"}`), store.AnyVersion)
			return err
		}))
		if a, b := e.reachOf("m1"), e.reachOf("m2"); len(a) != 1 || !a[0].Equal(one) || len(b) != 1 {
			e.Errorf("the runs reach %v and %v", a, b)
		}
	}},
	{name: "messages of two chats with the same id begin two runs", opts: withRuns, run: func(e *env) {
		e.create(inChat, raw(`{}`))
		e.create("users/u1/orch-chats/c2", raw(`{}`))
		e.says(e.s, "m1")
		other := e.create("users/u1/orch-chats/c2/messages/m1", raw(`{"role":"user","content":"x"}`))
		var is struct{ RunID string }
		e.must(other.Decode(&is))
		if e.runOf("m1") != "m1" || is.RunID == "m1" || is.RunID == "" {
			e.Errorf("the runs are %q and %q", e.runOf("m1"), is.RunID)
		}
		e.get(nestor.Path("users/u1/runs/" + is.RunID))
	}},
	{name: "a run that causes nothing is looked at at once", opts: withRuns, run: func(e *env) {
		c := e.work(func(*store.Event) []nestor.Job { return nil })
		e.create(inChat, raw(`{}`))
		e.says(e.s, "m1")
		if j := c.take(e); j.Trigger != "check" || j.Change.Path != "users/u1/runs/m1" || j.Run != "" {
			e.Errorf("got %+v", j)
		}
	}},
	{name: "a job that dies may be the last of its run", opts: withRuns, run: func(e *env) {
		c := e.work(jobPerMessage)
		e.create(inChat, raw(`{}`))
		e.says(e.s, "m1")
		e.must(e.s.Bury(e.ctx(), c.take(e), "no", nil))
		if j := c.take(e); j.Trigger != "check" {
			e.Errorf("got %+v", j)
		}
		if busy, err := e.s.Busy(e.ctx(), "users/u1/runs/m1"); busy || err != nil {
			e.Errorf("busy: %t, %v", busy, err)
		}
	}},
	{name: "of jobs that end at once, in whatever tree, the last has its run looked at, once", opts: withRuns, run: func(e *env) {
		randomTrees(e)
	}},
}

// reachOf is the reach of a run.
func (e *env) reachOf(id string) []nestor.Reach {
	e.Helper()
	var run nestor.Run
	e.must(e.get(nestor.Path("users/u1/runs/" + id)).Decode(&run))
	return run.Reach
}

// randomTrees has many jobs of a few runs end at the same time, each causing up to three
// others.
func randomTrees(e *env) {
	const runs, most = 6, 40
	var mu sync.Mutex
	started, ended, checks := map[nestor.Path]int{}, map[nestor.Path]int{}, map[nestor.Path]int{}
	var next atomic.Int64
	var all sync.WaitGroup
	random := rand.New(rand.NewPCG(1, 2))
	e.planner.jobs = jobPerMessage
	do := func(j nestor.Job) {
		defer all.Done()
		if j.Trigger == "check" {
			busy, err := e.s.Busy(e.ctx(), j.Change.Path)
			mu.Lock()
			if run := j.Change.Path; err != nil || busy || started[run] != ended[run] {
				e.Errorf("%s is looked at with %d of %d jobs ended, busy: %t, %v", run, ended[run], started[run], busy, err)
			}
			checks[j.Change.Path]++
			mu.Unlock()
			if err := e.s.Complete(e.ctx(), &j, nil); err != nil {
				e.Error(err)
			}
			return
		}
		mu.Lock()
		var ids []string
		for n := random.IntN(4); n > 0 && started[j.Run] < most; n-- {
			ids = append(ids, fmt.Sprintf("a%d", next.Add(1)))
			started[j.Run]++
		}
		dies := len(ids) == 0 && random.IntN(4) == 0
		// It counts as ended before it commits: a check that sees the commit must not
		// find it uncounted.
		ended[j.Run]++
		mu.Unlock()
		var err error
		if dies {
			err = e.s.Bury(e.ctx(), &j, "no", nil)
		} else {
			err = e.s.Complete(e.ctx(), &j, answering(ids...))
		}
		if err != nil {
			e.Error(err)
		}
	}
	e.s.Observe(store.First, func(c store.Commit) {
		for _, j := range c.Claimed {
			all.Add(1)
			go do(j)
		}
	})
	e.join(e.s, "n1")
	e.create(inChat, raw(`{}`))
	var begun []nestor.Path
	for i := range runs {
		run := nestor.Path(fmt.Sprintf("users/u1/runs/m%d", i))
		begun = append(begun, run)
		mu.Lock()
		started[run] = 1
		mu.Unlock()
	}
	all.Add(1)
	for i := range runs {
		e.says(e.s, fmt.Sprintf("m%d", i))
	}
	all.Done()
	all.Wait()
	for _, run := range begun {
		if checks[run] != 1 {
			e.Errorf("%s of %d jobs was looked at %d times", run, started[run], checks[run])
		}
	}
	if left := slices.DeleteFunc(e.jobs(), func(j nestor.Job) bool { return j.State == nestor.JobDead }); len(left) > 0 {
		e.Errorf("%d jobs are left", len(left))
	}
}
