package connection_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// A server that a user runs may say anything about what a call took. Nothing
// that it says gives anything back.
func TestWhatAModelReportsNeverGivesBackWhatWasUsed(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		c, err := connection.New(connection.Options{
			Store: s, Key: newKey(t), Env: func(string) string { return "" }, UserBudget: nestor.Budget{Tokens: 1 << 40, CostMicros: 1 << 40},
			HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		})
		if err != nil {
			t.Fatal(err)
		}
		scopes := []budget.Scope{{Path: "users/" + user, Limit: nestor.Budget{Tokens: 1}}}
		err = s.Update(t.Context(), func(tx store.Tx) error {
			return budget.Settle(tx, budget.Call{ID: "before"}, scopes, budget.Amount{Tokens: 1000, Micros: 1000})
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, tokens := range []string{"-5000", "-9223372036854775808", "9223372036854775807"} {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprintf(w, `data: {"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`+"\n\n"+
					`data: {"id":"x","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":%[1]s,"completion_tokens":%[1]s,"total_tokens":%[1]s}}`+"\n\ndata: [DONE]\n\n", tokens)
			}))
			d := draft("one", connection.OpenAI, server.URL)
			d.ModelID = "gpt-5"
			save(t, c, d, secret)
			if r, err := c.Test(t.Context(), user, "one"); err != nil || r.Usage.Input < 0 || r.Usage.Output < 0 {
				t.Errorf("%s tokens: %+v, %v", tokens, r, err)
			}
			server.Close()
			if spent := spentBy(t, s); spent.Tokens < 1000 || spent.Micros < 1000 {
				t.Errorf("after a call of %s tokens the ledger has %+v", tokens, spent)
			}
		}
	})
}

// A test that nobody answers takes nothing, and leaves nothing reserved.
func TestATestThatFailsTakesNothing(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		c, err := connection.New(connection.Options{
			Store: s, Key: newKey(t), Env: func(string) string { return "" }, UserBudget: nestor.Budget{Tokens: 500},
			HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		})
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusBadGateway) }))
		defer server.Close()
		save(t, c, draft("one", connection.OpenAI, server.URL), secret)
		for range 10 { // together they would be beyond the budget
			if _, err := c.Test(t.Context(), user, "one"); err == nil || nestor.CodeOf(err) == nestor.CodeOverBudget {
				t.Fatalf("got %v", err)
			}
		}
		if spent := spentBy(t, s); spent != (budget.Amount{}) {
			t.Errorf("it took %+v", spent)
		}
	})
}

// spentBy is what the user's ledger says was spent. Nothing may be reserved in
// it.
func spentBy(t *testing.T, s store.Store) (spent budget.Amount) {
	t.Helper()
	err := s.View(t.Context(), func(r store.Reader) error {
		st, err := budget.Stand(r, budget.Scope{Path: "users/" + user}, time.Now())
		if st.Reserved != (nestor.Allowance{}) {
			t.Errorf("%v is still reserved", st.Reserved)
		}
		spent = budget.Amount{Tokens: st.Used.Tokens, Micros: st.Used.CostMicros}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return spent
}
