package connection_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// silent is a reply of a server that reports no usage.
func silent(text string) llmtest.Turn {
	return llmtest.Turn{Events: []llm.Event{llm.Text{Text: text}, llm.Finish{Reason: llm.ReasonStop}}}
}

func priceOf(t *testing.T, text string) *llm.Price {
	t.Helper()
	var p llm.Price
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	return &p
}

// A bound in dollars binds a model that no table knows, on a server that does not
// say what a call took.
func TestACostLimitBindsAServerThatReportsNothing(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		c, err := connection.New(connection.Options{
			Store: s, Key: newKey(t), Env: func(string) string { return "" }, UserBudget: nestor.Budget{CostMicros: 500},
		})
		if err != nil {
			t.Fatal(err)
		}
		server := llmtest.OpenAI.Serve(t, silent("ok"), silent("ok"), silent("ok"), silent("ok"))
		d := draft("one", "openai", server.URL)
		save(t, c, d, "")
		_, err = c.Test(t.Context(), user, "one")
		if nestor.CodeOf(err) != nestor.CodeOverBudget || !strings.Contains(err.Error(), "test-model") || !strings.Contains(err.Error(), "give its model connection a price") {
			t.Fatalf("without a price: %v", err)
		}
		if n := len(server.Requests()); n != 0 {
			t.Fatalf("%d calls were made", n)
		}
		d.Price = priceOf(t, `{"input":1,"output":2}`)
		save(t, c, d, "")
		r, err := c.Test(t.Context(), user, "one")
		if err != nil || !r.Usage.Estimated || r.Usage.Input == 0 || r.Usage.Output == 0 || r.Cost == "" || r.Cost == "$0" {
			t.Fatalf("got %+v, %v", r, err)
		}
		spent := spentBy(t, s)
		if want := (r.Usage.Input + 2*r.Usage.Output); spent.Micros != want || spent.Tokens != r.Usage.Input+r.Usage.Output {
			t.Errorf("spent %+v for %+v", spent, r.Usage)
		}
		d.Price = priceOf(t, `{"input":100,"output":0}`)
		save(t, c, d, "")
		if _, err := c.Test(t.Context(), user, "one"); nestor.CodeOf(err) != nestor.CodeOverBudget {
			t.Errorf("beyond the limit: %v", err)
		}
		d.Price = priceOf(t, `{"input":0,"output":0}`) // a server of one's own
		save(t, c, d, "")
		if _, err := c.Test(t.Context(), user, "one"); err != nil || spentBy(t, s).Micros != spent.Micros {
			t.Errorf("for nothing: %v, spent %+v", err, spentBy(t, s))
		}
	})
}

// Whichever of a chain answers is paid at its own price, and all of them bound
// what a call may cost.
func TestThePriceIsThatOfWhoAnswers(t *testing.T) {
	s := engines.SQLite(t)(t, store.Options{})
	c := over(t, s, newKey(t))
	down := llmtest.OpenAI.Serve(t, llmtest.Turn{Status: 503}, llmtest.Turn{Status: 503})
	dear := draft("dear", "openai", llmtest.OpenAI.Serve(t, says("ok")).URL)
	dear.Price = priceOf(t, `{"input":3,"cachedInput":0.5,"output":4}`)
	save(t, c, dear, "")
	cheap := draft("cheap", "openai", down.URL)
	cheap.Price, cheap.FallbackID, cheap.RetryPolicy.MaxAttempts = priceOf(t, `{"input":1,"output":1}`), "dear", 1
	save(t, c, cheap, "")
	r, err := ask(t, c, "cheap")
	if _, micros := budget.Priced(r.Model, r.Usage); err != nil || micros != 10*3+2*4 {
		t.Errorf("%+v costs %d, %v", r.Usage, micros, err)
	}
	m, err := c.Open(t.Context(), user, "cheap")
	if cost, ok := llm.CostOf(m, llm.Usage{Input: 1}); err != nil || !ok || cost.String() != "$0.000003" {
		t.Errorf("a token may cost %v, %v, %v", cost, ok, err)
	}
	dear.Price = nil
	save(t, c, dear, "")
	if m, err = c.Open(t.Context(), user, "cheap"); err != nil {
		t.Fatal(err)
	}
	if cost, ok := llm.CostOf(m, llm.Usage{Input: 1}); ok {
		t.Errorf("with a fallback of no price a token may cost %v", cost)
	}
}

func TestAPriceThatIsNoneIsRefused(t *testing.T) {
	for _, text := range []string{
		`{"input":-1,"output":1}`, `{"input":1,"output":-0.01}`, `{"input":1,"output":1,"cachedInput":-1}`, `{"input":1e300,"output":1}`,
		`{"input":1}`, `{"output":1}`, `{}`, `{"input":"1","output":1}`, `{"input":1,"output":1,"perToken":1}`, `5`, `"free"`, `[1,2]`,
	} {
		var d connection.Connection
		err := json.Unmarshal([]byte(`{"accessFormat":"demo","price":`+text+`}`), &d)
		if err == nil {
			d.ID = "one"
			_, err = over(t, engines.SQLite(t)(t, store.Options{}), newKey(t)).Save(t.Context(), user, d, connection.Secrets{}, store.AnyVersion)
		}
		if nestor.CodeOf(err) != nestor.CodeInvalid || !strings.Contains(err.Error(), "price") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
