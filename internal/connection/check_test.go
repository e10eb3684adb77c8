package connection_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestATestMakesARealRoundTrip(t *testing.T) {
	models := map[string]string{"openai": "gpt-5", "anthropic": "claude-sonnet-5", "gemini": "gemini-2.5-pro"}
	for format, wire := range wires {
		t.Run(format, func(t *testing.T) {
			server := wire.Serve(t, says("ok"))
			c := open(t)
			d := draft("one", format, server.URL)
			d.ModelID, d.FallbackID = models[format], "default"
			save(t, c, d, secret)
			r, err := c.Test(t.Context(), user, "one")
			if err != nil {
				t.Fatal(err)
			}
			cost, _ := llm.Cost(d.ModelID, llm.Usage{Input: 10, Output: 2})
			if r.Model != d.ModelID || r.Text != "ok" || r.Usage.Input != 10 || r.Usage.Output != 2 || r.Cost != cost.String() || r.Cost == "$0" {
				t.Errorf("reported %+v", r)
			}
			if body := string(server.Requests()[0].Body); !strings.Contains(body, "Reply with the word ok.") {
				t.Errorf("asked %s", body)
			}
		})
	}
}

func TestTheDemoModelPassesItsTest(t *testing.T) {
	if r, err := open(t).Test(t.Context(), user, ""); err != nil || r.Model != "demo" || r.Text == "" || r.Cost != "$0" {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestAFailedTestSaysWhatToDo(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html>Welcome</html>"))
	}))
	defer page.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	empty := httptest.NewServer(http.NotFoundHandler())
	defer empty.Close()

	for format, wire := range wires {
		serve := func(turn llmtest.Turn) string { return wire.Serve(t, turn).URL }
		for name, tt := range map[string]struct {
			url, secret string
			code        nestor.Code
			want        string
		}{
			"a wrong key": {
				serve(llmtest.Turn{Status: 401, Message: "Incorrect API key provided: " + secret}), secret,
				nestor.CodeUnauthenticated, "does not accept the API key of connection one: give it a valid one",
			},
			"an unknown host": {"http://no-such-host.invalid", secret, nestor.CodeUnavailable, "the host no-such-host.invalid cannot be found"},
			"nobody there":    {gone.URL, secret, nestor.CodeUnavailable, "nobody listens at " + gone.URL},
			"a wrong path":    {empty.URL, secret, nestor.CodeInvalid, "is the base URL right?"},
			"a web page":      {page.URL, secret, nestor.CodeInvalid, "is the base URL right?"},
			"an unknown model": {
				serve(llmtest.Turn{Status: 404, Message: "The model test-model does not exist, " + secret}), secret,
				nestor.CodeInvalid, "there is no model test-model for this key",
			},
			"a limit": {serve(llmtest.Turn{Status: 429, Message: "Quota exceeded"}), secret, nestor.CodeRateLimited, "Quota exceeded"},
		} {
			t.Run(format+": "+name, func(t *testing.T) {
				c := open(t)
				save(t, c, draft("one", format, tt.url), tt.secret)
				_, err := c.Test(t.Context(), user, "one")
				if nestor.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v (%s), want %q", err, nestor.CodeOf(err), tt.want)
				}
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error shows the secret: %v", err)
				}
			})
		}
	}
}

func TestAMissingKeyIsNamedByItsConnection(t *testing.T) {
	server := llmtest.OpenAI.Serve(t, llmtest.Turn{Status: 401, Message: "no"})
	c := open(t)
	save(t, c, draft("one", "openai", server.URL), "")
	if _, err := c.Test(t.Context(), user, "one"); err == nil || !strings.Contains(err.Error(), "wants an API key: give one to connection one") {
		t.Errorf("got %v", err)
	}
}

func TestATestThatTakesTooLongEnds(t *testing.T) {
	server := llmtest.OpenAI.Serve(t, llmtest.Turn{Ending: llmtest.Stall})
	c, err := connection.New(connection.Options{
		Store: engines.SQLite(t)(t, store.Options{}), Key: newKey(t), HTTPClient: server.Client, TestTimeout: 2 * time.Second,
		Env: func(name string) string {
			return map[string]string{"NESTOR_MODEL": "openai:m", "OPENAI_BASE_URL": server.URL}[name]
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Test(t.Context(), user, "default")
	if nestor.CodeOf(err) != nestor.CodeTimeout || !strings.Contains(err.Error(), "within 2s") {
		t.Errorf("got %v", err)
	}
	<-server.Left
}
