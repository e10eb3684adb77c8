package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// jobPerDocument queues one job for every change, each with a key of its own.
func jobPerDocument(e *store.Event) []nestor.Job {
	jobs := jobPerChange(e)
	jobs[0].Key = "k:" + string(e.Path)
	return jobs
}

// waits makes jobs of a user that are ready.
func (e *env) waits(user string, jobs int) {
	e.Helper()
	e.update(func(tx store.Tx) error {
		for i := range jobs {
			if _, err := tx.Create(nestor.Path(fmt.Sprintf("users/%s/notes/n%05d", user, i)), raw(`{}`)); err != nil {
				return err
			}
		}
		return nil
	})
}

// node joins a node that takes nothing at commits, and has shares.
func (e *env) node(s store.Store, weight func(string) int) {
	e.Helper()
	e.must(s.Join(e.ctx(), store.Lease{
		Node: "n-" + nestor.NewID(), TTL: time.Hour, Accept: func(string) bool { return false }, Weight: weight,
	}))
}

// claims claims up to limit jobs and tells whose they are.
func (e *env) claims(s store.Store, limit int) (users map[string]int, got store.Claimed) {
	e.Helper()
	got, err := s.Claim(e.ctx(), limit)
	e.must(err)
	users = map[string]int{}
	for _, j := range got.Jobs {
		users[j.Change.Path.UserID()]++
	}
	return users, got
}

func (e *env) wantClaims(s store.Store, limit int, want string) {
	e.Helper()
	users, _ := e.claims(s, limit)
	if got := strings.TrimSuffix(strings.TrimPrefix(fmt.Sprint(users), "map["), "]"); got != want {
		e.Errorf("a claim of %d takes %q, want %q", limit, got, want)
	}
}

var turnTests = []test{
	{name: "users take turns, however many jobs one of them has", run: func(e *env) {
		e.planner.jobs = jobPerDocument
		e.node(e.s, nil)
		e.waits("a", 300)
		e.wantClaims(e.s, 10, "a:10")
		e.waits("c", 20)
		e.waits("b", 1)
		e.wantClaims(e.s, 3, "a:1 b:1 c:1")
		e.wantClaims(e.s, 1, "a:1")
		e.wantClaims(e.s, 1, "c:1")
		e.wantClaims(e.s, 1, "a:1")
		e.wantClaims(e.s, 10, "a:5 c:5")
	}},
	{name: "a user's jobs are claimed oldest first", run: func(e *env) {
		e.planner.jobs = jobPerDocument
		e.node(e.s, nil)
		e.waits("a", 30)
		for i := range 30 {
			_, got := e.claims(e.s, 1)
			if want := fmt.Sprintf("n%05d", i); len(got.Jobs) != 1 || got.Jobs[0].Change.Path.ID() != want {
				e.Fatalf("claim %d took %v, want %s", i, got.Jobs, want)
			}
		}
	}},
	{name: "a user with more weight has more jobs claimed in a turn", run: func(e *env) {
		e.planner.jobs = jobPerDocument
		e.node(e.s, func(tenant string) int { return map[string]int{"users/a": 1, "users/b": 3}[tenant] })
		e.waits("a", 40)
		e.waits("b", 40)
		order := ""
		for range 12 { // also when there is room for one at a time
			users, _ := e.claims(e.s, 1)
			for user := range users {
				order += user
			}
		}
		if order != "abbbabbbabbb" {
			e.Errorf("the order is %s", order)
		}
		e.wantClaims(e.s, 8, "a:2 b:6")
	}},
	{name: "a claim says whether due jobs are left, and when the next is due", run: func(e *env) {
		e.planner.jobs = jobPerDocument
		e.node(e.s, nil)
		e.waits("a", 3)
		_, got := e.claims(e.s, 2)
		if !got.More {
			e.Error("one is left")
		}
		late := time.Now().Add(time.Hour)
		e.must(e.s.Retry(e.ctx(), &got.Jobs[0], late, "later"))
		if _, got = e.claims(e.s, 2); len(got.Jobs) != 1 || got.More {
			e.Errorf("claimed %d, more %v", len(got.Jobs), got.More)
		}
		if _, got = e.claims(e.s, 2); len(got.Jobs) != 0 || got.More || got.Next.UnixMilli() != late.UnixMilli() {
			e.Errorf("claimed %d, more %v, next %v", len(got.Jobs), got.More, got.Next)
		}
		if _, got = e.claims(e.s, 0); len(got.Jobs) != 0 {
			e.Errorf("claimed %d without room", len(got.Jobs))
		}
	}},
	{name: "more users than one claim looks at all have their turn", run: func(e *env) {
		e.planner.jobs = jobPerDocument
		e.node(e.s, nil)
		users := store.MaxWalk + 50
		for i := range users {
			e.waits(fmt.Sprintf("u%04d", i), 2)
		}
		seen := map[string]bool{}
		for range 2 {
			got, _ := e.claims(e.s, store.MaxWalk)
			for user := range got {
				seen[user] = true
			}
		}
		if len(seen) != users {
			e.Errorf("%d of %d users had a turn", len(seen), users)
		}
	}},
	{name: "documents that belong to nobody have turns, too", run: func(e *env) {
		e.planner.jobs = jobPerDocument
		e.node(e.s, nil)
		e.waits("a", 10)
		e.create("accounts/x", raw(`{}`))
		e.create("settings/y/parts/z", raw(`{}`))
		if _, got := e.claims(e.s, 3); len(got.Jobs) != 3 || got.Jobs[0].Change.Path.Tenant() == got.Jobs[1].Change.Path.Tenant() {
			e.Errorf("claimed %+v", got.Jobs)
		}
	}},
}
