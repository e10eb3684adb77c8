package connection_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
	"github.com/nestorhq/nestor/internal/llm/scripted"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestWhichModelMakesVectors(t *testing.T) {
	const elsewhere = "https://models.example/v1"
	for _, tt := range []struct{ format, url, named, want string }{
		{connection.OpenAI, "", "", "text-embedding-3-small"},
		{connection.OpenAI, "", "text-embedding-3-large", "text-embedding-3-large"},
		{connection.OpenAI, "", "none", ""},
		{connection.OpenAI, elsewhere, "", ""},
		{connection.OpenAI, elsewhere, "nomic-embed-text", "nomic-embed-text"},
		{connection.Gemini, "", "", "gemini-embedding-001"},
		{connection.Gemini, elsewhere, "", ""},
		{connection.Anthropic, "", "", ""},
		{connection.Anthropic, "", "none", ""},
		{connection.Demo, "", "", ""},
	} {
		t.Run(strings.Join([]string{tt.format, tt.url, tt.named}, " "), func(t *testing.T) {
			c := open(t)
			d := draft("one", tt.format, tt.url)
			d.EmbeddingModel = tt.named
			save(t, c, d, secret)
			got := ""
			if e, err := c.Embedder(t.Context(), user, "one"); err != nil {
				t.Fatal(err)
			} else if e != nil {
				got = e.Name()
			}
			if got != tt.want {
				t.Errorf("it is %q, want %q", got, tt.want)
			}
		})
	}
	d := draft("one", connection.Anthropic, "")
	d.EmbeddingModel = "claude-vectors"
	_, err := open(t).Save(t.Context(), user, d, connection.Secrets{}, store.AnyVersion)
	if nestor.CodeOf(err) != nestor.CodeInvalid || !strings.Contains(err.Error(), "embeddingModel") {
		t.Errorf("a model that Anthropic has not: %v", err)
	}
}

// The environment names the model of a compatible server, and the program's models
// make no vectors.
func TestTheDefaultConnectionsVectors(t *testing.T) {
	env := map[string]string{"NESTOR_MODEL": "openai:llama", "OPENAI_BASE_URL": "https://models.example/v1"}
	for named, want := range map[string]string{"": "", "nomic-embed-text": "nomic-embed-text"} {
		env["NESTOR_EMBEDDING_MODEL"] = named
		c, err := connection.New(connection.Options{Store: engines.SQLite(t)(t, store.Options{}), Key: newKey(t), Env: func(name string) string { return env[name] }})
		if err != nil {
			t.Fatal(err)
		}
		if e, err := c.Embedder(t.Context(), user, ""); err != nil || (e != nil) != (want != "") || e != nil && e.Name() != want {
			t.Errorf("NESTOR_EMBEDDING_MODEL=%s: %v, %v", named, e, err)
		}
	}
	c, err := connection.New(connection.Options{
		Store: engines.SQLite(t)(t, store.Options{}), Key: newKey(t), Env: func(string) string { return "" },
		Models: map[string]llm.Model{connection.Default: &scripted.Model{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if e, err := c.Embedder(t.Context(), user, ""); e != nil || err != nil {
		t.Errorf("of the program's model: %v, %v", e, err)
	}
}

// Many texts are sent in several requests, those that fail for a passing reason are
// repeated, and what was made is charged to the user and shown as used.
func TestVectorsAreMadeAndPaidFor(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		c := limited(t, s, nestor.Budget{Tokens: 1000, CostMicros: 1000})
		server := llmtest.OpenAIEmbeddings.Serve(t, oneNumber)
		d := draft("one", connection.OpenAI, server.URL)
		d.EmbeddingModel, d.Concurrency, d.RetryPolicy = "text-embedding-3-small", 1, nestor.RetryPolicy{InitialBackoff: nestor.Duration(time.Millisecond)}
		save(t, c, d, secret)
		e, err := c.Embedder(t.Context(), user, "one")
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for i := range 70 {
			texts = append(texts, fmt.Sprint("text ", i))
		}
		server.Fail(llmtest.Turn{Status: http.StatusServiceUnavailable, Message: "busy"})
		made, err := e.Embed(t.Context(), texts)
		if err != nil || len(made.Vectors) != 70 || made.Usage.Input != 70 {
			t.Fatalf("%d vectors, %+v, %v", len(made.Vectors), made.Usage, err)
		}
		for i, v := range made.Vectors {
			if v[0] != oneNumber(texts[i])[0] {
				t.Errorf("text %d has the vector %v", i, v)
			}
		}
		requests := server.Requests()
		if len(requests) != 4 || requests[0].Header.Get("Authorization") != "Bearer "+secret {
			t.Errorf("%d requests, the first with %v", len(requests), requests[0].Header)
		}
		// 32, 32 and 6 tokens at 0.02 dollars per million, each rounded up.
		if spent := spentBy(t, s); spent != (budget.Amount{Tokens: 70, Micros: 3}) {
			t.Errorf("it took %+v", spent)
		}
		err = s.View(t.Context(), func(r store.Reader) error {
			days, err := budget.Days(r, user, "2000-01-01", "2999-01-01")
			if len(days) != 1 || days[0].Models["text-embedding-3-small"].Calls != 3 {
				t.Errorf("used: %+v", days)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// Vectors that would cost more than is left are not asked for, and those that fail
// take nothing.
func TestVectorsBeyondTheBudgetAreNotMade(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		c := limited(t, s, nestor.Budget{Tokens: 20})
		server := llmtest.OpenAIEmbeddings.Serve(t, oneNumber)
		d := draft("one", connection.OpenAI, server.URL)
		d.EmbeddingModel = "some-model"
		save(t, c, d, secret)
		e, err := c.Embedder(t.Context(), user, "one")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Embed(t.Context(), []string{strings.Repeat("many words ", 50)}); nestor.CodeOf(err) != nestor.CodeOverBudget {
			t.Errorf("got %v", err)
		}
		if n := len(server.Requests()); n != 0 {
			t.Errorf("%d requests were made", n)
		}
		server.Fail(llmtest.Turn{Status: http.StatusUnauthorized, Message: "no"})
		_, err = e.Embed(t.Context(), []string{"one"})
		if nestor.CodeOf(err) != nestor.CodeUnauthenticated || strings.Contains(err.Error(), secret) {
			t.Errorf("got %v", err)
		}
		if spent := spentBy(t, s); spent != (budget.Amount{}) {
			t.Errorf("it took %+v", spent)
		}
	})
}

func limited(t *testing.T, s store.Store, b nestor.Budget) *connection.Connections {
	t.Helper()
	c, err := connection.New(connection.Options{
		Store: s, Key: newKey(t), Env: func(string) string { return "" }, UserBudget: b, AllowPrivate: true,
		HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func oneNumber(text string) []float32 { return []float32{float32(len(text)), 1} }
