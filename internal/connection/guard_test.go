package connection_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestOnlyAdministratorsSaveAPrivateBaseURL(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		c := over(t, s, newKey(t))
		makeUser(t, s, "ann", `{"name":"ann","admin":true,"disabled":false}`)
		makeUser(t, s, "bob", `{"name":"bob","admin":false,"disabled":false}`)
		for _, url := range []string{
			"http://localhost:11434/v1", "http://LOCALHOST.", "http://ollama.localhost", "http://127.0.0.1:1", "http://[::1]/v1", "http://10.1.2.3",
			"http://192.168.0.1", "http://169.254.169.254/latest", "http://[fe80::1]", "http://[::ffff:127.0.0.1]", "http://0.0.0.0:80",
		} {
			for user, want := range map[string]nestor.Code{"ann": "", "bob": nestor.CodeForbidden, "nobody": nestor.CodeForbidden, "local": ""} {
				_, err := c.Save(t.Context(), user, draft("x", connection.OpenAI, url), connection.Secrets{}, store.AnyVersion)
				if nestor.CodeOf(err) != want {
					t.Errorf("%s saves %s: %v, want %q", user, url, err, want)
				}
			}
		}
		if _, err := c.Save(t.Context(), "bob", draft("x", connection.OpenAI, "https://models.example/v1"), connection.Secrets{}, store.AnyVersion); err != nil {
			t.Error(err)
		}
	})
}

// The check when a connection is saved keeps nobody out by itself: a document
// may come another way, and a name may lead elsewhere later.
func TestAModelIsNotCalledAtAPrivateAddress(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		var called atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called.Add(1) }))
		defer server.Close()
		byName := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
		s := open(t, store.Options{})
		c := over(t, s, newKey(t))
		for _, format := range []string{connection.OpenAI, connection.Anthropic, connection.Gemini} {
			for _, url := range []string{server.URL, byName} {
				// Saved by an administrator, who is none any more when it is used.
				makeUser(t, s, "bob", `{"name":"bob","admin":true,"disabled":false}`)
				if _, err := c.Save(t.Context(), "bob", draft("x", format, url), connection.Secrets{Secret: new(secret)}, store.AnyVersion); err != nil {
					t.Fatal(err)
				}
				makeUser(t, s, "bob", `{"name":"bob","admin":false,"disabled":false}`)
				if _, err := c.Test(t.Context(), "bob", "x"); nestor.CodeOf(err) != nestor.CodeForbidden {
					t.Errorf("a test of %s at %s: %v", format, url, err)
				}
				m, err := c.Open(t.Context(), "bob", "x")
				if err != nil {
					t.Fatal(err)
				}
				if _, err := llm.Collect(m.Generate(t.Context(), question())); nestor.CodeOf(err) != nestor.CodeForbidden {
					t.Errorf("a call of %s at %s: %v", format, url, err)
				}
			}
		}
		if n := called.Load(); n > 0 {
			t.Errorf("the private server was called %d times", n)
		}
		// A key may write the document itself, past the check of Save.
		write(t, s, "users/bob/model-connections/y", `{"name":"y","modelId":"m","accessFormat":"openai","baseUrl":"`+byName+`"}`)
		if _, err := c.Test(t.Context(), "bob", "y"); nestor.CodeOf(err) != nestor.CodeForbidden || called.Load() > 0 {
			t.Errorf("a connection written by hand: %v", err)
		}
		makeUser(t, s, "bob", `{"name":"bob","admin":true,"disabled":false}`)
		if _, err := c.Test(t.Context(), "bob", "y"); nestor.CodeOf(err) == nestor.CodeForbidden || called.Load() == 0 {
			t.Errorf("as an administrator: %v", err)
		}
	})
}

func TestTheOperatorMayAllowPrivateAddresses(t *testing.T) {
	var called atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called.Add(1) }))
	defer server.Close()
	s := engines.SQLite(t)(t, store.Options{})
	c, err := connection.New(connection.Options{
		Store: s, Key: newKey(t), Env: func(string) string { return "" }, AllowPrivate: true,
		HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Save(t.Context(), "bob", draft("x", connection.OpenAI, server.URL), connection.Secrets{}, store.AnyVersion); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Test(t.Context(), "bob", "x"); nestor.CodeOf(err) == nestor.CodeForbidden || called.Load() == 0 {
		t.Errorf("the test: %v", err)
	}
}

func makeUser(t testing.TB, s store.Store, id, body string) { write(t, s, "users/"+id, body) }

func write(t testing.TB, s store.Store, p, body string) {
	t.Helper()
	err := s.Update(t.Context(), func(tx store.Tx) error {
		_, err := tx.Put(nestor.Path(p), []byte(body), store.AnyVersion)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
