package priority_test

import (
	"net/http"
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

// person is one with their id. What they are answered is documented.
type person struct {
	*servertest.Person
	id string
}

// start runs a server and returns who has its token.
func start(t *testing.T, cfg server.Config) *person {
	t.Helper()
	return owner(servertest.Enter(t, cfg))
}

// owner is who has the token of a server.
func owner(p *servertest.Person) *person {
	p.Answered = func(r *http.Request, status int) {
		if what := statuses().Missing(statuses().Pattern(r), status); what != "" {
			p.Errorf("%s, which is not documented", what)
		}
	}
	return &person{p, "local"}
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

func (p *person) signIn(id string) *person { p.Helper(); return &person{p.SignIn(id), id} }

func (p *person) withKey(scope string) *person { p.Helper(); return &person{p.WithKey(scope), p.id} }

func (p *person) send(method, path, body string) (*http.Response, string) {
	p.Helper()
	return p.Send(p.Request(method, path, body))
}

func (p *person) wants(status int, method, path, body string, texts ...string) string {
	p.Helper()
	return p.Wants(status, method, path, body, texts...)
}

// wantsOf has a body of another kind.
func (p *person) wantsOf(kind string, status int, method, path, body string, texts ...string) string {
	p.Helper()
	r := p.Request(method, path, body)
	r.Header.Set("Content-Type", kind)
	return p.Answers(status, r, texts...)
}

func (p *person) into(v any, status int, method, path, body string) {
	p.Helper()
	p.Into(v, status, method, path, body)
}

func (p *person) settled() { p.Helper(); p.Settled() }

// creates returns the id of what a request makes.
func (p *person) creates(path, body string) string {
	p.Helper()
	var made struct{ ID string }
	p.into(&made, 201, "POST", path, body)
	return made.ID
}

type task struct {
	ID, Text     string
	Document     string  `json:"document_id"`
	EffortHours  float64 `json:"effort_hours"`
	Done         bool
	ChatID       string `json:"chat_id"`
	DocumentName string `json:"document_title"`
	DueDate      string `json:"due_date"`
	NotBefore    string `json:"not_before"`
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
