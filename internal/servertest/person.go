package servertest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/server"
)

// Person sends requests to a server: whoever has its token, a user who is signed in or
// has a key, or nobody, with neither.
type Person struct {
	*testing.T
	*server.Server
	Token   string
	Cookies []*http.Cookie
	// Answered looks at the status of every answer. Nil does nothing.
	Answered func(*http.Request, int)
}

// Enter runs a server and returns who has its token.
func Enter(t *testing.T, cfg server.Config) *Person {
	t.Helper()
	s, _ := Start(t, cfg)
	return &Person{T: t, Server: s, Token: Token}
}

// In is the same person in another test.
func (p *Person) In(t *testing.T) *Person {
	other := *p
	other.T = t
	return &other
}

// With is a person with another token, who is not signed in.
func (p *Person) With(token string) *Person {
	other := *p
	other.Token, other.Cookies = token, nil
	return &other
}

// Password is that of every user.
const Password = "a long enough passphrase"

// SignIn makes a user and a session of theirs.
func (p *Person) SignIn(id string) *Person {
	p.Helper()
	p.Wants(201, "POST", "users", `{"id":"`+id+`","password":"`+Password+`"}`)
	u := p.With("")
	res, text := u.Send(u.Request("POST", "login", `{"login":"`+id+`","password":"`+Password+`"}`))
	if res.StatusCode != 200 {
		p.Fatalf("%s cannot log in: %s", id, text)
	}
	u.Cookies = res.Cookies()
	return u
}

// WithKey is the same user with an API key.
func (p *Person) WithKey(scopes ...string) *Person {
	p.Helper()
	var made struct{ Key string }
	p.Into(&made, 201, "POST", "keys", `{"name":"k","scopes":["`+strings.Join(scopes, `","`)+`"]}`)
	return p.With(made.Key)
}

// Request is one with a body in JSON. The path is below /api/v1/.
func (p *Person) Request(method, path, body string) *http.Request {
	p.Helper()
	r, err := http.NewRequestWithContext(p.Context(), method, "http://127.0.0.1/api/v1/"+path, strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	if p.Token != "" {
		r.Header.Set("Authorization", "Bearer "+p.Token)
	}
	for _, c := range p.Cookies {
		r.AddCookie(c)
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Content-Type", "application/json")
	return r
}

// Open sends a request and leaves its answer to be read.
func (p *Person) Open(r *http.Request) *http.Response {
	p.Helper()
	res, err := p.Client().HTTP.Do(r)
	if err != nil {
		p.Fatal(err)
	}
	return res
}

// Try sends a request from any goroutine.
func (p *Person) Try(r *http.Request) (*http.Response, string, error) {
	res, err := p.Client().HTTP.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	if p.Answered != nil {
		p.Answered(r, res.StatusCode)
	}
	text, err := io.ReadAll(res.Body)
	return res, string(text), err
}

// Send sends a request.
func (p *Person) Send(r *http.Request) (*http.Response, string) {
	p.Helper()
	res, text, err := p.Try(r)
	if err != nil {
		p.Fatal(err)
	}
	return res, text
}

// Wants sends a request and reports an answer that has another status, or not the
// texts.
func (p *Person) Wants(status int, method, path, body string, texts ...string) string {
	p.Helper()
	return p.Answers(status, p.Request(method, path, body), texts...)
}

// Answers is the same with a request of any kind.
func (p *Person) Answers(status int, r *http.Request, texts ...string) string {
	p.Helper()
	res, text := p.Send(r)
	if res.StatusCode != status {
		p.Errorf("%s %s: %d %s", r.Method, r.URL.Path, res.StatusCode, text)
	}
	for _, want := range texts {
		if !strings.Contains(text, want) {
			p.Errorf("%s %s: no %s in %s", r.Method, r.URL.Path, want, text)
		}
	}
	return text
}

// Into decodes the answer.
func (p *Person) Into(v any, status int, method, path, body string) {
	p.Helper()
	if text := p.Wants(status, method, path, body); json.Unmarshal([]byte(text), v) != nil {
		p.Fatalf("%s %s: %s", method, path, text)
	}
}

// Settled waits until all jobs are done.
func (p *Person) Settled() {
	p.Helper()
	if err := p.Wait(p.Context()); err != nil {
		p.Fatal(err)
	}
}
