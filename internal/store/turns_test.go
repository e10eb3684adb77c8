package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// queue is how many jobs tenants have ready.
type queue map[string]int

// walk lists the tenants as an engine does.
func (q queue) walk(after string, most int) (list []store.Waiting) {
	var names []string
	for name, jobs := range q {
		if jobs > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	i, found := slices.BinarySearch(names, after)
	if found {
		i++
	}
	for _, name := range append(slices.Clone(names[i:]), names[:i]...) {
		list = append(list, store.Waiting{Tenant: name, Room: store.NoBound})
	}
	return list[:min(len(list), most)]
}

// claim takes jobs as an engine does, and tells whose, in turn.
func (q queue) claim(turns *store.Turns, limit int, weight func(string) int) (whose []string, a store.Allotment, jobs []nestor.Job) {
	a = turns.Allot(q.walk(turns.After(), turns.Walk(limit)), limit, time.Now(), weight)
	for _, t := range a.Takes {
		for range min(t.Jobs, q[t.Tenant]) {
			q[t.Tenant]--
			whose = append(whose, t.Tenant)
			jobs = append(jobs, nestor.Job{Change: nestor.Change{Path: nestor.Path(t.Tenant + "/in/x")}})
		}
	}
	*turns = a.Then(jobs, new(store.Lately))
	return whose, a, jobs
}

func weighing(weights map[string]int) func(string) int {
	return func(tenant string) int { return max(1, weights[tenant]) }
}

func TestTurnsFollowWeightsHoweverFewJobsAreClaimedAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, weights, sum := queue{}, map[string]int{}, 0
		for i := range rapid.IntRange(1, 9).Draw(t, "tenants") {
			name := fmt.Sprintf("users/u%d", i)
			q[name], weights[name] = 100_000, rapid.IntRange(1, 5).Draw(t, "weight")
			sum += weights[name]
		}
		var turns store.Turns
		var claimed int
		got := map[string]int{}
		for claimed < 40*sum {
			limit := rapid.IntRange(1, 30).Draw(t, "limit")
			whose, a, jobs := q.claim(&turns, limit, weighing(weights))
			if len(whose) != limit {
				t.Fatalf("%d jobs are claimed where there is room for %d", len(whose), limit)
			}
			if !a.More(jobs) {
				t.Fatal("nobody seems to wait")
			}
			for _, tenant := range whose {
				got[tenant]++
			}
			claimed += limit
			for name, weight := range weights {
				// At most one turn ahead of or behind what its weight says.
				if off := got[name]*sum - claimed*weight; off > 2*sum*weight || off < -2*sum*weight {
					t.Fatalf("after %d jobs %s with weight %d of %d has had %d", claimed, name, weight, sum, got[name])
				}
			}
		}
	})
}

func TestATenantWaitsForTheTurnsOfOthersAndNotForTheirJobs(t *testing.T) {
	q := queue{"users/a": 1_000_000, "users/c": 1_000_000}
	var turns store.Turns
	weights := weighing(map[string]int{"users/c": 3})
	for range 10 {
		q.claim(&turns, 1, weights)
	}
	q["users/b"] = 1
	for i := 1; ; i++ {
		if whose, _, _ := q.claim(&turns, 1, weights); whose[0] == "users/b" {
			return
		}
		if i > 4 {
			t.Fatalf("b waits for more than one turn of each")
		}
	}
}

// TestNodesThatMeetGoSeparateWays: twenty nodes look at the same moment and claim one job
// each. If they went round together, one of them would get a job each time.
func TestNodesThatMeetGoSeparateWays(t *testing.T) {
	const nodes, tenants = 20, 400
	q := queue{}
	for i := range tenants {
		q[fmt.Sprintf("users/u%04d", i)] = 1
	}
	var turns [nodes]store.Turns
	rounds := 0
	for left := tenants; left > nodes; rounds++ {
		var allotted [nodes]store.Allotment
		for i := range turns {
			allotted[i] = turns[i].Allot(q.walk(turns[i].After(), turns[i].Walk(1)), 1, time.Now(), nil)
		}
		for i, a := range allotted {
			var got []nestor.Job
			if tenant := a.Takes[0].Tenant; q[tenant] > 0 {
				q[tenant]--
				left--
				got = make([]nestor.Job, 1)
			}
			turns[i] = a.Then(got, new(store.Lately))
		}
	}
	if ideal := tenants / nodes; rounds > 3*ideal {
		t.Errorf("%d nodes needed %d rounds for %d jobs", nodes, rounds, tenants)
	}
}

func TestANodeThatMeetsOthersGoesOnAfterATenantThatItWorkedForLately(t *testing.T) {
	q := queue{"users/a": 1, "users/b": 1, "users/y": 1}
	var lately store.Lately
	for range 100 {
		lately.Add("users/a") // is forgotten
	}
	for range 100 {
		lately.Add("users/x")
	}
	var turns store.Turns
	a := turns.Allot(q.walk(turns.After(), turns.Walk(1)), 1, time.Now(), nil)
	if got := a.Then(nil, &lately).After(); got != "users/x" {
		t.Errorf("who met others goes on after %q", got)
	}
	if got := a.Then(make([]nestor.Job, 1), &lately).After(); got != "users/a" {
		t.Errorf("who got the job of a goes on after %q", got)
	}
}

func TestATenantWithoutRoomIsPassedOver(t *testing.T) {
	var turns store.Turns
	waiting := []store.Waiting{{Tenant: "users/a"}, {Tenant: "users/b", Room: 2}}
	a := turns.Allot(waiting, 10, time.Now(), nil)
	if len(a.Takes) != 1 || a.Takes[0].Tenant != "users/b" || a.Takes[0].Jobs != 2 || !a.Next.IsZero() {
		t.Errorf("takes %+v, next %v", a.Takes, a.Next)
	}
	two := []nestor.Job{{Change: nestor.Change{Path: "users/b/in/x"}}, {Change: nestor.Change{Path: "users/b/in/y"}}}
	if a.More(two) || !a.Bounded(waiting, two, false) {
		t.Errorf("more %v, bounded %v", a.More(two), a.Bounded(waiting, two, false))
	}
	free := []store.Waiting{{Tenant: "users/b", Room: store.NoBound}}
	if a := turns.Allot(free, 2, time.Now(), nil); a.Bounded(free, two, true) {
		t.Error("who has no limit is at one")
	}
}

func TestMoreTenantsThanOneClaimLooksAtAllHaveTheirTurn(t *testing.T) {
	q := queue{}
	for i := range 3 * store.MaxWalk {
		q[fmt.Sprintf("users/u%04d", i)] = 2
	}
	var turns store.Turns
	seen := map[string]bool{}
	for range 3 {
		whose, _, _ := q.claim(&turns, store.MaxWalk, nil)
		for _, tenant := range whose {
			seen[tenant] = true
		}
	}
	if len(seen) != len(q) {
		t.Errorf("%d of %d tenants had a turn", len(seen), len(q))
	}
}

func TestTenantsThatWaitForLaterAreNoneAndSayWhen(t *testing.T) {
	now := time.Now()
	later := nestor.Millis(now.Add(time.Hour))
	a := store.Turns{}.Allot([]store.Waiting{{Tenant: "users/a", RunAt: later + 1, Room: 1}, {Tenant: "users/b", RunAt: later, Room: 1}}, 10, now, nil)
	if len(a.Takes) != 0 || a.Next.UnixMilli() != later || a.More(nil) {
		t.Errorf("got %+v", a)
	}
}
