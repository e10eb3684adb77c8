package graphs_test

import (
	"bufio"
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

// person sends requests to a server.
type person struct {
	*testing.T
	*server.Server
	token   string
	cookies []*http.Cookie
}

// start runs a server and returns who has its token.
func start(t *testing.T, cfg server.Config) *person {
	t.Helper()
	s, _ := servertest.Start(t, cfg)
	return &person{T: t, Server: s, token: servertest.Token}
}

const password = "a long enough passphrase"

// signIn makes a user and a session of theirs.
func (p *person) signIn(id string) *person {
	p.Helper()
	p.wants(201, "POST", "users", `{"id":"`+id+`","password":"`+password+`"}`)
	u := &person{T: p.T, Server: p.Server}
	res, text := u.send("POST", "login", `{"login":"`+id+`","password":"`+password+`"}`)
	if res.StatusCode != 200 {
		p.Fatalf("%s cannot log in: %s", id, text)
	}
	u.cookies = res.Cookies()
	return u
}

func (p *person) request(method, path, body string) *http.Response {
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
	if at, after, ok := strings.Cut(path, "#"); ok { // where a stream resumes
		r.URL.Path = "/api/v1/" + at
		r.Header.Set("Last-Event-ID", after)
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Content-Type", "application/json")
	res, err := p.Client().HTTP.Do(r)
	if err != nil {
		p.Fatal(err)
	}
	return res
}

func (p *person) send(method, path, body string) (*http.Response, string) {
	p.Helper()
	res := p.request(method, path, body)
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
		p.Fatalf("%s %s: %d %s", method, path, res.StatusCode, text)
	}
	for _, want := range texts {
		if !strings.Contains(text, want) {
			p.Errorf("%s %s: no %s in %s", method, path, want, text)
		}
	}
	return text
}

// runs begins an execution of a graph and returns its id.
func (p *person) runs(graph, input string) string {
	p.Helper()
	var begun struct{ ID string }
	if err := json.Unmarshal([]byte(p.wants(202, "POST", "records/agent_graphs/"+graph+"/executions", `{"input":`+input+`}`)), &begun); err != nil {
		p.Fatal(err)
	}
	return begun.ID
}

// ends waits until all jobs are done and returns the execution.
func (p *person) ends(execution string, texts ...string) string {
	p.Helper()
	if err := p.Wait(p.Context()); err != nil {
		p.Fatal(err)
	}
	return p.wants(200, "GET", "records/agent_graph_executions/"+execution, "", texts...)
}

// event is one of a stream.
type event struct{ name, id, data string }

// follows reads the events of an execution until the stream ends. It returns once the
// stream has begun.
func (p *person) follows(execution, after string) <-chan []event {
	p.Helper()
	path := "records/agent_graph_executions/" + execution + "/events"
	if after != "" {
		path += "#" + after
	}
	res := p.request("GET", path, "")
	if res.StatusCode != 200 {
		p.Fatalf("no stream: %v", res.Status)
	}
	done := make(chan []event, 1)
	go func() {
		defer res.Body.Close()
		var all []event
		var e event
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			switch name, value, _ := strings.Cut(lines.Text(), ": "); name {
			case "event":
				e.name = value
			case "id":
				e.id = value
			case "data":
				e.data += value
			case "":
				if e.name != "" && e.data != "" {
					all = append(all, e)
				}
				e = event{}
			}
		}
		done <- all
	}()
	return done
}
