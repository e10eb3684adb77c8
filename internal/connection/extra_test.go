package connection_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// Headers are kept as the secret is: sealed, never shown, and for one address.
func TestHeadersAreSealedAndSentToWhereTheyWereGivenFor(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		s := db(t, store.Options{})
		c := over(t, s, newKey(t))
		server := llmtest.OpenAI.Serve(t, says("ok"), says("ok"))
		d := draft("one", "openai", server.URL)
		d.ExtraBody = map[string]json.RawMessage{"provider": json.RawMessage(`{"order":["b"]}`)}
		d.ContextTokens = 3000
		given := map[string]string{"X-Gateway": secret, "X-Team": "blue"}
		saved, err := c.Save(t.Context(), user, d, connection.Secrets{Headers: given}, store.AnyVersion)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(saved.HeaderNames, []string{"X-Gateway", "X-Team"}) || saved.HasSecret {
			t.Errorf("saved %+v", saved)
		}
		// They stay when the connection is saved again without them.
		if _, err := c.Save(t.Context(), user, d, connection.Secrets{}, store.AnyVersion); err != nil {
			t.Fatal(err)
		}
		if _, err := ask(t, c, "one"); err != nil {
			t.Fatal(err)
		}
		got := server.Requests()[0]
		if got.Header.Get("X-Gateway") != secret || got.Header.Get("X-Team") != "blue" || !strings.Contains(string(got.Body), `"provider":{"order":["b"]}`) {
			t.Errorf("sent %v %s", got.Header, got.Body)
		}
		m, err := c.Open(t.Context(), user, "one")
		if sized, ok := m.(llm.Sized); err != nil || !ok || sized.ContextTokens() != 3000 {
			t.Errorf("the model %v does not know its size, %v", m, err)
		}
		changes := written(t, s)
		if len(changes) < 4 { // one of them is the mark
			t.Fatalf("%d changes", len(changes))
		}
		if text, err := json.Marshal(changes); err != nil || strings.Contains(string(text), secret) {
			t.Errorf("a header is stored in the clear: %s, %v", text, err)
		}
		moved := d
		moved.BaseURL = "http://elsewhere.example/v1"
		if _, err := c.Save(t.Context(), user, moved, connection.Secrets{}, store.AnyVersion); nestor.CodeOf(err) != nestor.CodeInvalid {
			t.Errorf("another address: %v", err)
		}
		if gone, err := c.Save(t.Context(), user, moved, connection.Secrets{Headers: map[string]string{}}, store.AnyVersion); err != nil || gone.HeaderNames != nil {
			t.Errorf("without headers: %+v, %v", gone, err)
		}
	})
}

func TestExtrasThatMakeNoSenseAreRefused(t *testing.T) {
	c := open(t)
	for name, tt := range map[string]struct {
		change func(*connection.Connection, *connection.Secrets)
		field  string
	}{
		"a field of ours": {func(c *connection.Connection, _ *connection.Secrets) {
			c.ExtraBody = map[string]json.RawMessage{"messages": []byte("[]")}
		}, "extraBody.messages"},
		"a field like a secret": {func(c *connection.Connection, _ *connection.Secrets) {
			c.ExtraBody = map[string]json.RawMessage{"api_key": []byte(`"x"`)}
		}, "extraBody.api_key"},
		"a negative size":  {func(c *connection.Connection, _ *connection.Secrets) { c.ContextTokens = -1 }, "contextTokens"},
		"a header of ours": {func(_ *connection.Connection, s *connection.Secrets) { s.Headers = map[string]string{"host": "x"} }, "headers.host"},
		"a header with a break": {func(_ *connection.Connection, s *connection.Secrets) {
			s.Headers = map[string]string{"X-A": "a\r\nHost: b"}
		}, "headers.X-A"},
		"a name with a break": {func(_ *connection.Connection, s *connection.Secrets) {
			s.Headers = map[string]string{"X-A\r\nHost": "b"}
		}, "headers"},
		"a header in two spells": {func(_ *connection.Connection, s *connection.Secrets) {
			s.Headers = map[string]string{"X-A": "1", "x-a": "2"}
		}, "headers."},
	} {
		t.Run(name, func(t *testing.T) {
			d, s := draft("one", "openai", ""), connection.Secrets{}
			tt.change(&d, &s)
			_, err := c.Save(t.Context(), user, d, s, store.AnyVersion)
			if nestor.CodeOf(err) != nestor.CodeInvalid || !strings.Contains(err.Error(), tt.field) {
				t.Errorf("got %v, want the field %s", err, tt.field)
			}
		})
	}
}

func TestTheModelsOfAProviderAreListed(t *testing.T) {
	lists := map[string]string{
		"/v1/models":       `{"object":"list","data":[{"id":"a","object":"model","max_model_len":4096},{"id":"b","object":"model"}]}`,
		"/a/v1/models":     `{"data":[{"type":"model","id":"a","display_name":"A","max_input_tokens":4096},{"type":"model","id":"b"}],"has_more":false}`,
		"/g/v1beta/models": `{"models":[{"name":"models/a","displayName":"A","inputTokenLimit":4096,"supportedGenerationMethods":["generateContent"]},{"name":"models/e","supportedGenerationMethods":["embedContent"]},{"name":"models/b"}]}`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if key := r.Header.Get("Authorization") + r.Header.Get("X-Api-Key") + r.Header.Get("X-Goog-Api-Key"); !strings.Contains(key, secret) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(lists[r.URL.Path]))
	}))
	defer server.Close()
	c := open(t)
	for format, path := range map[string]string{"openai": "/v1", "anthropic": "/a", "gemini": "/g"} {
		save(t, c, draft(format, format, server.URL+path), secret)
		list, err := c.Offered(t.Context(), user, format)
		if err != nil || len(list) != 2 || list[0].ID != "a" || list[0].ContextTokens != 4096 || list[1].ID != "b" {
			t.Errorf("%s: %+v, %v", format, list, err)
		}
		save(t, c, draft(format, format, server.URL+path), "sk-wrong-wrong")
		if _, err := c.Offered(t.Context(), user, format); nestor.CodeOf(err) != nestor.CodeUnauthenticated || !strings.Contains(err.Error(), "connection "+format) {
			t.Errorf("%s: %v", format, err)
		}
	}
	if list, err := c.Offered(t.Context(), user, "default"); err != nil || len(list) != 1 || list[0].ID != "demo" {
		t.Errorf("demo: %+v, %v", list, err)
	}
}

// written are all changes so far. Other transactions of the same server can
// delay the log, so it writes a mark and waits for that.
func written(t *testing.T, s store.Store) []nestor.Change {
	t.Helper()
	var mark *nestor.Document
	err := s.Update(t.Context(), func(tx store.Tx) (err error) {
		mark, err = tx.Create("marks/m", json.RawMessage(`{}`))
		return err
	})
	for last := int64(0); err == nil && last < mark.Seq; {
		last, err = s.LastSeq(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	changes, err := s.Changes(t.Context(), 0, 100, nil)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}
