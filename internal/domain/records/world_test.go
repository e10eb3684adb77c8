package records_test

import (
	"net/http"
	"testing"

	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/server"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// person is one with their id, whose records are in question.
type person struct {
	*servertest.Person
	id string
}

// start runs a server and returns who has its token.
func start(t *testing.T, cfg server.Config) *person {
	t.Helper()
	return &person{servertest.Enter(t, cfg), "local"}
}

func (p *person) in(t *testing.T) *person { return &person{p.In(t), p.id} }

func (p *person) signIn(id string) *person { p.Helper(); return &person{p.SignIn(id), id} }

func (p *person) withKey() *person { p.Helper(); return &person{p.WithKey("write"), p.id} }

func (p *person) request(method, path, body string) *http.Request {
	p.Helper()
	return p.Request(method, path, body)
}

func (p *person) try(r *http.Request) (*http.Response, string, error) { return p.Try(r) }

func (p *person) send(method, path, body string) (*http.Response, string) {
	p.Helper()
	return p.Send(p.Request(method, path, body))
}

func (p *person) wants(status int, method, path, body string, texts ...string) string {
	p.Helper()
	return p.Wants(status, method, path, body, texts...)
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
	p.Into(&made, 201, "POST", "records/"+path, body)
	return made.ID
}
