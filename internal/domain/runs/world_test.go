package runs_test

import (
	"bufio"
	"context"
	"encoding/json"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/server"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// person sends requests to a server with the demo model.
type person struct {
	*servertest.Person
	model *gated
}

// each runs fn with a server on every engine.
func each(t *testing.T, fn func(p *person)) {
	t.Helper()
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model := &gated{Model: demo.New(demo.Options{Instant: true})}
		cfg.Model = model
		fn(&person{servertest.Enter(t, cfg), model})
	})
}

// gated is a model that can be made to wait.
type gated struct {
	llm.Model
	mu sync.Mutex
	// asked is told when the model is asked, and goOn lets it answer. Nil lets all go.
	asked, goOn chan struct{}
	// price is what it costs. Nil is nothing.
	price *llm.Price
}

func (g *gated) hold() (asked, goOn chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked, g.goOn = make(chan struct{}, 100), make(chan struct{})
	return g.asked, g.goOn
}

func (g *gated) Generate(ctx context.Context, r *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		g.mu.Lock()
		asked, goOn := g.asked, g.goOn
		g.mu.Unlock()
		if asked != nil {
			asked <- struct{}{}
			select {
			case <-goOn:
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
		for e, err := range g.Model.Generate(ctx, r) {
			if used, ok := e.(llm.Usage); ok {
				used.Price = g.price
				e = used
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// chat makes a chat.
func (p *person) chat(id string) {
	p.Helper()
	p.Wants(201, "POST", "chats", `{"id":"`+id+`","title":"t"}`)
}

// asks says something and waits for what comes of it.
func (p *person) asks(chat, id, content string) (got nestor.RunResult) {
	p.Helper()
	body, err := json.Marshal(map[string]string{"id": id, "content": content})
	if err != nil {
		p.Fatal(err)
	}
	p.Into(&got, 200, "POST", "chats/"+chat+"/messages?wait=1", string(body))
	return got
}

// run is a run as it is when all jobs are done.
func (p *person) run(id string) (got nestor.RunResult) {
	p.Helper()
	p.Settled()
	p.Into(&got, 200, "GET", "runs/"+id, "")
	return got
}

type event struct {
	name, id string
	runs.Event
}

// events reads what is told of a run until its end, from after a position.
func (p *person) events(run, after string) (all []event) { return p.told(run, after, "run_ended") }

// told reads what is told of a run until an event of a name.
func (p *person) told(run, after, last string) (all []event) {
	p.Helper()
	r := p.Request("GET", "runs/"+run+"/events", "")
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	res := p.Open(r)
	defer res.Body.Close()
	if res.StatusCode != 200 {
		p.Fatalf("no stream: %v", res.Status)
	}
	var e event
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "event":
			e.name = value
		case "id":
			e.id = value
		case "data":
			if err := json.Unmarshal([]byte(value), &e.Event); err != nil {
				p.Fatal(err)
			}
		case "":
			if e.name != "" {
				all = append(all, e)
			}
			if e.name == last {
				return all
			}
			e = event{}
		}
	}
	return all
}
