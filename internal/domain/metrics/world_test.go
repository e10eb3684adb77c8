package metrics_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/server"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// person sends requests to a server: whoever has its token, or a user.
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

// signIn makes a user and a session of theirs. More is said about the user in JSON.
func (p *person) signIn(id, more string) *person {
	p.Helper()
	p.wants(201, "POST", "users", `{"id":"`+id+`","password":"`+password+`"`+more+`}`)
	u := &person{T: p.T, Server: p.Server, id: id}
	res, text := u.send("POST", "login", `{"login":"`+id+`","password":"`+password+`"}`)
	if res.StatusCode != 200 {
		p.Fatalf("%s cannot log in: %s", id, text)
	}
	u.cookies = res.Cookies()
	return u
}

// withKey is the same user with an API key, which more is said about in JSON.
func (p *person) withKey(more string) *person {
	p.Helper()
	var made struct{ Key string }
	p.into(&made, 201, "POST", "keys", `{"name":"k"`+more+`}`)
	return &person{T: p.T, Server: p.Server, id: p.id, token: made.Key}
}

func (p *person) send(method, path, body string) (*http.Response, string) {
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
	res, err := p.Client().HTTP.Do(r)
	if err != nil {
		p.Fatal(err)
	}
	defer res.Body.Close()
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

// answer is what a query is answered with.
type answer struct {
	Rows []struct {
		Start, End int64
		Group      map[string]string
		Values     map[string]float64
	}
	From, To, WindowMS int64
	RelativeError      float64
}

// asks queries metrics at a path such as metrics/query.
func (p *person) asks(path, name string, params ...string) (a answer) {
	p.Helper()
	q := url.Values{"name": {name}}
	for _, one := range params {
		name, value, _ := strings.Cut(one, "=")
		q.Add(name, value)
	}
	p.into(&a, 200, "GET", path+"?"+q.Encode(), "")
	return a
}

// total is a value of the only row, 0 if there is none.
func (a answer) total(t *testing.T, name string) float64 {
	t.Helper()
	switch len(a.Rows) {
	case 0:
		return 0
	case 1:
		return a.Rows[0].Values[name]
	}
	t.Fatalf("%d rows instead of one: %+v", len(a.Rows), a.Rows)
	return 0
}
