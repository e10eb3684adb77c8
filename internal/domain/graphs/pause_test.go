package graphs_test

import (
	"context"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

func TestAPausedExecutionBeginsNothingUntilItIsResumed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		arrived, answer := make(chan string, 10), make(chan struct{})
		service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			arrived <- r.URL.Path
			<-answer
		}))
		defer service.Close()
		cfg.AllowPrivate = true
		p := start(t, cfg)
		p.draws("g", []string{
			"s on-start", `a http-request {"url":"` + service.URL + `/a"}`, `b http-request {"url":"` + service.URL + `/b"}`, "o output",
		}, "s.signal>a.run", "a.done>b.run", "b.done>o.run", "b.status>o.value")
		x := p.runs("g", `{}`)
		live := p.follows(x, "")
		<-arrived
		p.wants(200, "POST", executions+"/"+x+"/pause", "", `"status":"paused"`, `"endTime":null`)
		p.wants(200, "POST", executions+"/"+x+"/pause", "", `"status":"paused"`)
		answer <- struct{}{} // the node that runs goes on to its end
		p.ends(x, `"status":"paused"`)
		turns := p.wants(200, "GET", executions+"/"+x+"/resolutions", "", `"nodeId":"a"`)
		if strings.Contains(turns, `"nodeId":"b"`) || strings.Contains(turns, `"running"`) {
			t.Errorf("something began: %s", turns)
		}
		p.wants(200, "GET", executions+"?status=paused", "", x)
		p.signIn("bob").wants(404, "POST", executions+"/"+x+"/resume", "")
		p.wants(200, "POST", executions+"/"+x+"/resume", "", `"status":"running"`)
		if at := <-arrived; at != "/b" {
			t.Errorf("%s is called after it was resumed", at)
		}
		answer <- struct{}{}
		p.ends(x, `"status":"completed"`, `"output":{"o":200}`)
		got := told(<-live)
		for _, want := range []string{"execution_paused", "execution_resumed", "node_completed b", "execution_completed"} {
			at := slices.Index(got, want)
			if at < 0 {
				t.Fatalf("told was %q, without %s in its place", got, want)
			}
			got = got[at+1:]
		}
		p.wants(409, "POST", executions+"/"+x+"/pause", "", `"status":"completed"`)
		p.wants(409, "POST", executions+"/"+x+"/resume", "")
		p.wants(404, "POST", executions+"/none/pause", "")

		// Who cancels a paused execution ends it, and the call that is under way.
		x = p.runs("g", `{}`)
		<-arrived
		p.wants(200, "POST", executions+"/"+x+"/pause", "")
		p.wants(200, "POST", executions+"/"+x+"/cancel", "", `"status":"cancelled"`)
		p.ends(x, `"status":"cancelled"`) // though nobody answers the call
		close(answer)
	})
}

// gated is the demo model, which begins to answer when it may.
type gated struct {
	*demo.Model
	asked, may chan struct{}
}

func (m *gated) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	m.asked <- struct{}{}
	select {
	case <-m.may:
	case <-ctx.Done():
	}
	return m.Model.Generate(ctx, req)
}

func TestWhoPausesAnExecutionPausesItsAgents(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model := &gated{demo.New(demo.Options{Instant: true}), make(chan struct{}, 100), make(chan struct{}, 100)}
		cfg.Model = model
		p := start(t, cfg)
		p.draws("g", []string{"s on-start", "a invoke-agent", "o output"}, "s.signal>a.run", "s.text>a.instruction", "a.done>o.run", "a.text>o.value")
		x := p.runs("g", `"Compute 6*7"`)
		<-model.asked
		p.wants(200, "POST", executions+"/"+x+"/pause", "")
		p.until(`"paused":true`)
		model.may <- struct{}{} // the step that it is in
		p.ends(x, `"status":"paused"`)
		if len(model.asked) > 0 {
			t.Error("the agent went on")
		}
		p.wants(200, "POST", executions+"/"+x+"/resume", "")
		for range cap(model.may) {
			model.may <- struct{}{}
		}
		p.ends(x, `"status":"completed"`, "42")
	})
}

// A graph asks no model any more for somebody who is locked out.
func TestAGraphAsksNoModelForWhoIsLockedOut(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model := &gated{demo.New(demo.Options{Instant: true}), make(chan struct{}, 100), make(chan struct{}, 100)}
		cfg.Model = named{model}
		p := start(t, cfg)
		ann := p.signIn("ann")
		ann.draws("g", []string{"s on-start", "a invoke-language-model", "b invoke-language-model", "o output"},
			"s.signal>a.run", "s.text>a.prompt", "a.done>b.run", "a.text>b.prompt", "b.done>o.run", "b.text>o.value")
		x := ann.runs("g", `"Hello"`)
		<-model.asked
		p.wants(200, "PATCH", "users/ann", `{"disabled":true}`)
		for range cap(model.may) {
			model.may <- struct{}{}
		}
		p.Settled()
		p.wants(200, "GET", "docs/users/ann/agent-graph-executions/"+x, "", `"status":"failed"`, "locked out")
		if len(model.asked) > 0 {
			t.Error("the model was asked again")
		}
	})
}

// named is a model that is not the demo model, which answers people only.
type named struct{ *gated }

func (named) Name() string { return "gated" }

// until follows the tasks of the person until one has a text in it.
func (p *person) until(text string) {
	p.Helper()
	for !strings.Contains(p.wants(200, "POST", "query", `{"flat":"tasks"}`), text) {
		if err := p.Context().Err(); err != nil {
			p.Fatal(err)
		}
	}
}
