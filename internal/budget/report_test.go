package budget_test

import (
	"fmt"
	"hash/crc32"
	"maps"
	"reflect"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/store"
)

func (e env) report(from, to string, by []budget.By, users ...string) (report budget.Report) {
	e.Helper()
	e.must(e.s.View(e.Context(), func(r store.Reader) error {
		sum, err := budget.NewReporter(from, to, by...)
		if err != nil {
			return err
		}
		for _, user := range users {
			if err := sum.Add(r, user); err != nil {
				return err
			}
		}
		report = sum.Report()
		return nil
	}))
	return report
}

func TestAReportTellsApartWhatItIsAskedTo(t *testing.T) {
	each(t, func(e env) {
		first, second := day("2026-03-01T12:00:00Z"), day("2026-03-02T12:00:00Z")
		used := func(model, role string, chat nestor.Path, tokens, micros int64) budget.Used {
			return budget.Used{Model: model, Role: role, Chat: chat, Calls: 1, CostMicros: micros, Usage: nestor.Usage{InputTokens: tokens}}
		}
		e.record(first, "ann", used("big", "orchestrator", "users/ann/orch-chats/c1", 1, 100), used("big", "coder", "users/ann/orch-chats/c1", 2, 200))
		e.record(first, "ann", used("big", "coder", "users/ann/orch-chats/c1", 4, 0))
		e.record(second, "ann", used("small", "coder", "users/bob/orch-chats/c1", 8, 5), used("small", "", "", 16, 0))
		e.record(second, "bob", used("small", "coder", "users/bob/orch-chats/c1", 32, 7))
		type row struct {
			group  string
			tokens int64
			micros int64
			calls  int
		}
		for _, tt := range []struct {
			by    []budget.By
			users []string
			want  []row
		}{
			{nil, []string{"ann"}, []row{{"map[]", 31, 305, 5}}},
			{[]budget.By{budget.ByModel}, []string{"ann"}, []row{{"map[model:big]", 7, 300, 3}, {"map[model:small]", 24, 5, 2}}},
			{[]budget.By{budget.ByRole}, []string{"ann"}, []row{{"map[role:coder]", 14, 205, 3}, {"map[role:orchestrator]", 1, 100, 1}, {"map[role:]", 16, 0, 1}}},
			// Chats of the same id of two users are two.
			{[]budget.By{budget.ByChat}, []string{"ann"}, []row{
				{"map[chat:users/ann/orch-chats/c1]", 7, 300, 3}, {"map[chat:users/bob/orch-chats/c1]", 8, 5, 1}, {"map[chat:]", 16, 0, 1},
			}},
			{[]budget.By{budget.ByDay, budget.ByModel}, []string{"ann"}, []row{
				{"map[day:2026-03-01 model:big]", 7, 300, 3}, {"map[day:2026-03-02 model:small]", 24, 5, 2},
			}},
			{[]budget.By{budget.ByUser}, []string{"ann", "bob", "nobody"}, []row{{"map[user:ann]", 31, 305, 5}, {"map[user:bob]", 32, 7, 1}}},
		} {
			report := e.report("2026-03-01", "2026-03-02", tt.by, tt.users...)
			var got []row
			var sum row
			for _, r := range report.Rows {
				got = append(got, row{fmt.Sprint(r.Group), r.InputTokens, r.CostMicros, r.Calls})
				sum = row{"", sum.tokens + r.InputTokens, sum.micros + r.CostMicros, sum.calls + r.Calls}
			}
			if !reflect.DeepEqual(got, tt.want) {
				e.Errorf("by %v of %v: %+v, want %+v", tt.by, tt.users, got, tt.want)
			}
			if total := (row{"", report.Total.InputTokens, report.Total.CostMicros, report.Total.Calls}); total != sum {
				e.Errorf("by %v the total is %+v, and the rows add up to %+v", tt.by, total, sum)
			}
		}
		if got := e.report("2026-03-02", "2026-03-02", nil, "ann"); got.Total.Calls != 2 {
			e.Errorf("the second day: %+v", got)
		}
		for _, bad := range [][]budget.By{{"week"}, {""}, {budget.ByDay, budget.ByDay}} {
			if _, err := budget.NewReporter("2026-03-01", "2026-03-01", bad...); nestor.CodeOf(err) != nestor.CodeInvalid {
				e.Errorf("by %q: %v", bad, err)
			}
		}
	})
}

// However many chats share a book, each write stays small and nothing is lost, also in the
// share whose full books have the last ids of the day.
func TestABookThatIsFullIsPutAway(t *testing.T) {
	each(t, func(e env) {
		user := "u0"
		for i := 1; crc32.ChecksumIEEE([]byte(user))%128 != 99; i++ {
			user = fmt.Sprintf("u%d", i)
		}
		at, want := day("2026-03-01T12:00:00Z"), map[string]int64{}
		const chats = 100
		for i := range 3 * chats {
			chat := nestor.Path(fmt.Sprintf("users/%s/orch-chats/c%d", user, i%chats))
			want[string(chat)] += int64(i)
			e.record(at, user, budget.Used{Model: "m", Role: "coder", Chat: chat, Calls: 1, Usage: nestor.Usage{OutputTokens: int64(i)}})
		}
		got := map[string]int64{}
		for _, r := range e.report("2026-03-01", "2026-03-01", []budget.By{budget.ByChat}, user).Rows {
			got[r.Group[budget.ByChat]] = r.OutputTokens
		}
		if !maps.Equal(got, want) {
			e.Errorf("the chats used %v, want %v", got, want)
		}
		if days := e.days(user, "2026-03-01", "2026-03-01"); len(days) != 1 || days[0].Calls != 3*chats || days[0].Models["m"] != days[0].Totals {
			e.Errorf("the day is %+v", days)
		}
		e.must(e.s.View(e.Context(), func(r store.Reader) error {
			page, err := r.Query(store.Query{Collection: "users/" + user + "/usage"})
			for _, d := range page.Items {
				if len(d.Data) > 8000 {
					e.Errorf("a book has %d bytes", len(d.Data))
				}
			}
			if len(page.Items) < 3 {
				e.Errorf("there are %d books", len(page.Items))
			}
			return err
		}))
	})
}

// What was used before entries were kept is told without a role and a chat.
func TestAReportHasWhatBooksOfBeforeTell(t *testing.T) {
	each(t, func(e env) {
		e.must(e.s.Update(e.Context(), func(tx store.Tx) error {
			for _, id := range []string{"2026-03-01", "2026-03-01.05"} {
				if _, err := tx.Create(nestor.Path("users/u1/usage/"+id), map[string]any{"inputTokens": 5, "calls": 2, "models": map[string]any{"m": map[string]any{"inputTokens": 5, "calls": 2}}}); err != nil {
					return err
				}
			}
			return nil
		}))
		at := day("2026-03-01T12:00:00Z")
		for _, key := range []string{"u1", "other"} { // one of them may be the share of before
			e.must(e.s.Update(e.Context(), func(tx store.Tx) error {
				return budget.Record(tx, at, "u1", key, budget.Used{Model: "m", Role: "coder", Calls: 1, Usage: nestor.Usage{InputTokens: 1}})
			}))
		}
		rows := e.report("2026-03-01", "2026-03-01", []budget.By{budget.ByRole}, "u1").Rows
		if len(rows) != 2 || rows[0].Group[budget.ByRole] != "" || rows[0].InputTokens != 10 || rows[0].Calls != 4 || rows[1].InputTokens != 2 || rows[1].Calls != 2 {
			e.Errorf("got %+v", rows)
		}
	})
}
