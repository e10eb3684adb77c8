package priority_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor/internal/domain/priority"
	"github.com/nestorhq/nestor/internal/httpapi/apitest"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/server"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// person sends requests to a server: whoever has its token, or a user who is signed
// in or has a key.
type person struct {
	*testing.T
	*server.Server
	id, token string
	cookies   []*http.Cookie
}

// start runs a server and returns who has its token.
func start(t *testing.T, cfg server.Config) *person {
	t.Helper()
	s, _ := servertest.Start(t, cfg)
	return &person{T: t, Server: s, id: "local", token: servertest.Token}
}

// statuses are those that the description has for the routes of the module.
var statuses = sync.OnceValue(func() *apitest.Statuses {
	text, err := module.List{priority.Module}.Description()
	if err != nil {
		panic(err)
	}
	s, err := apitest.Described(text, patterns())
	if err != nil {
		panic(err)
	}
	return s
})

// patterns are those of the routes of the module.
func patterns() (all []string) {
	for _, r := range (module.List{priority.Module}).Routes() {
		all = append(all, r.Pattern)
	}
	return all
}

const password = "a long enough passphrase"

// signIn makes a user, if there is none, and a session of theirs.
func (p *person) signIn(id string) *person {
	p.Helper()
	p.wants(201, "POST", "users", `{"id":"`+id+`","password":"`+password+`"}`)
	u := &person{T: p.T, Server: p.Server, id: id}
	res, text := u.send("POST", "login", "application/json", `{"login":"`+id+`","password":"`+password+`"}`)
	if res.StatusCode != 200 {
		p.Fatalf("%s cannot log in: %s", id, text)
	}
	u.cookies = res.Cookies()
	return u
}

// withKey is the same user with an API key.
func (p *person) withKey(scope string) *person {
	p.Helper()
	var made struct{ Key string }
	p.into(&made, 201, "POST", "keys", `{"name":"k","scopes":["`+scope+`"]}`)
	return &person{T: p.T, Server: p.Server, id: p.id, token: made.Key}
}

func (p *person) send(method, path, kind, body string) (*http.Response, string) {
	p.Helper()
	r, err := http.NewRequestWithContext(p.Context(), method, "http://127.0.0.1/api/v1/"+path, strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	if p.token != "" {
		r.Header.Set("Authorization", "Bearer "+p.token)
	}
	for _, c := range p.cookies {
		r.AddCookie(c)
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Content-Type", kind)
	res, err := p.Client().HTTP.Do(r)
	if err != nil {
		p.Fatal(err)
	}
	defer res.Body.Close()
	if what := statuses().Missing(statuses().Pattern(r), res.StatusCode); what != "" {
		p.Errorf("%s, which is not documented", what)
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		p.Fatal(err)
	}
	return res, string(text)
}

// wants sends a request and reports an answer that has another status, or not the
// texts.
func (p *person) wants(status int, method, path, body string, texts ...string) string {
	p.Helper()
	return p.wantsOf("application/json", status, method, path, body, texts...)
}

func (p *person) wantsOf(kind string, status int, method, path, body string, texts ...string) string {
	p.Helper()
	res, text := p.send(method, path, kind, body)
	if res.StatusCode != status {
		p.Errorf("%s %s: %d %s", method, path, res.StatusCode, text)
	}
	for _, want := range texts {
		if !strings.Contains(text, want) {
			p.Errorf("%s %s: no %s in %s", method, path, want, text)
		}
	}
	return text
}

// into decodes the answer.
func (p *person) into(v any, status int, method, path, body string) {
	p.Helper()
	if text := p.wants(status, method, path, body); json.Unmarshal([]byte(text), v) != nil {
		p.Fatalf("%s %s: %s", method, path, text)
	}
}

// id is that of what a request creates.
func (p *person) creates(path, body string) string {
	p.Helper()
	var made struct{ ID string }
	p.into(&made, 201, "POST", path, body)
	return made.ID
}

// settled waits until all jobs are done.
func (p *person) settled() {
	p.Helper()
	if err := p.Wait(p.Context()); err != nil {
		p.Fatal(err)
	}
}

type task struct {
	ID, Text     string
	Document     string  `json:"document_id"`
	EffortHours  float64 `json:"effort_hours"`
	Done         bool
	ChatID       string `json:"chat_id"`
	DocumentName string `json:"document_title"`
	Status       string
	Result       string
}

// tasks are those of the person, by their text.
func (p *person) tasks(query string) map[string]task {
	p.Helper()
	var list struct{ Items []task }
	p.into(&list, 200, "GET", "tasks"+query, "")
	found := map[string]task{}
	for _, t := range list.Items {
		found[t.Text] = t
	}
	return found
}
