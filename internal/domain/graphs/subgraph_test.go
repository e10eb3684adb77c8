package graphs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// below are the executions that the nodes of an execution have begun, newest first.
func (p *person) below(execution string) (all []struct{ ID, Status, AgentGraphID string }) {
	p.Helper()
	var page struct {
		Items []struct{ ID, Status, AgentGraphID string }
	}
	if err := json.Unmarshal([]byte(p.wants(200, "GET", executions+"?parentExecutionId="+execution, "")), &page); err != nil {
		p.Fatal(err)
	}
	return page.Items
}

func TestAGraphIsANodeOfAnother(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		p.draws("double", []string{"s on-start", `m map {"expression":"value * 2.0"}`, "o output"}, "s.signal>m.run", "s.input>m.value", "m.done>o.run", "m.result>o.value")
		p.draws("two", []string{"s on-start", `a output {"name":"a"}`, `b output {"name":"b","value":7}`}, "s.signal>a.run", "s.signal>b.run", "s.input>a.value")
		p.draws("nothing", []string{`c input-constant-string {"value":"x"}`})
		p.draws("outer", []string{"s on-start", `n sub-graph {"graphId":"double"}`, `m sub-graph {"graphId":"two"}`, "o output", "t output", "all output"},
			"s.signal>n.run", "s.input>n.input", "n.done>m.run", "n.output>m.input", "m.done>o.run", "m.output>o.value", "n.done>t.run", "n.text>t.value", "m.done>all.run", "m.text>all.value")
		x := p.runs("outer", `21`)
		p.ends(x, `"status":"completed"`, `"o":{"a":{"o":42},"b":7}`, `"t":"42"`, `"all":"{\"a\":{\"o\":42},\"b\":7}"`)
		children := p.below(x)
		if len(children) != 2 || children[1].AgentGraphID != "double" || children[1].Status != "completed" {
			t.Fatalf("below it are %+v", children)
		}
		p.wants(200, "GET", executions+"/"+children[1].ID+"/resolutions", "", `"nodeType":"map"`)
		if got := told(<-p.follows(children[1].ID, "")); got[0] != "execution_began" || got[len(got)-1] != "execution_completed" {
			t.Errorf("told of the execution below was %q", got)
		}

		p.draws("each", []string{"s on-start", `f for-each {"graphId":"double","parallel":2}`, "o output"}, "s.signal>f.run", "s.input>f.list", "f.done>o.run", "f.list>o.value")
		p.ends(p.runs("each", `[1,2,3,4,5]`), `"output":{"o":[2,4,6,8,10]}`)
		p.ends(p.runs("each", `[]`), `"output":{"o":[]}`)
		p.ends(p.runs("each", `[1,"x",3]`), `"status":"failed"`, `"nodeId":"f"`, `"code":"invalid"`, "item 2: the graph A graph failed at m: ")
		p.ends(p.runs("each", `{}`), `"code":"invalid"`, `the input \"list\" cannot be read`)
		many := strings.Repeat("1,", 100) + "1"
		p.ends(p.runs("each", `[`+many+`]`), `"code":"too_large"`, "101 values, more than 100")
		p.draws("hollow", []string{"s on-start", `n sub-graph {"graphId":"nothing"}`, "o output"}, "s.signal>n.run", "n.done>o.run", "n.output>o.value")
		p.ends(p.runs("hollow", `null`), `"output":{"o":{}}`)

		p.draws("caught", []string{"s on-start", `n sub-graph {"graphId":"double"}`, "o output"}, "s.signal>n.run", "s.input>n.input", "n.onError>o.run", "n.error>o.value")
		p.ends(p.runs("caught", `"x"`), `"status":"completed"`, `"nodeId":"n"`, "the graph A graph failed at m")

		p.wants(204, "DELETE", executions+"/"+x, "")
		if err := p.Wait(p.Context()); err != nil {
			t.Fatal(err)
		}
		if left := p.below(x); len(left) != 0 {
			t.Errorf("what was below a deleted execution is left: %+v", left)
		}
		p.wants(404, "GET", executions+"/"+children[0].ID, "")
	})
}

func TestGraphsWithinGraphsAreCheckedAndBounded(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		refers := func(to string) string {
			return drawn([]string{"s on-start", `n sub-graph {"graphId":"` + to + `"}`}, "s.signal>n.run")
		}
		p.wants(400, "POST", graphs, `{"id":"a","name":"x",`+refers("b")+`}`, `"unknown-graph"`, `"nodeId":"n"`)
		p.wants(200, "POST", graphs+"/validate", `{`+refers("b")+`}`, `"unknown-graph"`)
		for _, id := range []string{"a/b", "../x", "..", "ä", strings.Repeat("x", 100)} { // what cannot be an id
			p.wants(200, "POST", graphs+"/validate", `{`+refers(id)+`}`, `"unknown-graph"`, `"nodeId":"n"`)
			p.wants(400, "POST", graphs, `{"id":"a","name":"x",`+refers(id)+`}`, `"unknown-graph"`)
		}
		p.wants(400, "POST", graphs, `{"id":"a","name":"x",`+drawn([]string{"n sub-graph"})+`}`, `"bad-parameters"`)

		// A graph that executes itself ends at the bound.
		p.wants(201, "POST", graphs, `{"id":"a","name":"Loop",`+refers("a")+`}`, `"recursive"`)
		x := p.runs("a", `null`)
		p.ends(x, `"status":"failed"`, `"code":"too_large"`, "nested more than 8 deep", `"nodeId":"n"`)
		p.wants(201, "POST", graphs, `{"id":"b","name":"Loop",`+refers("a")+`}`, `"warnings":[]`)
		p.wants(200, "PATCH", graphs+"/a", `{`+refers("b")+`}`, `"recursive"`)
		p.wants(200, "POST", graphs+"/validate?id=a", `{`+refers("b")+`}`, `"recursive"`)
		p.ends(p.runs("b", `null`), `"code":"too_large"`)

		bob := p.signIn("bob")
		bob.wants(400, "POST", graphs, `{"id":"c","name":"x",`+refers("a")+`}`, `"unknown-graph"`)
		p.wants(204, "DELETE", graphs+"/b", "")
		p.wants(400, "POST", graphs+"/a/executions", `{}`, `"BAD_GRAPH"`, `"unknown-graph"`)
	})
}

func TestWhoCancelsAnExecutionStopsWhatIsBelow(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model := &waiting{demo.New(demo.Options{Instant: true}), make(chan struct{}, 10), make(chan struct{}, 10)}
		cfg.Model = model
		p := start(t, cfg)
		p.draws("asks", []string{"s on-start", "m invoke-language-model"}, "s.signal>m.run", "s.text>m.prompt")
		p.draws("middle", []string{"s on-start", `n sub-graph {"graphId":"asks"}`}, "s.signal>n.run", "s.input>n.input")
		p.draws("outer", []string{"s on-start", `f for-each {"graphId":"middle","list":["a","b"]}`, `o output {"value":"caught"}`}, "s.signal>f.run", "f.onError>o.run")
		for _, stop := range []string{"cancel", "delete", "below"} {
			x := p.runs("outer", `null`)
			<-model.asked
			<-model.asked
			want := "cancelled"
			switch stop {
			case "cancel":
				p.wants(200, "POST", executions+"/"+x+"/cancel", "")
			case "delete":
				p.wants(204, "DELETE", executions+"/"+x, "")
			case "below": // one of two, whose end is an error of the node, which ends the other
				p.wants(200, "POST", executions+"/"+p.below(x)[0].ID+"/cancel", "")
				want = `"output":{"o":"caught"}`
			}
			model.isStopped(t)
			model.isStopped(t)
			if stop == "delete" {
				if err := p.Wait(p.Context()); err != nil {
					t.Fatal(err)
				}
				continue
			}
			p.ends(x, want)
			for _, child := range p.below(x) {
				if child.Status != "cancelled" || len(p.below(child.ID)) != 1 || p.below(child.ID)[0].Status != "cancelled" {
					t.Errorf("%s: below it are %+v, %+v", stop, child, p.below(child.ID))
				}
			}
		}
		p.wants(200, "GET", executions+"?status=running", "", `"items":[]`)
	})
}
