package graphs_test

import (
	"context"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// retries draws a graph whose node a is tried again.
func (p *person) retries(id, retry string, nodes []string, edges ...string) {
	p.Helper()
	text := strings.Replace(drawn(nodes, edges...), `{"id":"a",`, `{"id":"a","retry":`+retry+`,`, 1)
	p.wants(201, "POST", graphs, `{"id":"`+id+`","name":"A graph",`+text+`}`, `"warnings":[]`)
}

// failing is the demo model, whose first answers are errors that no other try mends.
type failing struct {
	*demo.Model
	left atomic.Int64
}

func (m *failing) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	if m.left.Add(-1) < 0 {
		return m.Model.Generate(ctx, req)
	}
	return func(yield func(llm.Event, error) bool) {
		yield(nil, nestor.Errorf(nestor.CodeInvalid, "the model is confused"))
	}
}

func TestAnAgentThatFailedIsBegunAgain(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model := &failing{Model: demo.New(demo.Options{Instant: true})}
		cfg.Model = model
		p := start(t, cfg)
		p.retries("g", `{"attempts":3,"pauseMs":1}`, []string{"s on-start", "a invoke-agent", "o output"}, "s.signal>a.run", "s.text>a.instruction", "a.done>o.run", "a.text>o.value")
		model.left.Store(2)
		x := p.runs("g", `"Compute 6*7"`)
		live := p.follows(x, "")
		p.ends(x, `"status":"completed"`, "42")
		want := []string{
			"execution_began", "node_began s", "node_completed s", "node_began a", "node_delegated a", "node_retried a", "node_delegated a", "node_retried a", "node_delegated a", "node_completed a",
			"node_began o", "node_completed o", "execution_completed",
		}
		later := <-p.follows(x, "")
		if got := told(later); !slices.Equal(got, want) {
			t.Errorf("told afterwards was %q", got)
		}
		if got := told(<-live); !same(got, want) {
			t.Errorf("told was %q", got)
		}
		for i, e := range later {
			if e.name == "node_retried" && (!strings.Contains(e.data, "confused") || !strings.Contains(e.data, `"retryTime":`) || !strings.Contains(e.data, `"attempts":`+map[bool]string{true: "1", false: "2"}[i == 5])) {
				t.Errorf("why it is tried again is told as %s", e.data)
			}
		}
		p.wants(200, "GET", executions+"/"+x+"/resolutions", "", `"attempts":3`, `"chatId":"graph-`+x+`-000002-3"`)
		if n := strings.Count(p.wants(200, "POST", "query", `{"flat":"tasks"}`), `"status":"failed"`); n != 2 {
			t.Errorf("%d tasks failed", n)
		}

		model.left.Store(3)
		p.ends(p.runs("g", `"Compute 6*7"`), `"status":"failed"`, `"nodeId":"a"`, "confused")
		if left := model.left.Load(); left != 0 {
			t.Errorf("the model was asked %d times too few", left)
		}
	})
}

// unsure is a service that fails some times if it is sent "bad", and then answers.
type unsure struct {
	*httptest.Server
	fail atomic.Int64
}

func newUnsure(t *testing.T) *unsure {
	u := &unsure{}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Trim(string(body), `"`) == "bad" && u.fail.Add(-1) >= 0 {
			w.WriteHeader(503)
		}
	}))
	t.Cleanup(u.Close)
	return u
}

func TestAnExecutionBelowThatFailedIsBegunAgainAndNoOther(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		service := newUnsure(t)
		cfg.AllowPrivate = true
		p := start(t, cfg)
		p.draws("calls", []string{"s on-start", `h http-request {"method":"PUT","url":"` + service.URL + `"}`, "o output"}, "s.signal>h.run", "s.input>h.body", "h.done>o.run", "h.status>o.value")
		p.retries("each", `{"attempts":3,"pauseMs":1}`, []string{"s on-start", `a for-each {"graphId":"calls","parallel":1}`, "o output"}, "s.signal>a.run", "s.input>a.list", "a.done>o.run", "a.list>o.value")
		service.fail.Store(2)
		x := p.runs("each", `["good","bad","good"]`)
		p.ends(x, `"status":"completed"`, `"output":{"o":[200,200,200]}`)
		statuses := map[string]int{}
		for _, child := range p.below(x) {
			statuses[child.Status]++
		}
		if statuses["completed"] != 3 || statuses["failed"] != 2 {
			t.Errorf("below it are %v", statuses)
		}
		p.wants(200, "GET", executions+"/"+x+"/resolutions", "", `"attempts":3`, `"item":1`, "item 2: the graph A graph failed at h")
		if got := told(<-p.follows(x, "")); strings.Count(strings.Join(got, "\n"), "node_retried a") != 2 {
			t.Errorf("told was %q", got)
		}
		p.wants(204, "DELETE", executions+"/"+x, "")
		p.Settled()
		if left := p.below(x); len(left) != 0 {
			t.Errorf("attempts are left of a deleted execution: %+v", left)
		}

		service.fail.Store(10)
		p.ends(p.runs("each", `["bad"]`), `"status":"failed"`, `"nodeId":"a"`, "the graph A graph failed at h")
		if n := 10 - service.fail.Load(); n != 3 {
			t.Errorf("the service was called %d times", n)
		}
		// What no other try mends is not tried again.
		p.draws("wrong", []string{"s on-start", `m map {"expression":"value + 1.0"}`}, "s.signal>m.run", "s.input>m.value")
		p.retries("once", `{"attempts":3}`, []string{"s on-start", `a sub-graph {"graphId":"wrong"}`}, "s.signal>a.run", "s.input>a.input")
		x = p.runs("once", `"text"`)
		p.ends(x, `"code":"invalid"`)
		if n := len(p.below(x)); n != 1 {
			t.Errorf("what no other try mends was begun %d times", n)
		}
	})
}

// The pause before another attempt is over at once when the execution is cancelled, and
// nothing is begun while it is paused.
func TestWhoSteersAnExecutionReachesANodeThatWaitsToBeTriedAgain(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		service := newUnsure(t)
		cfg.AllowPrivate = true
		p := start(t, cfg)
		p.draws("calls", []string{"s on-start", `h http-request {"method":"PUT","url":"` + service.URL + `"}`}, "s.signal>h.run", "s.input>h.body")
		p.retries("g", `{"attempts":2,"pauseMs":60000}`, []string{"s on-start", `a sub-graph {"graphId":"calls"}`}, "s.signal>a.run", "s.input>a.input")
		for _, pause := range []bool{false, true} {
			service.fail.Store(1)
			x := p.runs("g", `"bad"`)
			for !strings.Contains(p.wants(200, "GET", executions+"/"+x+"/resolutions", ""), `"retryTime"`) {
				if err := p.Context().Err(); err != nil {
					t.Fatal(err)
				}
			}
			if pause {
				p.wants(200, "POST", executions+"/"+x+"/pause", "", `"status":"paused"`)
				p.wants(200, "POST", executions+"/"+x+"/resume", "", `"status":"running"`)
			}
			p.wants(200, "POST", executions+"/"+x+"/cancel", "")
			p.ends(x, `"status":"cancelled"`) // which waits for all jobs
			if n := len(p.below(x)); n != 1 {
				t.Errorf("%d executions were begun", n)
			}
			if text := p.wants(200, "GET", executions+"/"+x+"/resolutions", ""); strings.Contains(text, `"retryTime"`) {
				t.Errorf("it is still to be tried again: %s", text)
			}
		}
	})
}
