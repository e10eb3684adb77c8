package remote_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/server"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// gated is a model that can be made to wait, or to fail.
type gated struct {
	llm.Model
	mu sync.Mutex
	// asked is told when the model is asked, and goOn lets it answer. Nil lets all go.
	asked, goOn chan struct{}
	failure     error
}

func newModel() *gated { return &gated{Model: demo.New(demo.Options{Instant: true})} }

func (g *gated) hold() (asked, goOn chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked, g.goOn = make(chan struct{}, 100), make(chan struct{})
	return g.asked, g.goOn
}

func (g *gated) fails(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.failure = err
}

func (g *gated) Generate(ctx context.Context, r *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		g.mu.Lock()
		asked, goOn, failure := g.asked, g.goOn, g.failure
		g.mu.Unlock()
		if failure != nil {
			yield(nil, failure)
			return
		}
		if asked != nil && len(r.Tools) > 0 { // titles are nobody's concern
			asked <- struct{}{}
			select {
			case <-goOn:
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
		g.Model.Generate(ctx, r)(yield)
	}
}

// there is the server of the remote agent, with its user.
type there struct {
	*servertest.Person
	model *gated
}

func enterThere(t *testing.T, cfg server.Config) *there {
	t.Helper()
	model := newModel()
	cfg.Addr, cfg.Model = "127.0.0.1:0", model
	return &there{servertest.Enter(t, cfg).SignIn("guest").WithKey("write"), model}
}

// runs are those of the remote agent's user.
func (p *there) runs() []nestor.Run {
	p.Helper()
	var list struct{ Items []nestor.Run }
	p.Into(&list, 200, "GET", "runs", "")
	return list.Items
}

// roles are the roles of a server whose agents work at p.
func (p *there) roles(participant string) map[string]server.Role {
	return map[string]server.Role{"peer": {Description: "works elsewhere", A2A: &server.RemoteAgent{
		URL: p.URL() + "/a2a/" + participant + "/.well-known/agent-card.json", Headers: map[string]string{"Authorization": "Bearer ${PEER_KEY}"},
	}}}
}

// here is a server whose agents of the role peer work elsewhere.
type here struct {
	*servertest.Person
	chat string
}

func enterHere(t *testing.T, cfg server.Config, key string, roles map[string]server.Role, more ...func(*server.Config)) *here {
	t.Helper()
	cfg.Model, cfg.Roles, cfg.AllowPrivate = newModel(), roles, true
	cfg.Env = func(name string) string { return map[string]string{"PEER_KEY": key}[name] }
	for _, change := range more {
		change(&cfg)
	}
	return &here{servertest.Enter(t, cfg), "c1"}
}

// begins begins a task of a remote agent.
func (p *here) begins(id, instruction string) {
	p.Helper()
	if res, _ := p.Send(p.Request("GET", "chats/c1", "")); res.StatusCode == 404 {
		p.Wants(201, "POST", "chats", `{"id":"c1","title":"t"}`)
	}
	body, err := json.Marshal(map[string]string{"id": id, "name": "agent:peer", "instruction": instruction})
	if err != nil {
		p.Fatal(err)
	}
	p.Wants(201, "POST", "chats/c1/tasks", string(body))
}

// task is a task when all jobs are done.
func (p *here) task(id string) (t nestor.Task) {
	p.Helper()
	p.Settled()
	p.Into(&t, 200, "GET", "docs/users/local/orch-chats/c1/tasks/"+id, "")
	return t
}

// note is what is known of the remote task of a task.
func (p *here) note(t nestor.Task) (n nestor.RemoteTask, text string) {
	p.Helper()
	text = p.Wants(200, "GET", "docs/users/local/orch-chats/c1/sub-agents/"+t.SubAgentID+"/remote-tasks/current", "")
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		p.Fatal(err)
	}
	return n, text
}

func contains(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("no %q in %q", part, text)
	}
}
