package budget_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// Calls of random size run at once in a tree of tasks; some are refused, some
// fail, some crash and are run again.
func TestCallsAtOnceNeverExceedALimitAndAllTheySpentIsCounted(t *testing.T) {
	const rounds, calls = 8, 24
	engines.Each(t, func(t *testing.T, open engines.Database) {
		e := env{t, open(t, store.Options{})}
		w := &watch{t: t, limits: map[nestor.Path]nestor.Budget{}}
		e.s.Observe(store.First, w.committed)
		refused := 0
		for i := range rounds {
			seed := rand.Uint64()
			t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
				r := round{env: env{t, e.s}, user: nestor.Path(fmt.Sprintf("users/u%d", i)), random: rand.New(rand.NewPCG(seed, 0))}
				r.limit()
				w.add(r.scopes)
				var wg sync.WaitGroup
				for k := range calls {
					c := r.call(fmt.Sprintf("job%d", k))
					wg.Go(func() { r.make(c) })
				}
				wg.Wait()
				refused += r.refused
				ledgers := e.ledgers(r.user)
				for _, s := range r.scopes {
					if l := ledgers[s.Path]; l.spent() != r.spent[s.Path] || len(l.Reserved) != 0 {
						t.Errorf("%s has spent %+v and reserved %+v, want %+v and nothing", s.Path, l.spent(), l.Reserved, r.spent[s.Path])
					}
				}
			})
		}
		if refused == 0 || refused == rounds*calls || w.seen() == 0 {
			t.Errorf("%d of %d calls were refused, %d ledgers were seen: this tests nothing", refused, rounds*calls, w.seen())
		}
	})
}

// watch looks at every ledger that is committed.
type watch struct {
	t      *testing.T
	mu     sync.Mutex
	limits map[nestor.Path]nestor.Budget
	count  int
}

func (w *watch) add(scopes []budget.Scope) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range scopes {
		w.limits[s.Path] = s.Limit
	}
}

func (w *watch) seen() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count
}

func (w *watch) committed(c store.Commit) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, change := range c.Changes {
		if change.After == nil || !strings.HasSuffix(change.Path.Collection(), "/ledgers") {
			continue
		}
		l, err := nestor.As[ledger](change.After)
		if err != nil {
			w.t.Error(err)
		}
		w.count++
		limit, spent, reserved := w.limits[l.Path], l.spent(), l.reserved() // with all that is lent
		if over(spent.Tokens+reserved.Tokens, limit.Tokens) || over(spent.Micros+reserved.Micros, limit.CostMicros) {
			w.t.Errorf("%s has spent %+v and reserved %+v of %+v", l.Path, spent, reserved, limit)
		}
	}
}

func over(n, limit int64) bool { return limit > 0 && n > limit }

// round is one user's calls.
type round struct {
	env
	user   nestor.Path
	random *rand.Rand
	scopes []budget.Scope // the user, a chat, two tasks

	mu      sync.Mutex
	spent   map[nestor.Path]budget.Amount
	refused int
}

func (r *round) limit() {
	chat := r.user.Child("orch-chats", "c")
	for _, p := range []nestor.Path{r.user, chat, chat.Child("tasks", "t1"), chat.Child("tasks", "t2")} {
		limit := nestor.Budget{Tokens: 1 + r.random.Int64N(1500)}
		if r.random.IntN(2) == 0 {
			limit.CostMicros = 1 + r.random.Int64N(1500)
		}
		r.scopes = append(r.scopes, budget.Scope{Path: p, Limit: limit})
	}
	r.spent = map[nestor.Path]budget.Amount{}
}

// call is a call to make: what each attempt at it reserves, and what the last
// one spends. One that spends nothing has failed.
type call struct {
	budget.Call
	scopes   []budget.Scope
	attempts []budget.Amount
	spent    budget.Amount
}

func (r *round) call(id string) call {
	c := call{Call: budget.Call{ID: id, Key: fmt.Sprintf("key%d", r.random.IntN(8))}, scopes: append([]budget.Scope{}, r.scopes[:2+r.random.IntN(3)]...)}
	r.random.Shuffle(len(c.scopes), func(i, j int) { c.scopes[i], c.scopes[j] = c.scopes[j], c.scopes[i] })
	for range 1 + r.random.IntN(3) {
		c.attempts = append(c.attempts, budget.Amount{Tokens: r.random.Int64N(100), Micros: r.random.Int64N(100)})
	}
	if last := c.attempts[len(c.attempts)-1]; r.random.IntN(4) > 0 {
		c.spent = budget.Amount{Tokens: r.random.Int64N(last.Tokens + 1), Micros: r.random.Int64N(last.Micros + 1)}
	}
	return c
}

func (r *round) make(c call) {
	for _, estimate := range c.attempts {
		err := budget.Reserve(r.Context(), r.s, c.Call, c.scopes, estimate)
		r.within()
		if errors.Is(err, nestor.ErrOverBudget) || errors.As(err, new(nestor.PutOff)) {
			r.end(c, budget.Amount{})
			return
		}
		if err != nil {
			r.Error(err)
			return
		}
	}
	r.end(c, c.spent)
}

// within looks at the sums of ledgers and shares, as they are at one moment.
func (r *round) within() {
	for _, s := range r.scopes {
		st := r.stand(s)
		if over(st.Used.Tokens+st.Reserved.Tokens, s.Limit.Tokens) || over(st.Used.CostMicros+st.Reserved.CostMicros, s.Limit.CostMicros) {
			r.Errorf("%s stands at %+v", s.Path, st)
		}
	}
}

// end settles a call, or releases it if nothing was spent.
func (r *round) end(c call, spent budget.Amount) {
	err := r.s.Update(r.Context(), func(tx store.Tx) error {
		if spent == (budget.Amount{}) {
			return budget.Release(tx, c.Call, c.scopes)
		}
		return budget.Settle(tx, c.Call, c.scopes, spent)
	})
	if err != nil {
		r.Error(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if spent == (budget.Amount{}) && c.spent != spent {
		r.refused++
	}
	for _, s := range c.scopes {
		sum := r.spent[s.Path]
		r.spent[s.Path] = budget.Amount{Tokens: sum.Tokens + spent.Tokens, Micros: sum.Micros + spent.Micros}
	}
}
