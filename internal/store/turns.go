package store

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
)

// Turns says whose jobs a node claims next: the tenants that wait take turns, in
// the order of their names, each with as many jobs a turn as its weight. So what
// a tenant waits for depends on how many tenants there are, never on how
// many jobs the others have. A turn that one claim has no room to finish goes on
// in the next.
//
// Nodes that go round in the same order meet: what one of them sees, another has claimed
// before it asks. A node that meets others begins its next claims at random places
// of the round instead. Then every tenant is as likely to be next as any other; alone, the turns are
// exact.
//
// The zero value begins with the first tenant.
type Turns struct {
	after  string // the tenant whose turn ended last
	now    string // the tenant whose turn is under way,
	left   int    // with so many jobs to come
	random int    // claims to come that begin at a random place
	barren bool   // nobody who was looked at could be served
}

// afterMeeting is for how many claims a node that met others begins at random places.
const afterMeeting = 64

// Waiting is a tenant with jobs that are ready.
type Waiting struct {
	Tenant string
	RunAt  int64 // of its first job
	Room   int   // how many jobs more it may run now: see [Limits]
}

// Take is how many jobs of a tenant are to be claimed.
type Take struct {
	Tenant string
	Jobs   int
	most   bool // it may run no more than these
}

// Allotment is what one claim does.
type Allotment struct {
	Takes []Take
	// Next is when to look again if there is nothing to take, zero for nobody knows.
	Next time.Time

	then   Turns
	beyond bool // others wait, too
}

// How many tenants one claim looks at: enough to find some that others do not claim
// in the same moment, and more if there is room for more.
const (
	minWalk = 64
	MaxWalk = 256
)

// Walk is how many tenants to list for a claim of so many jobs.
func (t Turns) Walk(limit int) int {
	if t.barren {
		return MaxWalk
	}
	return min(max(4*limit, minWalk), MaxWalk)
}

// After is where to begin the list of tenants that [Turns.Allot] needs.
func (t Turns) After() string { return t.after }

// Allot divides room for limit jobs among the tenants that wait: all of them,
// beginning after [Turns.After] and round to it again, or the first of them, as many as
// [Turns.Walk] says, which then have one turn each.
func (t Turns) Allot(waiting []Waiting, limit int, now time.Time, weight func(tenant string) int) Allotment {
	due, next, weights := allDue(waiting, now, weight)
	a := Allotment{Next: next, then: t}
	a.then.barren = len(due) == 0
	turns := 1 << 30
	if len(waiting) == t.Walk(limit) {
		a.Next, a.beyond, turns = now, true, len(due)
		if len(due) == 0 {
			a.then.after, a.then.now = waiting[len(waiting)-1].Tenant, ""
		}
	}
	if len(due) == 0 {
		return a
	}
	if t.random > 0 {
		a.then.random--
		if due[0].tenant != t.now {
			at := rand.IntN(len(due))
			due = slices.Concat(due[at:], due[:at])
		}
	}
	jobs := make([]int, len(due))
	give := func(i, weight int) bool {
		got := min(weight, limit)
		jobs[i] += got
		limit -= got
		if got < weight {
			a.then.now, a.then.left = due[i].tenant, weight-got
			return false
		}
		a.then.after, a.then.now = due[i].tenant, ""
		return true
	}
	first := 0
	if due[0].tenant == t.now && give(0, t.left) {
		first = 1
	}
	if rounds := limit / weights; !a.beyond { // all at once
		for i, d := range due {
			jobs[i] += d.weight * rounds
		}
		limit -= weights * rounds
	}
	for i := first; limit > 0 && i < turns; i++ {
		give(i%len(due), due[i%len(due)].weight)
	}
	for i, d := range due {
		take := min(jobs[i], d.room)
		if take == 0 {
			a.beyond = true
			continue
		}
		a.Takes = append(a.Takes, Take{d.tenant, take, take == d.room})
	}
	return a
}

// More reports whether jobs that are due may be left when these were claimed.
func (a Allotment) More(claimed []nestor.Job) bool {
	got := countByTenant(claimed)
	for _, t := range a.Takes {
		if got[t.Tenant] == t.Jobs && !t.most {
			return true
		}
	}
	return a.beyond
}

// Then are the turns that are left when these were claimed. Who saw jobs and got none
// has met others, and goes on elsewhere: after a tenant that it worked for lately. Of the
// places that it has just seen, the others know, too.
func (a Allotment) Then(claimed []nestor.Job, lately *Lately) Turns {
	if len(a.Takes) > 0 && len(claimed) == 0 {
		a.then.random = afterMeeting
		if tenant := lately.any(); tenant != "" {
			a.then.after, a.then.now = tenant, ""
		}
	}
	return a.then
}

// After are the turns that are left when these were claimed and jobs of others may have been
// passed over, for want of places that tenants share. Next is who comes after the last that was
// served, so that of those who wait for the same places each has its turn. Who got none has
// not met others: there were no places.
func (a Allotment) After(claimed []nestor.Job) Turns {
	if n := len(claimed); n > 0 {
		a.then.after, a.then.now = claimed[n-1].Change.Path.Tenant(), ""
	}
	return a.then
}

// Bounded reports whether somebody may wait who can run no more jobs until one ends: a tenant,
// or, with limits of accounts, an account whose jobs were passed over.
func (a Allotment) Bounded(waiting []Waiting, claimed []nestor.Job, accounts bool) bool {
	got := countByTenant(claimed)
	for _, t := range a.Takes {
		if got[t.Tenant] < t.Jobs && accounts || got[t.Tenant] == t.Jobs && t.most {
			return true
		}
	}
	return slices.ContainsFunc(waiting, func(w Waiting) bool { return w.Room <= 0 })
}

func countByTenant(jobs []nestor.Job) map[string]int {
	got := map[string]int{}
	for i := range jobs {
		got[jobs[i].Change.Path.Tenant()]++
	}
	return got
}

// turn is that of a tenant whose jobs are due.
type turn struct {
	tenant       string
	weight, room int
}

// allDue finds the tenants that can be served now, and when the first of the others
// is due.
func allDue(waiting []Waiting, now time.Time, weight func(string) int) (due []turn, next time.Time, weights int) {
	for _, w := range waiting {
		t := turn{w.Tenant, 1, w.Room}
		if weight != nil {
			t.weight = weight(w.Tenant)
		}
		switch {
		case w.Room <= 0: // it looks again when it has some
		case w.RunAt > nestor.Millis(now):
			if at := time.UnixMilli(w.RunAt); next.IsZero() || at.Before(next) {
				next = at
			}
		default:
			weights += t.weight
			due = append(due, t)
		}
	}
	return due, next, weights
}
