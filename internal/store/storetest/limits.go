package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// limited joins a node with limits, which takes what it may at commits, too.
func (e *env) limited(s store.Store, limits store.Limits) *claimed {
	e.Helper()
	c := &claimed{node: "n-" + nestor.NewID()}
	s.Observe(store.First, c.observe)
	e.must(s.Join(e.ctx(), store.Lease{Node: c.node, TTL: time.Hour, Accept: func(string) bool { return true }, Limits: limits}))
	return c
}

// wantTaken fails unless commits claimed so many jobs since the last call.
func (c *claimed) wantTaken(e *env, want int) {
	e.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.jobs) != want {
		e.Fatalf("commits claimed %d jobs, want %d", len(c.jobs), want)
	}
	c.jobs = nil
}

// pick takes any of the jobs, nil if there is none.
func (c *claimed) pick() *nestor.Job {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.jobs) == 0 {
		return nil
	}
	i := rand.IntN(len(c.jobs))
	j := c.jobs[i]
	c.jobs = slices.Delete(c.jobs, i, i+1)
	return &j
}

// creates is an effect that makes documents.
func creates(paths ...nestor.Path) func(store.Tx) error {
	return func(tx store.Tx) error {
		for _, p := range paths {
			if _, err := tx.Create(p, raw(`{}`)); err != nil {
				return err
			}
		}
		return nil
	}
}

// says is an effect that makes messages.
func says(paths ...nestor.Path) func(store.Tx) error {
	return func(tx store.Tx) error {
		for _, p := range paths {
			if _, err := tx.Create(p, nestor.Message{Role: nestor.RoleUser}); err != nil {
				return err
			}
		}
		return nil
	}
}

// inAccount makes a chat that belongs to an account.
func (e *env) inAccount(user, id, account string) nestor.Path {
	e.Helper()
	p := nestor.Path("users/" + user + "/orch-chats/" + id)
	e.create(p, nestor.Chat{AccountID: account})
	return p
}

// jobPerPiece queues one job for every message and note, each with a key of its own.
func jobPerPiece(e *store.Event) []nestor.Job {
	if store.Chats.Has(e.Path) || e.Path.Collection() == store.AccountLimits {
		return nil
	}
	return jobPerDocument(e)
}

var limitTests = []test{
	{name: "no more jobs of a user run than may, and nobody else waits for that", run: func(e *env) {
		e.planner.jobs = jobPerDocument
		at := e.limited(e.s, store.Limits{Tenant: 2})
		e.waits("a", 10)
		at.wantTaken(e, 0) // a commit does not know how many run elsewhere
		_, got := e.claims(e.s, 10)
		if len(got.Jobs) != 2 || got.More || !got.Next.IsZero() {
			e.Fatalf("claimed %d jobs, more %v, next %v", len(got.Jobs), got.More, got.Next)
		}
		first, second := got.Jobs[0], got.Jobs[1]
		e.waits("b", 3)
		e.wantClaims(e.s, 10, "b:2")
		full, err := e.s.AtLimit(e.ctx())
		e.must(err)
		slices.SortFunc(full, func(a, b store.AtLimit) int { return len(a.ID) - len(b.ID) + int(a.ID[6]) - int(b.ID[6]) })
		if want := []store.AtLimit{{Of: store.OfUser, ID: "users/a", Limit: 2}, {Of: store.OfUser, ID: "users/b", Limit: 2}}; !slices.Equal(full, want) {
			e.Errorf("at their limit are %v, want %v", full, want)
		}
		e.must(e.s.Complete(e.ctx(), &first, nil))
		e.wantClaims(e.s, 10, "a:1")
		e.must(e.s.Retry(e.ctx(), &second, time.Now().Add(time.Hour), "later"))
		e.wantClaims(e.s, 10, "a:1")
		e.wantClaims(e.s, 10, "")
	}},
	{name: "a place is handed to what its job causes, once", run: func(e *env) {
		e.planner.jobs = jobPerDocument
		at := e.limited(e.s, store.Limits{Tenant: 1})
		e.waits("a", 1)
		_, got := e.claims(e.s, 10)
		e.must(e.s.Complete(e.ctx(), &got.Jobs[0], creates("users/a/notes/x", "users/a/notes/y", "users/b/notes/z")))
		next := at.take(e)
		if next.Change.Path.Tenant() != "users/a" || next.Place == nil || next.Place.Tenant != "users/a" {
			e.Errorf("the job of %s runs in the place %v", next.Change.Path, next.Place)
		}
		e.wantClaims(e.s, 10, "b:1")
		e.must(e.s.Bury(e.ctx(), next, "given up", nil))
		e.wantClaims(e.s, 10, "a:1")
	}},
	{name: "a place goes on to the next of its key, if that is about the same", run: func(e *env) {
		e.planner.jobs = func(ev *store.Event) []nestor.Job {
			jobs := jobPerChange(ev)
			jobs[0].Key = "one"
			return jobs
		}
		at := e.limited(e.s, store.Limits{Tenant: 5})
		e.update(creates("users/a/in/one/parts/1", "users/a/in/one/parts/2", "users/b/in/one/parts/3", "users/b/in/one/parts/4"))
		_, got := e.claims(e.s, 10)
		e.must(e.s.Complete(e.ctx(), &got.Jobs[0], nil))
		second := at.take(e)
		e.wantStates("2:running 3:blocked 4:blocked")
		e.must(e.s.Complete(e.ctx(), second, nil))
		e.wantStates("3:ready 4:blocked")
		_, got = e.claims(e.s, 10)
		e.must(e.s.Complete(e.ctx(), &got.Jobs[0], creates("users/b/in/one/parts/5")))
		fourth := at.take(e)
		e.wantStates("4:running 5:blocked")
		e.must(e.s.Complete(e.ctx(), fourth, nil))
		fifth := at.take(e)
		e.must(e.s.Complete(e.ctx(), fifth, creates("users/b/in/one/parts/6"))) // in the row of the fifth
		sixth := at.take(e)
		if sixth.Place == nil || sixth.Place.Tenant != "users/b" {
			e.Errorf("the place is %v", sixth.Place)
		}
		e.must(e.s.Complete(e.ctx(), sixth, creates("users/a/in/one/parts/7")))
		e.wantStates("7:ready")
	}},
	{name: "the limit of an account counts the jobs of all its chats", run: func(e *env) {
		e.planner.jobs = jobPerPiece
		at := e.limited(e.s, store.Limits{})
		team, also, own := e.inAccount("a", "c1", "acme"), e.inAccount("b", "c2", "acme"), e.inAccount("a", "c3", "")
		e.create(store.AccountLimits+"/acme", store.AccountLimit{Jobs: 2})
		e.must(e.s.Renew(e.ctx())) // which tells of it
		e.update(says(team.Child("messages", "m1"), team.Child("messages", "m2"), team.Child("messages", "m3"), also.Child("messages", "m4"), own.Child("messages", "m5")))
		_, got := e.claims(e.s, 10)
		by := map[string]nestor.Job{}
		for _, j := range got.Jobs {
			by[j.Change.Path.ID()] = j
		}
		if len(by) != 3 || by["m1"].ID == "" || by["m2"].ID == "" || by["m5"].ID == "" {
			e.Fatalf("claimed %v, want m1, m2 and m5", got.Jobs)
		}
		full, err := e.s.AtLimit(e.ctx())
		e.must(err)
		if want := []store.AtLimit{{Of: store.OfAccount, ID: "acme", Limit: 2}}; !slices.Equal(full, want) {
			e.Errorf("at their limit are %v, want %v", full, want)
		}
		m5 := by["m5"]
		e.must(e.s.Complete(e.ctx(), &m5, says(own.Child("messages", "m6"), own.Child("messages", "m7"))))
		at.wantTaken(e, 2) // who has no limit needs no claim
		m1, m2 := by["m1"], by["m2"]
		e.must(e.s.Complete(e.ctx(), &m1, says(team.Child("messages", "m8"))))
		m8 := at.take(e)
		e.must(e.s.Complete(e.ctx(), m8, says(also.Child("messages", "m9")))) // of another user
		at.wantTaken(e, 0)
		e.wantClaims(e.s, 10, "b:1") // a had the last one
		e.must(e.s.Complete(e.ctx(), &m2, nil))
		e.wantClaims(e.s, 10, "a:1")
		e.put(store.AccountLimits+"/acme", store.AccountLimit{Jobs: 3})
		e.wantClaims(e.s, 10, "b:1")
	}},
	{name: "accounts have the limit that all have, unless they have their own", run: func(e *env) {
		e.planner.jobs = jobPerPiece
		e.limited(e.s, store.Limits{Account: 1})
		e.create(store.AccountLimits+"/large", store.AccountLimit{Jobs: 2})
		small, large := e.inAccount("a", "c1", "small"), e.inAccount("b", "c2", "large")
		for i := range 3 {
			id := fmt.Sprintf("m%d", i)
			e.update(says(small.Child("messages", id), large.Child("messages", id)))
		}
		e.wantClaims(e.s, 10, "a:1 b:2")
	}},
	{name: "limits hold whatever several nodes do at once", run: func(e *env) {
		const tenantLimit, accountLimit = 3, 4
		e.planner.jobs = jobPerPiece
		limits := store.Limits{Tenant: tenantLimit, Account: accountLimit}
		stores := []store.Store{e.s}
		if e.s.Left() != nil { // there can be others
			stores = append(stores, e.again())
		}
		var chats []nestor.Path
		for _, user := range []string{"a", "b"} {
			for _, chat := range []string{"c1", "c2"} {
				chats = append(chats, e.inAccount(user, chat, map[string]string{"c1": "acme"}[chat]))
			}
		}
		most := map[string]int{}
		var mu sync.Mutex
		look := func() {
			running := map[string]int{}
			for _, j := range e.jobs() {
				if j.State != nestor.JobRunning {
					continue
				}
				running[j.Change.Path.Tenant()]++
				if j.Change.Path.Parent().ID() == "c1" {
					running["acme"]++
				}
			}
			mu.Lock()
			defer mu.Unlock()
			for who, n := range running {
				most[who] = max(most[who], n)
			}
		}
		var nodes sync.WaitGroup
		for _, s := range stores {
			at := e.limited(s, limits)
			for range 3 {
				nodes.Go(func() {
					for range 60 {
						message := func() nestor.Path { return chats[rand.IntN(len(chats))].Child("messages", nestor.NewID()) }
						var err error
						switch rand.IntN(4) {
						case 0:
							var got store.Claimed
							got, err = s.Claim(e.ctx(), 1+rand.IntN(5))
							at.observe(store.Commit{Claimed: got.Jobs})
						case 1:
							if j := at.pick(); j != nil {
								err = s.PutOff(e.ctx(), j, time.Now(), "for a test")
							}
						default:
							if j := at.pick(); j != nil {
								err = s.Complete(e.ctx(), j, says(message(), message()))
							} else {
								err = s.Update(e.ctx(), says(message(), message()))
							}
						}
						if err != nil {
							e.Error(err)
						}
						look()
					}
				})
			}
		}
		nodes.Wait()
		// Others of an account may have had no place left, so its limit may not have been reached.
		for who, limit := range map[string]int{"users/a": tenantLimit, "users/b": tenantLimit, "acme": accountLimit} {
			if most[who] > limit {
				e.Errorf("%d jobs of %s ran at once, want at most %d", most[who], who, limit)
			}
		}
		for _, user := range []string{"a", "b"} { // of chats in no account there is always one to run
			for range tenantLimit {
				e.update(says(nestor.Path("users/"+user+"/orch-chats/c2").Child("messages", nestor.NewID())))
			}
		}
		for _, s := range stores {
			_, err := s.Claim(e.ctx(), 10)
			e.must(err)
		}
		look()
		for _, who := range []string{"users/a", "users/b"} {
			if most[who] != tenantLimit {
				e.Errorf("%d jobs of %s ran at once, want %d", most[who], who, tenantLimit)
			}
		}
	}},
}
