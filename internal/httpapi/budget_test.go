package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestANegativeBudgetIsRefusedHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.seed("local", "c1")
		mark := a.mark()
		const chat = "users/local/orch-chats/c1"
		for _, budget := range []string{`{"tokens":-1}`, `{"costMicros":-1}`, `{"tokens":5,"costMicros":-9223372036854775808}`, `{"perDay":{"tokens":-1}}`, `{"perMonth":{"costMicros":-1}}`} {
			for _, tt := range []struct{ method, path, body string }{
				{"POST", "/chats", `{"budget":BUDGET}`},
				{"PATCH", "/chats/c1", `{"budget":BUDGET}`},
				{"POST", "/chats/c1/tasks", `{"name":"agent:general","instruction":"x","budget":BUDGET}`},
				{"PUT", "/docs/" + chat, `{"title":"x","budget":BUDGET}`},
				{"PUT", "/docs/users/local/orch-chats/new", `{"budget":BUDGET}`},
				{"PATCH", "/docs/" + chat, `{"budget":BUDGET}`},
				{"PUT", "/docs/" + chat + "/tasks/new", `{"type":"agent","name":"agent:general","instruction":"x","status":"pending","budget":BUDGET}`},
			} {
				a.want(400, tt.method, tt.path, strings.Replace(tt.body, "BUDGET", budget, 1), `"code":"invalid"`)
			}
			push := strings.Replace(`[{"newDocumentState":{"id":"pushed","userId":"local","budget":BUDGET}}]`, "BUDGET", budget, 1)
			if status, text := a.call("POST", "/replication/chats/push", push); status == 200 && text == "[]" {
				t.Errorf("a push was accepted: %s", push)
			}
		}
		if changes := a.changesAfter(mark); len(changes) > 0 {
			t.Errorf("written: %v", changes)
		}
		a.want(201, "POST", "/chats", `{"budget":{"tokens":0,"costMicros":5}}`, "")
	})
}

// The budgets of an account and its projects are set by its owners, and everybody
// there sees what is left of them.
func TestOwnersBoundWhatAnAccountAndItsProjectsUse(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open, func(o *httpapi.Options) { o.UserBudget = nestor.Budget{PerDay: &nestor.Allowance{Tokens: 70}} })
		olga, mia := []string{"Authorization", w.session("olga")}, []string{"Authorization", w.session("mia")}
		otto := []string{"Authorization", w.session("otto")}
		for _, route := range []string{"/accounts/team", "/projects/team.p"} {
			for _, bad := range []string{
				`{"budget":{"tokens":-1}}`, `{"budget":{"perDay":{"tokens":-1}}}`, `{"budget":{"perMonth":{"costMicros":-1}}}`, `{"budget":{"tokens":1.5}}`,
				`{"budget":{"perWeek":{"tokens":1}}}`, `{"budget":7}`, `{"budget":"none"}`, `{"budget":{"tokens":99999999999999999999}}`, `{}`, `{"members":{"mia":"owner"}}`, `{"name":""}`,
			} {
				w.want(400, "PATCH", route, bad, `"code":"invalid"`, olga...)
			}
			w.want(403, "PATCH", route, `{"budget":{"tokens":5}}`, "forbidden", mia...)
			w.want(404, "PATCH", route, `{"budget":{"tokens":5}}`, "not_found", otto...)
			w.want(200, "PATCH", route, `{"budget":{"tokens":500,"perDay":{"tokens":50,"costMicros":7}}}`, `"perDay":{"costMicros":7,"tokens":50}`, olga...)
			_, text := w.call("PATCH", route, `{"budget":{"perMonth":{"tokens":90}}}`, olga...)
			if !strings.Contains(text, `"perMonth"`) || strings.Contains(text, `"perDay"`) || strings.Contains(text, `"tokens":500`) {
				t.Errorf("a budget takes the place of another: %s", text)
			}
		}
		_, text := w.call("GET", "/usage", "", mia...)
		for _, want := range []string{
			`"path":"users/mia"`, `"left":{"perDay":{"tokens":70}}`, `"path":"accounts/team"`, `"path":"accounts/team/projects/team.p"`, `"left":{"perMonth":{"tokens":90}}`,
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s is not in what is left: %s", want, text)
			}
		}
		if _, text := w.call("GET", "/usage", "", otto...); strings.Contains(text, "accounts/team") {
			t.Errorf("who has no part in an account is told of its budget: %s", text)
		}
		w.want(200, "PATCH", "/accounts/team", `{"budget":null}`, "", olga...)
		if _, text := w.call("GET", "/accounts/team", "", olga...); strings.Contains(text, "budget") || !strings.Contains(text, `"mia"`) {
			t.Errorf("without its budget the account is %s", text)
		}
	})
}

// A test of a model is a call like any other: it is paid for, and refused to a
// user who has nothing left.
func TestATestOfAModelCountsAgainstTheBudgetOfItsUser(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open, func(o *httpapi.Options) { o.UserBudget = nestor.Budget{Tokens: 400} })
		w.write("users/otto/model-connections/mine", `{"name":"mine","accessFormat":"demo","modelId":"demo","data":{"instant":true}}`)
		as := []string{"Authorization", w.apiKey("otto", access.ScopeWrite)}
		calls := 0
		for ; calls < 400; calls++ {
			status, text := w.call("POST", "/models/mine/test", "", as...)
			if status == 402 && strings.Contains(text, `"over_budget"`) {
				break
			}
			if status != 200 || !strings.Contains(text, `"ok":true`) {
				t.Fatalf("test %d: %d %s", calls, status, text)
			}
		}
		if calls == 0 || calls == 400 {
			t.Fatalf("%d tests were made", calls)
		}
		w.want(402, "POST", "/models/default/test", "", "over_budget", as...)
		type day struct{ InputTokens, OutputTokens, Calls int64 }
		days := list[day](w, "users/otto/usage")
		var answer struct{ Budgets []budget.Standing }
		if _, text := w.call("GET", "/usage", "", as...); json.Unmarshal([]byte(text), &answer) != nil || len(answer.Budgets) != 1 {
			t.Fatalf("the budgets are %s", text)
		}
		st := answer.Budgets[0]
		var sum day
		for _, d := range days { // two, if the day ends meanwhile
			sum = day{sum.InputTokens + d.InputTokens, sum.OutputTokens + d.OutputTokens, sum.Calls + d.Calls}
		}
		if sum.Calls != int64(calls) || st.Used.Tokens != sum.InputTokens+sum.OutputTokens ||
			st.Used.Tokens == 0 || st.Used.Tokens > 400 || st.Reserved.Tokens != 0 {
			t.Errorf("%d tests: used %+v, the budget stands at %+v", calls, sum, st)
		}
		w.want(200, "POST", "/models/default/test", "", `"ok":true`, "Authorization", w.session("mia")) // who has a budget of her own
	})
}

// list reads a collection.
func list[T any](w *world, collection string) (found []T) {
	w.Helper()
	err := w.store.View(w.Context(), func(r store.Reader) error {
		page, err := r.Query(store.Query{Collection: collection})
		for _, d := range page.Items {
			v, err := nestor.As[T](d)
			if err != nil {
				return err
			}
			found = append(found, v)
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return found
}
