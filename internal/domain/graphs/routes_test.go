package graphs_test

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
	"github.com/nestorhq/nestor/server"
)

// drawn makes a graph of nodes "id type parameters" and edges "a.out>b.in".
func drawn(nodes []string, edges ...string) string {
	var n, e []string
	for _, node := range nodes {
		f := strings.SplitN(node+"  ", " ", 3)
		p := strings.TrimSpace(f[2])
		if p == "" {
			p = "{}"
		}
		n = append(n, fmt.Sprintf(`{"id":%q,"nodeId":%q,"position":{"x":1,"y":2},"parameters":%s}`, f[0], f[1], p))
	}
	for _, edge := range edges {
		from, to, _ := strings.Cut(edge, ">")
		a, out, _ := strings.Cut(from, ".")
		b, in, _ := strings.Cut(to, ".")
		e = append(e, fmt.Sprintf(`{"sourceNodeId":%q,"sourcePortId":%q,"targetNodeId":%q,"targetPortId":%q}`, a, out, b, in))
	}
	return `"nodes":[` + strings.Join(n, ",") + `],"edges":[` + strings.Join(e, ",") + `]`
}

func (p *person) draws(id string, nodes []string, edges ...string) {
	p.Helper()
	p.wants(201, "POST", "records/agent_graphs", `{"id":"`+id+`","name":"A graph",`+drawn(nodes, edges...)+`}`)
}

const graphs = "records/agent_graphs"

func TestGraphsAreSavedReadChangedAndDeleted(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		echo := drawn([]string{"s on-start", "o output"}, "s.signal>o.run", "s.text>o.value")
		p.wants(201, "POST", graphs, `{"id":"g1","name":" Echo ",`+echo+`}`, `"name":"Echo"`, `"warnings":[]`, `"maxResolutions":100`, `"position":{"x":1,"y":2}`)
		p.wants(409, "POST", graphs, `{"id":"g1","name":"Echo",`+echo+`}`)
		p.wants(400, "POST", graphs, `{"id":"a/b","name":"Echo",`+echo+`}`, `"field":"id"`)
		p.wants(400, "POST", graphs, `{"name":"","nodes":[],"edges":[]}`, `"field":"name"`)
		p.wants(400, "POST", graphs, `{"name":"x","nodes":[],"edges":[],"color":"red"}`, "color")
		p.wants(400, "POST", graphs, `{"name":"x","edges":[]}`, `"field":"nodes"`)
		p.wants(400, "POST", graphs, `{"name":"x","nodes":[],"edges":null}`, `"field":"edges"`)
		p.wants(400, "POST", graphs, `{"name":"x","nodes":[null],"edges":[]}`, `"field":"nodes[0]"`)
		p.wants(201, "POST", graphs, `{"id":"unplaced","name":"x","nodes":[{"id":"s","nodeId":"on-start"}],"edges":[]}`, `"position":{"x":0,"y":0}`)
		p.wants(200, "PATCH", graphs+"/unplaced", `{"nodes":[{"id":"s","nodeId":"on-start","position":{"x":3,"y":4}}]}`, `"position":{"x":3,"y":4}`)
		p.wants(204, "DELETE", graphs+"/unplaced", "")
		bad := drawn([]string{"s on-start", "x nonsense", "c condition {\"expression\":\"value +\"}"}, "s.text>c.run", "s.signal>gone.run")
		p.wants(400, "POST", graphs, `{"name":"Bad",`+bad+`}`, `"reason":"BAD_GRAPH"`, `"unknown-node-type"`, `"bad-parameters"`, `"port-type-mismatch"`, `"dangling-edge"`, `"missing-input"`, `"nodeId":"x"`)
		p.wants(200, "POST", graphs+"/validate", `{`+bad+`}`, `"unknown-node-type"`, `"dangling-edge"`, `"warnings":[]`)
		large := []string{"s on-start"}
		var chain []string
		for i := range 999 {
			large = append(large, fmt.Sprintf(`n%d map {"expression":"value + %d.0"}`, i, i))
			if i > 0 {
				chain = append(chain, fmt.Sprintf("n%d.done>n%d.run", i-1, i), fmt.Sprintf("n%d.result>n%d.value", i-1, i))
			}
		}
		chain = append(chain, "s.signal>n0.run", "s.input>n0.value")
		p.wants(200, "POST", graphs+"/validate", `{`+drawn(large, chain...)+`}`, `{"errors":[],"warnings":[]}`)
		p.wants(201, "POST", graphs, `{"id":"large","name":"Large",`+drawn(large, chain...)+`}`)
		p.wants(204, "DELETE", graphs+"/large", "")
		p.wants(200, "POST", graphs+"/validate", `{`+drawn([]string{"d debug-log"})+`}`, `"errors":[]`, `"unreachable"`, `"no-start"`)

		p.wants(200, "PATCH", graphs+"/g1", `{"name":"Loud","maxResolutions":7}`, `"name":"Loud"`, `"maxResolutions":7`, `"nodeId":"on-start"`)
		p.wants(400, "PATCH", graphs+"/g1", `{`+bad+`}`, `"BAD_GRAPH"`)
		p.wants(200, "GET", graphs+"/g1", "", `"name":"Loud"`, `"nodeId":"output"`)
		p.wants(200, "GET", graphs+"?limit=1", "", `"id":"g1"`)
		p.wants(404, "PATCH", graphs+"/none", `{"name":"x"}`)
		p.wants(404, "POST", graphs+"/none/executions", `{}`)
		p.wants(200, "GET", "node_types", "", `"id":"invoke-language-model"`, `"type":"chat-model"`, `"id":"onError"`)

		bob := p.signIn("bob")
		for _, call := range [][2]string{{"GET", ""}, {"PATCH", ""}, {"DELETE", ""}, {"POST", "/executions"}} {
			bob.wants(404, call[0], graphs+"/g1"+call[1], `{}`)
		}
		bob.wants(404, "GET", "docs/users/local/agent-graphs/g1", "")
		bob.wants(200, "GET", graphs, "", `"items":[]`)
		p.wants(403, "PATCH", "docs/users/local/agent-graphs/g1", `{"nodes":[]}`)
		p.wants(204, "DELETE", graphs+"/g1", "")
		p.wants(404, "GET", graphs+"/g1", "")
	})
}

// stamped is what every record has, and what the nodes and edges of a graph have.
type stamped struct {
	ID                            string
	CreatedAt, UpdatedAt, Version int64
}

// stampedGraph is what is stamped of a graph.
type stampedGraph struct {
	stamped
	Nodes, Edges []stamped
}

func TestNodesEdgesAndExecutionsHaveIDsAndStamps(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		var made, read, changed, copied stampedGraph
		echo := drawn([]string{"s on-start", "o output"}, "s.signal>o.run", "s.text>o.value")
		p.Into(&made, 201, "POST", graphs, `{"id":"g","name":"Echo",`+echo+`}`)
		for _, all := range [][]stamped{made.Nodes, made.Edges} {
			for i, one := range all {
				if one.ID == "" || one.CreatedAt == 0 || one.UpdatedAt != one.CreatedAt || i > 0 && one.ID == all[i-1].ID {
					t.Errorf("made are %+v", all)
				}
			}
		}
		p.Into(&read, 200, "GET", graphs+"/g", "")
		p.Into(&changed, 200, "PATCH", graphs+"/g", `{"name":"Loud",`+echo+`}`) // by a client that does not know of ids and stamps
		if !reflect.DeepEqual(read, made) || !reflect.DeepEqual(changed.Nodes, made.Nodes) || !reflect.DeepEqual(changed.Edges, made.Edges) {
			t.Errorf("made is\n%+v, read\n%+v, changed\n%+v", made, read, changed)
		}
		p.wants(201, "POST", graphs+"/batch", `{"records":[{"id":"own","name":"Own",`+strings.Replace(echo, `{"sourceNodeId"`, `{"id":"mine","sourceNodeId"`, 1)+`}]}`, `"id":"mine"`, `"createdAt":`)
		p.wants(400, "PATCH", graphs+"/g", `{`+strings.ReplaceAll(echo, `{"sourceNodeId"`, `{"id":"mine","sourceNodeId"`)+`}`, `two edges have the id \"mine\"`)
		p.Into(&copied, 201, "POST", graphs+"/own/clone", `{"id":"copy"}`)
		if len(copied.Edges) != 2 || copied.Edges[0].ID != "mine" || copied.Nodes[0].CreatedAt < made.CreatedAt {
			t.Errorf("copied is %+v", copied)
		}

		id := p.runs("g", `"hello"`)
		var ended struct {
			stamped
			Graph     stampedGraph
			StartTime int64
		}
		p.ends(id, `"status":"completed"`)
		p.Into(&ended, 200, "GET", executions+"/"+id, "")
		if !reflect.DeepEqual(ended.Graph.Nodes, made.Nodes) || !reflect.DeepEqual(ended.Graph.Edges, made.Edges) {
			t.Errorf("executed was %+v", ended.Graph)
		}
		var listed struct{ Items []stamped }
		p.Into(&listed, 200, "GET", executions, "")
		if len(listed.Items) != 1 || listed.Items[0] != ended.stamped || ended.ID != id || ended.CreatedAt == 0 || ended.UpdatedAt < ended.CreatedAt || ended.Version < 2 {
			t.Errorf("ended is %+v, listed %+v", ended.stamped, listed.Items)
		}
	})
}

func TestAGraphWithTheDemoModelRunsAndTellsWhatItDoes(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		p.draws("chat", []string{
			"s on-start", `sys input-constant-string {"value":"Answer briefly."}`, "m input-language-model", "ask invoke-language-model", "o output {\"name\":\"answer\"}",
		}, "s.signal>ask.run", "s.text>ask.prompt", "sys.value>ask.system", "m.model>ask.model", "ask.done>o.run", "ask.text>o.value")
		x := p.runs("chat", `{"text":"What is 6*7?"}`)
		live := p.follows(x, "")
		p.ends(x, `"status":"completed"`, `"error":null`, `"output":{"answer":"`)
		said := <-live
		want := []string{
			"execution_began", "node_began sys", "node_completed sys", "node_began m", "node_completed m", "node_began s", "node_completed s",
			"node_began ask", "node_completed ask", "node_began o", "node_completed o", "execution_completed",
		}
		later := <-p.follows(x, "")
		if got := told(later); !slices.Equal(got, want) {
			t.Errorf("told afterwards was %q", got)
		}
		if got := told(said); got[len(got)-1] != "execution_completed" || !slices.Contains(got, "node_completed o") {
			t.Errorf("told was %q", got)
		}
		for _, e := range later {
			if told([]event{e})[0] == "node_completed ask" && (!strings.Contains(e.data, `"prompt":"What is 6*7?"`) || !strings.Contains(e.data, `"system":"Answer briefly."`) || !strings.Contains(e.data, `"text":"`)) {
				t.Errorf("inputs or outputs are missing: %s", e.data)
			}
		}
		// Who resumes after an event is told what came after it.
		at := slices.IndexFunc(said, func(e event) bool { return e.id != "" && e.name == "node_completed" })
		if at < 0 {
			t.Fatalf("no event has a position: %q", said)
		}
		if got := told(<-p.follows(x, said[at].id)); got[len(got)-1] != "execution_completed" || slices.Contains(got, "execution_began") {
			t.Errorf("who resumed was told %q", got)
		}
		p.wants(200, "GET", executions+"/"+x+"/resolutions", "", `"nodeType":"invoke-language-model"`, `"number":1`)
		p.wants(200, "GET", executions+"?agentGraphId=chat&status=completed", "", x)
		p.wants(200, "GET", executions+"?status=failed", "", `"items":[]`)
		p.wants(409, "POST", executions+"/"+x+"/cancel", "")

		bob := p.signIn("bob")
		for _, call := range [][2]string{{"GET", ""}, {"GET", "/resolutions"}, {"GET", "/events"}, {"POST", "/cancel"}, {"DELETE", ""}} {
			bob.wants(404, call[0], executions+"/"+x+call[1], "")
		}
		bob.wants(404, "GET", "docs/users/local/agent-graph-executions/"+x+"/resolutions/000001", "")
		bob.wants(200, "GET", executions, "", `"items":[]`)
		p.wants(204, "DELETE", executions+"/"+x, "")
		p.wants(404, "GET", executions+"/"+x+"/resolutions", "")
	})
}

const executions = "records/agent_graph_executions"

// told are the names of events, with their nodes.
func told(events []event) (names []string) {
	for _, e := range events {
		name := e.name
		if _, after, ok := strings.Cut(e.data, `"nodeId":"`); ok && strings.HasPrefix(name, "node_") {
			id, _, _ := strings.Cut(after, `"`)
			name += " " + id
		}
		names = append(names, name)
	}
	return names
}

func TestConditionsMapsJoinsAndCycles(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		p.draws("both", []string{
			"s on-start", `a map {"expression":"value.a"}`, `b map {"expression":"value.b + 1.0"}`, `j join {"separator":"-"}`, "o output",
			`c condition {"expression":"value.a == 'yes'"}`, `y output {"value":"it was yes"}`, `n output {"value":"it was no"}`,
		}, "s.signal>a.run", "s.signal>b.run", "s.input>a.value", "s.input>b.value", "a.text>j.a", "b.result>j.b", "a.done>j.run", "b.done>j.run", "j.done>o.run", "j.text>o.value",
			"s.signal>c.run", "s.input>c.value", "c.true>y.run", "c.false>n.run")
		p.ends(p.runs("both", `{"a":"yes","b":41}`), `"status":"completed"`, `"output":{"o":"yes-42","y":"it was yes"}`)
		p.ends(p.runs("both", `{"a":"no","b":1}`), `"output":{"n":"it was no","o":"no-2"}`)
		p.ends(p.runs("both", `{"a":"x"}`), `"status":"failed"`, `"nodeId":"b"`, "no such key")

		p.draws("caught", []string{"s on-start", `b map {"expression":"value.b"}`, "o output"}, "s.signal>b.run", "s.input>b.value", "b.onError>o.run", "b.error>o.value")
		p.ends(p.runs("caught", `{}`), `"status":"completed"`, `"nodeId":"b"`, "no such key")

		p.draws("endless", []string{"s on-start", "d debug-log"}, "s.signal>d.run", "d.done>d.run")
		p.wants(200, "PATCH", graphs+"/endless", `{"maxResolutions":9}`)
		x := p.runs("endless", `null`)
		p.ends(x, `"status":"failed"`, "more than 9 resolutions", `"nodeId":"d"`)
		p.wants(200, "GET", executions+"/"+x+"/resolutions", "", `"number":9`)
	})
}

// An expression is evaluated while others wait to write if it takes next to no time. Any
// other is a step of its own: its turn is written before, and once more when it is over.
func TestExpressionsThatTakeLongAreStepsOfTheirOwn(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		const quadratic = `value.list.filter(x, value.list.exists(y, y == x + 1000.0)).size()`
		list := strings.TrimSuffix(strings.Repeat("1,", 200), ",")
		for name, c := range map[string]struct {
			expression, input string
			version           int
		}{
			"short":         {"value.a + 1.0", `{"a":1}`, 1},
			"many-steps":    {quadratic, `{"list":[` + list + `]}`, 2},
			"few-steps":     {quadratic, `{"list":[1,2,3]}`, 1},
			"large-value":   {"value.a + 1.0", `{"a":1,"b":"` + strings.Repeat("x", 20_000) + `"}`, 2},
			"fails-at-once": {"value.nothing", `{}`, 1},
		} {
			p.draws(name, []string{"s on-start", `m map {"expression":"` + c.expression + `"}`, "o output"}, "s.signal>m.run", "s.input>m.value", "m.done>o.run", "m.result>o.value")
			x := p.runs(name, c.input)
			p.Settled()
			var all struct {
				Items []struct {
					NodeID  string
					Version int
				}
			}
			p.Into(&all, 200, "POST", "query", `{"collection":"users/local/agent-graph-executions/`+x+`/resolutions"}`)
			if len(all.Items) < 2 || all.Items[1].NodeID != "m" || all.Items[1].Version != c.version {
				t.Errorf("%s: the turns are %+v, want that of m at version %d", name, all.Items, c.version)
			}
			if name != "fails-at-once" {
				p.wants(200, "GET", executions+"/"+x, "", `"status":"completed"`)
			}
		}
	})
}

func TestRequestsAreMadeWithinTheRules(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		var posts, flaky atomic.Int64
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/ok":
				posts.Add(1)
				fmt.Fprintf(w, `{"method":%q,"kind":%q}`, r.Method, r.Header.Get("X-Kind"))
			case "/flaky":
				if flaky.Add(1) < 3 {
					w.WriteHeader(503)
				}
			case "/cut": // the answer breaks off
				posts.Add(1)
				panic(http.ErrAbortHandler)
			}
		}))
		defer service.Close()
		nodes := func(path, more string) []string {
			return []string{"s on-start", `h http-request {"url":"` + service.URL + path + `"` + more + `}`, "o output"}
		}
		edges := []string{"s.signal>h.run", "s.input>h.body", "h.done>o.run", "h.json>o.value"}

		guarded := start(t, cfg)
		guarded.draws("private", nodes("/ok", ""), edges...)
		guarded.ends(guarded.runs("private", `{}`), `"status":"failed"`, `"code":"forbidden"`, `"nodeId":"h"`)
		secret := drawn([]string{`h http-request {"url":"https://example.com","headers":{"authorization":"Bearer s3cret"}}`})
		if text := guarded.wants(400, "POST", graphs, `{"name":"x",`+secret+`}`, "is secret"); strings.Contains(text, "s3cret") {
			t.Errorf("a secret is shown: %s", text)
		}
		guarded.wants(400, "POST", graphs, `{"name":"x",`+drawn([]string{`h http-request {"url":"https://a:b@example.com"}`})+`}`, "name or password")
		if posts.Load() != 0 {
			t.Error("a private address was reached")
		}
		if err := guarded.Close(); err != nil {
			t.Fatal(err)
		}

		cfg.AllowPrivate = true
		p := start(t, cfg)
		p.draws("post", nodes("/ok", `,"method":"POST","headers":{"X-Kind":"test"}`), edges...)
		p.ends(p.runs("post", `{"a":1}`), `"status":"completed"`, `{"kind":"test","method":"POST"}`)
		p.draws("cut", nodes("/cut", `,"method":"POST"`), edges...)
		retried := strings.Replace(drawn(nodes("/cut", `,"method":"POST"`), edges...), `"nodeId":"http-request",`, `"nodeId":"http-request","retry":{"attempts":5},`, 1)
		p.wants(200, "PATCH", graphs+"/cut", `{`+retried+`}`)
		before := posts.Load()
		p.ends(p.runs("cut", `{}`), `"status":"failed"`, `"code":"interrupted"`)
		if n := posts.Load() - before; n != 1 {
			t.Errorf("a request that must be made once was made %d times", n)
		}
		again := strings.Replace(drawn(nodes("/flaky", ""), "s.signal>h.run", "h.done>o.run", "h.status>o.value"), `"nodeId":"http-request",`, `"nodeId":"http-request","retry":{"attempts":3},`, 1)
		p.wants(201, "POST", graphs, `{"id":"flaky","name":"x",`+again+`}`)
		x := p.runs("flaky", `{}`)
		p.ends(x, `"status":"completed"`, `"output":{"o":200}`)
		p.wants(200, "GET", executions+"/"+x+"/resolutions", "", `"attempts":3`)
	})
}

// waiting is the demo model, which does not answer until its context ends.
type waiting struct {
	*demo.Model
	asked, stopped chan struct{}
}

func (m *waiting) Generate(ctx context.Context, _ *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		m.asked <- struct{}{}
		<-ctx.Done()
		m.stopped <- struct{}{}
		yield(nil, ctx.Err())
	}
}

// isStopped waits until a call was stopped.
func (m *waiting) isStopped(t *testing.T) {
	t.Helper()
	select {
	case <-m.stopped:
	case <-time.After(30 * time.Second):
		t.Fatal("nobody stopped the call of the model")
	}
}

func TestWhoCancelsAnExecutionStopsTheNodesThatRun(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model := &waiting{demo.New(demo.Options{Instant: true}), make(chan struct{}, 10), make(chan struct{}, 10)}
		cfg.Model = model
		p := start(t, cfg)
		p.draws("g", []string{"s on-start", "a invoke-language-model", "b invoke-language-model"}, "s.signal>a.run", "s.signal>b.run", "s.text>a.prompt", "s.text>b.prompt")
		x := p.runs("g", `"hello"`)
		<-model.asked // both run at once
		<-model.asked
		p.wants(200, "POST", executions+"/"+x+"/cancel", "", `"status":"cancelled"`)
		model.isStopped(t)
		model.isStopped(t)
		p.ends(x, `"status":"cancelled"`)
		if got := told(<-p.follows(x, "")); got[len(got)-1] != "execution_cancelled" || !slices.Contains(got, "node_cancelled a") || !slices.Contains(got, "node_cancelled b") {
			t.Errorf("told was %q", got)
		}
	})
}

// The node that is asked to cancel need not be the one that runs the execution.
func TestWhoCancelsAnExecutionThroughAnotherNodeStopsTheNodesThatRun(t *testing.T) {
	cfg := server.Config{Data: t.TempDir(), DB: pgtest.URL(t)}
	asked, stopped := make(chan *person, 10), make(chan struct{}, 10)
	var all []*person
	for range 2 {
		model := &waiting{demo.New(demo.Options{Instant: true}), make(chan struct{}), stopped}
		cfg.Model = model
		p := start(t, cfg)
		all = append(all, p)
		go func() {
			for range model.asked {
				asked <- p
			}
		}()
		t.Cleanup(func() { close(model.asked) })
	}
	p := all[0]
	p.draws("g", []string{"s on-start", "a invoke-language-model"}, "s.signal>a.run", "s.text>a.prompt")
	x := p.runs("g", `"hello"`)
	other := all[0]
	if <-asked == other {
		other = all[1]
	}
	other.wants(200, "POST", executions+"/"+x+"/cancel", "", `"status":"cancelled"`)
	select {
	case <-stopped:
	case <-time.After(30 * time.Second): // the call would go on for ever
		t.Fatal("the model call goes on")
	}
	p.ends(x, `"status":"cancelled"`)
}
