package records_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

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

const password = "a long enough passphrase"

// signIn makes a user and a session of theirs.
func (p *person) signIn(id string) *person {
	p.Helper()
	p.wants(201, "POST", "users", `{"id":"`+id+`","password":"`+password+`"}`)
	u := &person{T: p.T, Server: p.Server, id: id}
	res, text := u.send("POST", "login", `{"login":"`+id+`","password":"`+password+`"}`)
	if res.StatusCode != 200 {
		p.Fatalf("%s cannot log in: %s", id, text)
	}
	u.cookies = res.Cookies()
	return u
}

// withKey is the same user with an API key.
func (p *person) withKey() *person {
	p.Helper()
	var made struct{ Key string }
	p.into(&made, 201, "POST", "keys", `{"name":"k","scopes":["write"]}`)
	return &person{T: p.T, Server: p.Server, id: p.id, token: made.Key}
}

func (p *person) request(method, path, body string) *http.Request {
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
	r.Header.Set("Content-Type", "application/json")
	return r
}

// try sends a request from any goroutine.
func (p *person) try(r *http.Request) (*http.Response, string, error) {
	res, err := p.Client().HTTP.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return res, string(text), err
}

func (p *person) send(method, path, body string) (*http.Response, string) {
	p.Helper()
	res, text, err := p.try(p.request(method, path, body))
	if err != nil {
		p.Fatal(err)
	}
	return res, text
}

// wants sends a request and reports an answer that has another status, or not the
// texts.
func (p *person) wants(status int, method, path, body string, texts ...string) string {
	p.Helper()
	res, text := p.send(method, path, body)
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

// creates returns the id of what a request makes.
func (p *person) creates(path, body string) string {
	p.Helper()
	var made struct{ ID string }
	p.into(&made, 201, "POST", "records/"+path, body)
	return made.ID
}

// settled waits until all jobs are done.
func (p *person) settled() {
	p.Helper()
	if err := p.Wait(p.Context()); err != nil {
		p.Fatal(err)
	}
}
