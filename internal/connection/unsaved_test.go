package connection_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestAConnectionIsTestedBeforeItIsSaved(t *testing.T) {
	engines.Each(t, func(t *testing.T, database engines.Database) {
		s := database(t, store.Options{})
		c := bounded(t, s, 10_000)
		for format, wire := range wires {
			server := wire.Serve(t, says("ok"))
			r, err := c.TestUnsaved(t.Context(), user, draft("", format, server.URL), connection.Secrets{Secret: new(secret), Headers: map[string]string{"X-Tenant": "house"}})
			if err != nil || r.Text != "ok" || r.Model != "test-model" {
				t.Errorf("%s: %+v, %v", format, r, err)
			}
			sent := server.Requests()[0].Header
			if text := strings.Join([]string{sent.Get("Authorization"), sent.Get("X-Api-Key"), sent.Get("X-Goog-Api-Key")}, ""); !strings.Contains(text, secret) || sent.Get("X-Tenant") != "house" {
				t.Errorf("%s was sent %v", format, sent)
			}
		}
		if list, err := c.List(t.Context(), user); err != nil || len(list) != 1 {
			t.Errorf("something was saved: %+v, %v", list, err)
		}
		wantNothingAt(t, s, "users/"+user+"/model-connections", nestor.Secrets+"/"+user+"/model-connections")
		if spent := spentBy(t, s); spent.Tokens != int64(len(wires))*12 {
			t.Errorf("the tests took %+v", spent)
		}
	})
}

// A change is tried with the key that is stored, as saving would keep it, and never
// at another address.
func TestAChangeIsTestedWithTheStoredSecret(t *testing.T) {
	engines.Each(t, func(t *testing.T, database engines.Database) {
		s := database(t, store.Options{})
		c := over(t, s, newKey(t))
		server, other := llmtest.OpenAI.Serve(t, says("ok"), says("ok"), says("ok")), llmtest.OpenAI.Serve(t)
		saved := save(t, c, draft("one", connection.OpenAI, server.URL), secret)
		changed := draft("one", connection.OpenAI, server.URL)
		changed.ModelID = "another-model"
		if r, err := c.TestUnsaved(t.Context(), user, changed, connection.Secrets{}); err != nil || r.Model != "another-model" {
			t.Errorf("got %+v, %v", r, err)
		}
		if got := server.Requests()[0].Header.Get("Authorization"); got != "Bearer "+secret {
			t.Errorf("sent %q", got)
		}
		if _, err := c.TestUnsaved(t.Context(), user, changed, connection.Secrets{Secret: new("sk-another-one")}); err != nil {
			t.Error(err)
		}
		if got := server.Requests()[1].Header.Get("Authorization"); got != "Bearer sk-another-one" {
			t.Errorf("sent %q", got)
		}
		if now, err := c.Get(t.Context(), user, "one"); err != nil || now.ModelID != saved.ModelID || now.Version != saved.Version {
			t.Errorf("the test changed the connection: %+v, %v", now, err)
		}
		elsewhere := draft("one", connection.OpenAI, other.URL)
		_, err := c.TestUnsaved(t.Context(), user, elsewhere, connection.Secrets{})
		if nestor.CodeOf(err) != nestor.CodeInvalid || len(other.Requests()) > 0 {
			t.Errorf("the key went to another address: %v", err)
		}
		makeUser(t, s, "ann", `{"name":"ann","admin":true,"disabled":false}`)
		if _, err := c.TestUnsaved(t.Context(), "ann", changed, connection.Secrets{}); err != nil {
			t.Error(err)
		}
		if got := server.Requests()[2].Header.Get("Authorization"); got != "" {
			t.Errorf("for another user %q was sent", got)
		}
	})
}

func TestWhatWouldNotBeSavedIsNotCalled(t *testing.T) {
	engines.Each(t, func(t *testing.T, database engines.Database) {
		s := database(t, store.Options{})
		c := over(t, s, newKey(t))
		makeUser(t, s, "bob", `{"name":"bob","admin":false,"disabled":false}`)
		server := llmtest.OpenAI.Serve(t, says("ok"))
		byName := strings.Replace(server.URL, "127.0.0.1", "localhost.", 1)
		for name, tt := range map[string]struct {
			user  string
			draft connection.Connection
			given connection.Secrets
			code  nestor.Code
		}{
			"a private address":          {"bob", draft("", connection.OpenAI, server.URL), connection.Secrets{}, nestor.CodeForbidden},
			"a name of this machine":     {"bob", draft("", connection.OpenAI, byName), connection.Secrets{}, nestor.CodeForbidden},
			"the environment's":          {user, draft(connection.Default, connection.OpenAI, server.URL), connection.Secrets{}, nestor.CodeForbidden},
			"no format":                  {user, draft("", "telepathy", server.URL), connection.Secrets{}, nestor.CodeInvalid},
			"a key that no header has":   {user, draft("", connection.OpenAI, server.URL), connection.Secrets{Secret: new("a b")}, nestor.CodeInvalid},
			"a header that is our own":   {user, draft("", connection.OpenAI, server.URL), connection.Secrets{Headers: map[string]string{"Host": "x"}}, nestor.CodeInvalid},
			"an id that no document has": {user, draft("a/b", connection.OpenAI, server.URL), connection.Secrets{}, nestor.CodeInvalid},
		} {
			if err := c.CheckUnsaved(t.Context(), tt.user, tt.draft, tt.given); nestor.CodeOf(err) != tt.code {
				t.Errorf("%s: the check says %v", name, err)
			}
			if _, err := c.TestUnsaved(t.Context(), tt.user, tt.draft, tt.given); nestor.CodeOf(err) != tt.code {
				t.Errorf("%s: the test says %v", name, err)
			}
		}
		if n := len(server.Requests()); n > 0 {
			t.Errorf("the server was called %d times", n)
		}
	})
}

func TestATestWithoutSavingKeepsToTheBudget(t *testing.T) {
	engines.Each(t, func(t *testing.T, database engines.Database) {
		s := database(t, store.Options{})
		server := llmtest.OpenAI.Serve(t, says("ok"))
		c := bounded(t, s, 10)
		_, err := c.TestUnsaved(t.Context(), user, draft("", connection.OpenAI, server.URL), connection.Secrets{Secret: new(secret)})
		if nestor.CodeOf(err) != nestor.CodeOverBudget || len(server.Requests()) > 0 {
			t.Errorf("beyond the budget: %v, %d calls", err, len(server.Requests()))
		}
		if spent := spentBy(t, s); spent != (budget.Amount{}) {
			t.Errorf("it took %+v", spent)
		}
	})
}

// What fails before it is saved is called by the name that the person gave it.
func TestAFailedTestNamesTheFieldToChange(t *testing.T) {
	c := open(t)
	empty := httptest.NewServer(http.NotFoundHandler())
	defer empty.Close()
	for name, tt := range map[string]struct {
		url, secret, field, want string
	}{
		"a wrong key":         {llmtest.OpenAI.Serve(t, llmtest.Turn{Status: 401, Message: "no " + secret}).URL, secret, "secret", "does not accept the API key of connection My model: give it a valid one"},
		"no key":              {llmtest.OpenAI.Serve(t, llmtest.Turn{Status: 401, Message: "no"}).URL, "", "secret", "wants an API key: give one to connection My model"},
		"an unknown model":    {llmtest.OpenAI.Serve(t, llmtest.Turn{Status: 404, Message: "The model test-model does not exist"}).URL, secret, "modelId", "there is no model test-model for this key"},
		"a wrong path":        {empty.URL + "/elsewhere", secret, "baseUrl", "is the base URL right? ("},
		"a missing version":   {empty.URL, secret, "baseUrl", "Most such servers want /v1 at its end."},
		"nobody there":        {"http://127.0.0.1:1", secret, "baseUrl", "nobody listens at"},
		"an unknown host":     {"http://no-such-host.invalid", secret, "baseUrl", "cannot be found"},
		"https where is none": {strings.Replace(empty.URL, "http://", "https://", 1), secret, "baseUrl", "begin the base URL with http://"},
	} {
		t.Run(name, func(t *testing.T) {
			d := draft("", connection.OpenAI, tt.url)
			d.Name = "My model"
			_, err := c.TestUnsaved(t.Context(), user, d, connection.Secrets{Secret: new(tt.secret)})
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), secret) {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			var e *nestor.Error
			if !errors.As(err, &e) || e.Details["field"] != tt.field {
				t.Errorf("the field is %v, want %s", e.Details["field"], tt.field)
			}
		})
	}
}

// wantNothingAt checks that there is no document in the collections.
func wantNothingAt(t *testing.T, s store.Store, collections ...string) {
	t.Helper()
	err := s.View(t.Context(), func(r store.Reader) error {
		for _, at := range collections {
			page, err := r.Query(store.Query{Collection: at, Limit: 1})
			if err != nil {
				return err
			}
			if len(page.Items) > 0 {
				t.Errorf("there is %s", page.Items[0].Path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// bounded makes connections of users who may use so many tokens.
func bounded(t *testing.T, s store.Store, tokens int64) *connection.Connections {
	t.Helper()
	c, err := connection.New(connection.Options{
		Store: s, Key: newKey(t), Env: func(string) string { return "" }, UserBudget: nestor.Budget{Tokens: tokens},
		HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
