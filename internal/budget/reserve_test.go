package budget_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestACallIsRefusedWhenItMayNeedMoreThanIsLeft(t *testing.T) {
	for _, tt := range []struct {
		name   string
		scopes []budget.Scope
		need   budget.Amount
		want   string // "" lets it pass
		path   nestor.Path
		field  string
		waits  bool // what others reserved would do
	}{
		{
			name:   "by the tokens of a chat, and told why",
			scopes: []budget.Scope{tokens(chat, 10_000)}, need: budget.Amount{Tokens: 1200, Micros: 5},
			want: "the budget of this chat is 10,000 tokens: 9,400 are used, 300 are reserved by running calls, and this call may need 1,200",
			path: chat, field: "tokens",
		},
		{
			name:   "by the money of a user",
			scopes: []budget.Scope{money(user, 1_500_000)}, need: budget.Amount{Tokens: 1, Micros: 250_001},
			want: "the budget of this user is $1.50: $1.20 are used, $0.05 are reserved by running calls, and this call may need $0.250001",
			path: user, field: "costMicros", waits: true,
		},
		{
			name:   "by the task alone when the others have enough",
			scopes: []budget.Scope{tokens(task, 9_800), tokens(chat, 20_000), money(user, 1e12)}, need: budget.Amount{Tokens: 101},
			want: "the budget of this task is 9,800 tokens: 9,400 are used, 300 are reserved by running calls, and this call may need 101",
			path: task, field: "tokens", waits: true,
		},
		{
			name:   "by the outermost of several",
			scopes: []budget.Scope{tokens(task, 1), tokens(user, 1), tokens(chat, 1)}, need: budget.Amount{Tokens: 1},
			want: "the budget of this user is 1 tokens: 9,400 are used, 300 are reserved by running calls, and this call may need 1",
			path: user, field: "tokens",
		},
		{
			name:   "by either of two limits",
			scopes: []budget.Scope{{Path: chat, Limit: nestor.Budget{Tokens: 1e9, CostMicros: 1_250_000}}}, need: budget.Amount{Micros: 1},
			want: "the budget of this chat is $1.25: $1.20 are used, $0.05 are reserved by running calls, and this call may need $0.000001",
			path: chat, field: "costMicros", waits: true,
		},
		{
			name:   "not when it takes all that is left",
			scopes: []budget.Scope{{Path: chat, Limit: nestor.Budget{Tokens: 10_000, CostMicros: 1_250_001}}}, need: budget.Amount{Tokens: 300, Micros: 1},
		},
		{
			name:   "not by money where tokens are limited",
			scopes: []budget.Scope{tokens(chat, 10_000)}, need: budget.Amount{Tokens: 1, Micros: 1e15},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			each(t, func(e env) {
				e.settle("done", budget.Amount{Tokens: 9400, Micros: 1_200_000}, tt.scopes...)
				roomy := []budget.Scope{}
				for _, s := range tt.scopes {
					roomy = append(roomy, budget.Scope{Path: s.Path, Limit: nestor.Budget{Tokens: 1e15, CostMicros: 1e15}})
				}
				e.must(e.reserve("running", budget.Amount{Tokens: 300, Micros: 50_000}, roomy...))
				err := e.reserve("next", tt.need, tt.scopes...)
				for path, l := range e.ledgers(user) {
					if _, reserved := l.Reserved["next"]; reserved != (tt.want == "") {
						e.Errorf("reserved by %s: %v", path, reserved)
					}
				}
				if tt.want == "" {
					e.must(err)
					return
				}
				var refusal *nestor.Error
				if !errors.As(err, &refusal) || refusal.Message != tt.want {
					e.Fatalf("the error is %q: %v", nestor.CodeOf(err), err)
				}
				if waits := errors.As(err, new(nestor.PutOff)); waits != tt.waits || errors.Is(err, nestor.ErrOverBudget) == waits {
					e.Errorf("it is put off: %v, by %q", waits, nestor.CodeOf(err))
				}
				limit, used := tt.scopes[0].Limit.Tokens, int64(9400)
				if tt.field == "costMicros" {
					limit, used = tt.scopes[0].Limit.CostMicros, 1_200_000
				}
				if d := refusal.Details; d["path"] != tt.path || d["field"] != tt.field || d["limit"] != limit || d["used"] != used {
					e.Errorf("the details are %v", d)
				}
			})
		})
	}
}

func TestNobodyIsToldOfRunningCallsWhereThereAreNone(t *testing.T) {
	each(t, func(e env) {
		err := e.reserve("a", budget.Amount{Micros: 2_000_000_000}, money(chat, 1_234_567_890))
		want := "the budget of this chat is $1,234.56789: $0.00 are used, and this call may need $2,000.00"
		if err == nil || err.Error() != want {
			e.Errorf("the error is %v, want %s", err, want)
		}
	})
}

func TestACallThatIsRunAgainReplacesItsReservation(t *testing.T) {
	each(t, func(e env) {
		e.must(e.reserve("a", budget.Amount{Tokens: 90, Micros: 7}, tokens(chat, 100)))
		e.must(e.reserve("a", budget.Amount{Tokens: 80}, tokens(chat, 100)))
		l := e.ledgers(user)[chat]
		if got := l.Reserved["a"].Amount; len(l.Reserved) != 1 || got != (budget.Amount{Tokens: 80}) {
			e.Errorf("reserved is %+v", l.Reserved)
		}
	})
}

func TestSettlingPutsWhatWasSpentInPlaceOfWhatWasReserved(t *testing.T) {
	each(t, func(e env) {
		scopes := []budget.Scope{tokens(task, 100), tokens(chat, 100)}
		e.must(e.reserve("a", budget.Amount{Tokens: 60, Micros: 6}, scopes...))
		e.must(e.reserve("b", budget.Amount{Tokens: 30, Micros: 3}, scopes[1]))
		e.settle("a", budget.Amount{Tokens: 40, Micros: 4}, scopes...)
		for path, want := range map[nestor.Path]budget.Amount{task: {}, chat: {Tokens: 30, Micros: 3}} {
			l := e.ledgers(user)[path]
			if l.spent() != (budget.Amount{Tokens: 40, Micros: 4}) || l.reserved() != want {
				e.Errorf("%s has spent %+v and reserved %+v", path, l.spent(), l.reserved())
			}
		}
		before := e.ledgers(user)[task].Version
		e.release("b", scopes...)
		if l := e.ledgers(user)[chat]; l.spent().Tokens != 40 || len(l.Reserved) != 0 {
			e.Errorf("after b was released: %+v", l)
		}
		if v := e.ledgers(user)[task].Version; v != before {
			e.Errorf("releasing what was not reserved wrote the task's ledger: version %d instead of %d", v, before)
		}
	})
}

func TestMoreThanWasReservedIsCountedAndTheNextCallRefused(t *testing.T) {
	each(t, func(e env) {
		e.must(e.reserve("a", budget.Amount{Tokens: 50}, tokens(chat, 100)))
		e.settle("a", budget.Amount{Tokens: 130}, tokens(chat, 100))
		if got := e.ledgers(user)[chat].spent().Tokens; got != 130 {
			e.Errorf("%d were counted", got)
		}
		if err := e.reserve("b", budget.Amount{}, tokens(chat, 100)); !errors.Is(err, nestor.ErrOverBudget) {
			e.Errorf("the next call: %v", err)
		}
	})
}

func TestALimitCountsAsItIsNow(t *testing.T) {
	each(t, func(e env) {
		e.settle("before", budget.Amount{Tokens: 1000}, tokens(chat, 0)) // no limit yet
		if got := e.ledgers(user); len(got) != 0 {
			e.Fatalf("without a limit there are ledgers: %+v", got)
		}
		e.settle("during", budget.Amount{Tokens: 60}, tokens(chat, 100)) // limited while it ran
		for _, tt := range []struct {
			limit int64
			want  nestor.Code
		}{{100, ""}, {99, nestor.CodeOverBudget}, {50, nestor.CodeOverBudget}, {1000, ""}, {0, ""}} {
			if err := e.reserve("a", budget.Amount{Tokens: 40}, tokens(chat, tt.limit)); nestor.CodeOf(err) != tt.want {
				e.Errorf("with a limit of %d: %v", tt.limit, err)
			}
			e.release("a", tokens(chat, 1))
		}
	})
}

func TestWithoutLimitsThereIsNoTransaction(t *testing.T) {
	for name, scopes := range map[string][]budget.Scope{"no scopes": nil, "no limits": {tokens(chat, 0), money(user, 0)}} {
		if err := budget.Reserve(t.Context(), noTransactions{t: t}, named("a"), scopes, budget.Amount{Tokens: 1}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// noTransactions are documents that nobody may touch.
type noTransactions struct {
	store.Documents
	t *testing.T
}

func (n noTransactions) Update(context.Context, func(store.Tx) error) error {
	n.t.Error("there is a transaction")
	return nil
}

func TestAScopeIsAUsersOrAnAccounts(t *testing.T) {
	each(t, func(e env) {
		if err := e.reserve("a", budget.Amount{}, tokens("elsewhere/a1", 1)); nestor.CodeOf(err) != nestor.CodeInvalid {
			e.Errorf("the error is %v", err)
		}
		scopes := []budget.Scope{tokens("accounts/a1/projects/a1.p", 100), tokens("accounts/a1", 90), tokens(user, 1000)}
		e.must(e.reserve("a", budget.Amount{Tokens: 60}, scopes...))
		e.settle("a", budget.Amount{Tokens: 50}, scopes...)
		for path := range map[nestor.Path]bool{"accounts/a1": true, "accounts/a1/projects/a1.p": true} {
			if got := e.ledgers("accounts/a1")[path].spent().Tokens; got != 50 {
				e.Errorf("%s has spent %d", path, got)
			}
		}
		err := e.reserve("b", budget.Amount{Tokens: 41}, scopes...)
		if want := "the budget of this account is 90 tokens: 50 are used, and this call may need 41"; err == nil || err.Error() != want {
			e.Errorf("the error is %v", err)
		}
		err = e.reserve("b", budget.Amount{Tokens: 51}, scopes[0])
		if want := "the budget of this project is 100 tokens: 50 are used, and this call may need 51"; err == nil || err.Error() != want {
			e.Errorf("the error is %v", err)
		}
	})
}

func TestAnAllowanceIsThereAgainWithTheNextDayAndMonthOfUTC(t *testing.T) {
	open := engines.SQLite(t)
	synctest.Test(t, func(t *testing.T) { // it begins with the year 2000
		e := env{t, open(t, store.Options{})}
		scope := budget.Scope{Path: user, Limit: nestor.Budget{
			Tokens: 1000, PerDay: &nestor.Allowance{Tokens: 100}, PerMonth: &nestor.Allowance{Tokens: 250, CostMicros: 5},
		}}
		use := func(id string, n int64) error {
			err := e.reserve(id, budget.Amount{Tokens: n}, scope)
			if err == nil {
				e.settle(id, budget.Amount{Tokens: n}, scope)
			}
			return err
		}
		refused := func(n int64, want string) {
			t.Helper()
			if err := use("x", n); err == nil || !strings.HasPrefix(err.Error(), want) || !errors.Is(err, nestor.ErrOverBudget) {
				t.Errorf("at %v: %v", time.Now().UTC(), err)
			}
		}
		e.must(use("a", 90))
		refused(11, "the budget of this user is 100 tokens per day: 90 are used")
		time.Sleep(24*time.Hour - time.Second)
		refused(11, "the budget of this user is 100 tokens per day: 90 are used")
		e.must(e.reserve("late", budget.Amount{Tokens: 10}, scope))
		time.Sleep(time.Second)
		if err := e.reserve("x", budget.Amount{Tokens: 91}, scope); !errors.As(err, new(nestor.PutOff)) {
			t.Errorf("what was reserved before midnight: %v", err)
		}
		e.settle("late", budget.Amount{Tokens: 10}, scope) // counts where it ends
		refused(91, "the budget of this user is 100 tokens per day: 10 are used")
		e.must(use("b", 90))
		time.Sleep(24 * time.Hour)
		refused(61, "the budget of this user is 250 tokens per month: 190 are used")
		e.must(use("c", 60))
		st := e.stand(scope)
		if *st.Left.Tokens != 750 || *st.Left.PerDay.Tokens != 40 || *st.Left.PerMonth.Tokens != 0 || *st.Left.PerMonth.CostMicros != 5 ||
			st.Left.CostMicros != nil || st.Used.Tokens != 250 || st.Used.PerDay.Tokens != 60 || st.Used.PerMonth.Tokens != 250 {
			t.Errorf("it stands at %+v", st)
		}
		time.Sleep(29 * 24 * time.Hour) // to February
		if st := e.stand(scope); *st.Left.PerMonth.Tokens != 250 || *st.Left.PerDay.Tokens != 100 || *st.Left.Tokens != 750 {
			t.Errorf("in the next month it stands at %+v", st)
		}
		e.must(use("d", 100))
	})
}

func (e env) stand(s budget.Scope) (st budget.Standing) {
	e.Helper()
	e.must(e.s.View(e.Context(), func(r store.Reader) (err error) {
		st, err = budget.Stand(r, s, time.Now())
		return err
	}))
	return st
}

func TestAReservationThatNobodyEndedLapsesAfterAnHour(t *testing.T) {
	open := engines.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		e := env{t, open(t, store.Options{})}
		e.must(e.reserve("dead", budget.Amount{Tokens: 90}, tokens(chat, 100)))
		time.Sleep(30 * time.Minute)
		e.must(e.reserve("alive", budget.Amount{Tokens: 10}, tokens(chat, 100)))
		time.Sleep(30*time.Minute - time.Millisecond)
		if err := e.reserve("next", budget.Amount{Tokens: 1}, tokens(chat, 100)); !errors.As(err, new(nestor.PutOff)) {
			t.Errorf("before the hour is over: %v", err)
		}
		time.Sleep(time.Millisecond)
		e.must(e.reserve("next", budget.Amount{Tokens: 90}, tokens(chat, 100)))
		l := e.ledgers(user)[chat]
		if _, dead := l.Reserved["dead"]; dead || len(l.Reserved) != 2 {
			t.Errorf("reserved is %+v", l.Reserved)
		}
		e.settle("dead", budget.Amount{Tokens: 5}, tokens(chat, 100))
		if got := e.ledgers(user)[chat].spent().Tokens; got != 5 {
			t.Errorf("of a call that was only slow, %d were counted", got)
		}
	})
}

func TestAReservationOfAClockThatRanAheadBindsNobodyForLong(t *testing.T) {
	open := engines.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		e := env{t, open(t, store.Options{})}
		e.must(e.reserve("ahead", budget.Amount{Tokens: 90}, tokens(chat, 100)))
		at := user.Child("ledgers", e.ledgers(user)[chat].ID).Child("shares", shareOf("ahead"))
		e.must(e.s.Update(t.Context(), func(tx store.Tx) error {
			_, err := tx.Patch(at, map[string]any{"reserved": map[string]any{
				"ahead": map[string]any{"tokens": 90, "micros": 0, "at": nestor.Millis(time.Now().Add(24 * time.Hour))},
			}}, store.AnyVersion)
			return err
		}))
		e.must(e.reserve("next", budget.Amount{Tokens: 90}, tokens(chat, 100)))
	})
}
