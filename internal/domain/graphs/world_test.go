package graphs_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/server"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// person sends requests to a server.
type person struct{ *servertest.Person }

// start runs a server and returns who has its token.
func start(t *testing.T, cfg server.Config) *person {
	t.Helper()
	return &person{servertest.Enter(t, cfg)}
}

func (p *person) signIn(id string) *person { p.Helper(); return &person{p.SignIn(id)} }

// request leaves its answer to be read. After # in a path is where a stream resumes.
func (p *person) request(method, path, body string) *http.Response {
	p.Helper()
	path, after, _ := strings.Cut(path, "#")
	r := p.Request(method, path, body)
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	return p.Open(r)
}

func (p *person) send(method, path, body string) (*http.Response, string) {
	p.Helper()
	return p.Send(p.Request(method, path, body))
}

func (p *person) wants(status int, method, path, body string, texts ...string) string {
	p.Helper()
	return p.Wants(status, method, path, body, texts...)
}

// runs begins an execution of a graph and returns its id.
func (p *person) runs(graph, input string) string {
	p.Helper()
	var begun struct{ ID string }
	p.Into(&begun, 202, "POST", "records/agent_graphs/"+graph+"/executions", `{"input":`+input+`}`)
	return begun.ID
}

// ends waits until all jobs are done and returns the execution.
func (p *person) ends(execution string, texts ...string) string {
	p.Helper()
	p.Settled()
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
