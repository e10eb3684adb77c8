package connection_test

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

const (
	user   = "local"
	secret = "sk-live-QUJDREVGR0hJSktMTU5P"
)

var wires = map[string]llmtest.Wire{
	connection.OpenAI: llmtest.OpenAI, connection.Anthropic: llmtest.Anthropic, connection.Gemini: llmtest.Gemini,
}

func newKey(t testing.TB) *access.Key {
	t.Helper()
	k, err := access.LoadKey("", filepath.Join(t.TempDir(), "key"))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// open makes connections on an empty SQLite database and environment.
func open(t testing.TB) *connection.Connections {
	t.Helper()
	return over(t, engines.SQLite(t)(t, store.Options{}), newKey(t))
}

// over makes connections whose HTTP leaves nothing behind.
func over(t testing.TB, s store.Store, key *access.Key) *connection.Connections {
	t.Helper()
	c, err := connection.New(connection.Options{
		Store: s, Key: key, Env: func(string) string { return "" },
		HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func draft(id, format, url string) connection.Connection {
	return connection.Connection{Meta: nestor.Meta{ID: id}, AccessFormat: format, ModelID: "test-model", BaseURL: url}
}

func save(t testing.TB, c *connection.Connections, draft connection.Connection, secret string) connection.Connection {
	t.Helper()
	saved, err := c.Save(t.Context(), user, draft, connection.Secrets{Secret: &secret}, store.AnyVersion)
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

func says(text string) llmtest.Turn {
	return llmtest.Turn{Events: []llm.Event{
		llm.Text{Text: text}, llm.Usage{Input: 10, Output: 2}, llm.Finish{Reason: llm.ReasonStop},
	}}
}

func ask(t testing.TB, c *connection.Connections, id string) (llm.Reply, error) {
	t.Helper()
	m, err := c.Open(t.Context(), user, id)
	if err != nil {
		t.Fatal(err)
	}
	return llm.Collect(m.Generate(t.Context(), question()))
}

func question() *llm.Request {
	return &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "Hello?"}}}}}
}
