package budget_test

import (
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// shareOf is the id of the share that a call with that id uses.
func shareOf(id string) string {
	return fmt.Sprintf("%03d", crc32.ChecksumIEEE([]byte(named(id).Key))%128)
}

// Calls one after the other, with limits that change, calls that take more than they
// reserved or never end, and days that pass: each is let through, put off or refused
// as by a single ledger, and the budget stands as that ledger would.
func TestSharesDecideAsASingleLedgerWould(t *testing.T) {
	outcomes := map[string]int{}
	for range 6 {
		seed := rand.Uint64()
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			open := engines.SQLite(t)
			synctest.Test(t, func(t *testing.T) { decideAlike(env{t, open(t, store.Options{})}, seed, true, outcomes) })
		})
	}
	engines.Each(t, func(t *testing.T, open engines.Database) {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		decideAlike(env{t, open(t, store.Options{})}, seed, false, outcomes)
	})
	if outcomes[""] < 100 || outcomes["put off"] < 10 || outcomes["over budget"] < 10 {
		t.Errorf("the calls were %v: this tests too little", outcomes)
	}
}

func decideAlike(e env, seed uint64, timePasses bool, outcomes map[string]int) {
	r := rand.New(rand.NewPCG(seed, 1))
	one := naive{reserved: map[string]naiveCall{}}
	scope := budget.Scope{Path: user, Limit: randomLimit(r)}
	for n := range 300 {
		id := fmt.Sprintf("%c%d", 'a'+r.IntN(12), r.IntN(2))
		switch r.IntN(20) {
		case 0:
			scope.Limit = randomLimit(r)
		case 1:
			if timePasses {
				time.Sleep(time.Duration(r.Int64N(int64(20 * time.Hour))))
			}
		case 2:
			e.release(id, scope)
			delete(one.reserved, id)
		case 3, 4, 5, 6, 7, 8:
			spent := budget.Amount{Tokens: r.Int64N(60), Micros: r.Int64N(60)}
			if r.IntN(8) == 0 {
				spent.Tokens *= 5
			}
			e.settle(id, spent, scope)
			one.settle(id, spent)
		default:
			need := budget.Amount{Tokens: r.Int64N(90), Micros: r.Int64N(90)}
			got, want := outcome(e.reserve(id, need, scope)), one.reserve(id, need, scope.Limit)
			outcomes[got]++
			if got != want {
				e.Fatalf("step %d: a call that needs %+v of %+v is %q, want %q", n, need, scope.Limit, got, want)
			}
		}
		st := e.stand(scope)
		life, today, thisMonth, reserved := one.sums()
		if st.Used.Tokens != life.Tokens || st.Used.CostMicros != life.Micros || st.Reserved.Tokens != reserved.Tokens || st.Reserved.CostMicros != reserved.Micros {
			e.Fatalf("step %d: the budget stands at %+v, want %+v used and %+v reserved", n, st, life, reserved)
		}
		if p := st.Used.PerDay; p != nil && (p.Tokens != today.Tokens || p.CostMicros != today.Micros) {
			e.Fatalf("step %d: %+v is used today, want %+v", n, *p, today)
		}
		if p := st.Used.PerMonth; p != nil && (p.Tokens != thisMonth.Tokens || p.CostMicros != thisMonth.Micros) {
			e.Fatalf("step %d: %+v is used this month, want %+v", n, *p, thisMonth)
		}
	}
}

func randomLimit(r *rand.Rand) (b nestor.Budget) {
	b.Tokens = 1 + r.Int64N(20_000)
	if r.IntN(2) == 0 {
		b.CostMicros = 1 + r.Int64N(20_000)
	}
	if r.IntN(2) == 0 {
		b.PerDay = &nestor.Allowance{Tokens: 1 + r.Int64N(2000), CostMicros: r.Int64N(2) * 2000}
	}
	if r.IntN(2) == 0 {
		b.PerMonth = &nestor.Allowance{Tokens: 1 + r.Int64N(4000)}
	}
	return b
}

func outcome(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, nestor.ErrOverBudget):
		return "over budget"
	case errors.As(err, new(nestor.PutOff)):
		return "put off"
	}
	return err.Error()
}

// naive is one ledger in memory: every call that was settled, and those that run.
type naive struct {
	settled  []naiveCall
	reserved map[string]naiveCall
}

type naiveCall struct {
	budget.Amount
	at time.Time
}

func (l *naive) settle(id string, a budget.Amount) {
	delete(l.reserved, id)
	l.settled = append(l.settled, naiveCall{a, time.Now()})
}

func (l *naive) sums() (life, today, thisMonth, reserved budget.Amount) {
	now := time.Now().UTC()
	for _, c := range l.settled {
		life = budget.Amount{Tokens: life.Tokens + c.Tokens, Micros: life.Micros + c.Micros}
		if c.at.UTC().Format("2006-01") == now.Format("2006-01") {
			thisMonth = budget.Amount{Tokens: thisMonth.Tokens + c.Tokens, Micros: thisMonth.Micros + c.Micros}
		}
		if c.at.UTC().Format("2006-01-02") == now.Format("2006-01-02") {
			today = budget.Amount{Tokens: today.Tokens + c.Tokens, Micros: today.Micros + c.Micros}
		}
	}
	for _, c := range l.reserved {
		if now.Sub(c.at) < time.Hour {
			reserved = budget.Amount{Tokens: reserved.Tokens + c.Tokens, Micros: reserved.Micros + c.Micros}
		}
	}
	return life, today, thisMonth, reserved
}

// reserve leaves what an earlier attempt reserved if the call does not fit.
func (l *naive) reserve(id string, need budget.Amount, limit nestor.Budget) string {
	before, had := l.reserved[id]
	delete(l.reserved, id)
	life, today, thisMonth, reserved := l.sums()
	waits := false
	for _, b := range []struct {
		limit nestor.Allowance
		used  budget.Amount
	}{{nestor.Allowance{Tokens: limit.Tokens, CostMicros: limit.CostMicros}, life}, {or(limit.PerDay), today}, {or(limit.PerMonth), thisMonth}} {
		if over(b.used.Tokens+need.Tokens, b.limit.Tokens) || over(b.used.Micros+need.Micros, b.limit.CostMicros) {
			if had {
				l.reserved[id] = before
			}
			return "over budget"
		}
		waits = waits || over(b.used.Tokens+need.Tokens+reserved.Tokens, b.limit.Tokens) ||
			over(b.used.Micros+need.Micros+reserved.Micros, b.limit.CostMicros)
	}
	if waits {
		if had {
			l.reserved[id] = before
		}
		return "put off"
	}
	l.reserved[id] = naiveCall{need, time.Now()}
	return ""
}

func or(a *nestor.Allowance) nestor.Allowance {
	if a == nil {
		return nestor.Allowance{}
	}
	return *a
}

// All that fits together is let through, although every call but the first
// finds shares that hold what it needs.
func TestNobodyIsRefusedForWhatOthersHoldUnused(t *testing.T) {
	each(t, func(e env) {
		const calls, need = 20, 25
		scopes := []budget.Scope{tokens(user, calls*need), tokens(chat, calls*need)}
		var wg sync.WaitGroup
		for i := range calls {
			wg.Go(func() {
				if err := e.reserve(fmt.Sprintf("%c", 'a'+i), budget.Amount{Tokens: need}, scopes...); err != nil {
					e.Error(err)
				}
			})
		}
		wg.Wait()
		if got := outcome(e.reserve("z", budget.Amount{Tokens: 1}, scopes...)); got != "put off" {
			e.Errorf("one more is %q", got)
		}
		e.settle("a", budget.Amount{Tokens: need - 7}, scopes...)
		e.settle("b", budget.Amount{Tokens: need - 7}, scopes...)
		e.must(e.reserve("z", budget.Amount{Tokens: 14}, scopes...))
		if got := outcome(e.reserve("y", budget.Amount{Tokens: 1}, scopes...)); got != "put off" {
			e.Errorf("after what was given back is reserved, one more is %q", got)
		}
	})
}

func TestWhatIsGivenBackIsNobodysWhileMoreThanTheLimitIsSpent(t *testing.T) {
	each(t, func(e env) {
		scope := tokens(chat, 100)
		e.must(e.reserve("a", budget.Amount{Tokens: 50}, scope))
		e.must(e.reserve("b", budget.Amount{Tokens: 30}, scope))
		e.settle("b", budget.Amount{Tokens: 130}, scope)
		e.settle("a", budget.Amount{Tokens: 10}, scope)
		if got := outcome(e.reserve("a", budget.Amount{Tokens: 30}, scope)); got != "over budget" {
			e.Errorf("of what it gave back, a call gets %q", got)
		}
		e.must(e.reserve("a", budget.Amount{Tokens: 30}, tokens(chat, 170))) // with a higher limit
		if st := e.stand(tokens(chat, 170)); st.Used.Tokens != 140 || *st.Left.Tokens != 0 {
			e.Errorf("it stands at %+v", st)
		}
	})
}

// Far from the limit the ledger is written once in a while, not by every call.
func TestCallsLeaveTheLedgerAlone(t *testing.T) {
	each(t, func(e env) {
		const keys, rounds = 8, 25
		scope := tokens(user, 10_000_000)
		for range rounds {
			for k := range keys {
				id := fmt.Sprintf("%c", 'a'+k)
				e.must(e.reserve(id, budget.Amount{Tokens: 4000}, scope))
				e.settle(id, budget.Amount{Tokens: 3000}, scope)
			}
		}
		var version int64
		e.must(e.s.View(e.Context(), func(r store.Reader) error {
			mains, err := documents(r, string(user)+"/ledgers")
			version = mains[0].Version
			return err
		}))
		if version > keys {
			e.Errorf("%d calls of %d keys wrote the ledger %d times", keys*rounds, keys, version)
		}
		if st := e.stand(scope); st.Used.Tokens != keys*rounds*3000 || st.Reserved.Tokens != 0 || *st.Left.Tokens != 10_000_000-keys*rounds*3000 {
			e.Errorf("it stands at %+v", st)
		}
	})
}

// While one transaction that has settled a call is open, calls of other keys reserve
// and settle.
func TestCallsOfDifferentKeysDoNotWait(t *testing.T) {
	pg := engines.Postgres(t)
	e := env{t, pg(t, store.Options{})}
	other := env{t, pg(t, store.Options{})}
	scopes := []budget.Scope{tokens(user, 1_000_000), tokens(chat, 1_000_000)}
	for _, id := range []string{"a", "b"} {
		e.must(e.reserve(id, budget.Amount{Tokens: 100}, scopes...))
	}
	e.must(e.s.Update(e.Context(), func(tx store.Tx) error {
		if err := budget.Settle(tx, named("a"), scopes, budget.Amount{Tokens: 50}); err != nil {
			return err
		}
		other.settle("b", budget.Amount{Tokens: 60}, scopes...)
		other.must(other.reserve("b2", budget.Amount{Tokens: 100}, scopes...))
		return nil
	}))
	if st := e.stand(scopes[0]); st.Used.Tokens != 110 || st.Reserved.Tokens != 100 {
		t.Errorf("it stands at %+v", st)
	}
}

// Databases of before shares have one document for each scope, and programs of before
// shares know no other: they take what is lent for reservations.
func TestALedgerOfBeforeSharesCounts(t *testing.T) {
	each(t, func(e env) {
		e.must(e.reserve("a", budget.Amount{Tokens: 1}, tokens(chat, 100)))
		at := user.Child("ledgers", e.ledgers(user)[chat].ID)
		e.must(e.s.Update(e.Context(), func(tx store.Tx) error {
			if err := tx.Delete(at, store.AnyVersion); err != nil {
				return err
			}
			_, err := tx.Create(at, map[string]any{
				"path": chat, "spentTokens": 60, "spentMicros": 0, "day": map[string]any{}, "month": map[string]any{},
				"reserved": map[string]any{"b": map[string]any{"tokens": 30, "micros": 0, "at": nestor.Millis(time.Now())}},
			})
			return err
		}))
		if got := outcome(e.reserve("c", budget.Amount{Tokens: 11}, tokens(chat, 100))); got != "put off" {
			e.Errorf("beyond what is left it is %q", got)
		}
		e.must(e.reserve("b", budget.Amount{Tokens: 40}, tokens(chat, 100))) // the same call again
		if st := e.stand(tokens(chat, 100)); st.Used.Tokens != 60 || st.Reserved.Tokens != 40 {
			e.Errorf("it stands at %+v", st)
		}
		e.must(e.s.View(e.Context(), func(r store.Reader) error {
			mains, err := documents(r, string(user)+"/ledgers")
			if got := mains[0]; got.spent().Tokens+got.reserved().Tokens != 100 {
				e.Errorf("the ledger alone says %+v", got)
			}
			return err
		}))
	})
}
