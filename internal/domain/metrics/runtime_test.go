package metrics_test

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/model"
	"github.com/nestorhq/nestor/server"
)

// One server does all that is measured, and each shows: for the user, and for
// administrators. A server that stops has written all of it.
func TestTheRuntimeRecordsWhatItDoes(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		var served atomic.Pointer[person]
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			// A webhook adds points with the token that it was sent, and reads none.
			var sent struct{ Token string }
			if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
				t.Error(err)
			}
			hook := *served.Load()
			hook.token = sent.Token
			hook.wants(201, "POST", "metrics/points", `{"points":[{"name":"hook.calls","value":1}]}`)
			hook.wants(403, "GET", "metrics/query?name=hook.calls", "")
			hook.wants(404, "POST", "records/metrics", `{"name":"hook.calls","value":1}`)
		}))
		defer receiver.Close()
		cfg.AllowPrivate = true
		on := func(id, folder, action string) nestor.Trigger {
			return nestor.Trigger{ID: id, Collection: nestor.Glob("users/*/" + folder), Events: []nestor.ChangeType{nestor.Create}, Action: "POST " + action}
		}
		cfg.Triggers = []nestor.Trigger{on("on-note", "notes", "/webhook/count-words"), on("on-letter", "letters", receiver.URL)}
		cfg.Handlers = map[string]server.Handler{"count-words": func(_ context.Context, j *server.Job) (server.Effect, error) {
			j.Record("note.words", map[string]string{"language": "en"}, 4)
			j.Record("Not A Name", nil, 1)
			return nil, nil
		}}
		s, stop := servertest.Start(t, cfg)
		p := &person{T: t, Server: s, id: "local", token: servertest.Token}
		served.Store(p)
		p.wants(201, "PUT", "docs/users/local/notes/n1", `{"text":"buy milk and bread"}`)
		p.wants(201, "PUT", "docs/users/local/letters/l1", `{"text":"hello"}`)
		p.wants(201, "POST", "chats", `{"id":"c1"}`)
		p.wants(201, "POST", "chats/c1/messages", `{"content":"Compute 6*7"}`)
		p.wants(201, "POST", "records/agent_graphs", `{"id":"g1","name":"Echo","nodes":[{"id":"s","nodeId":"on-start","position":{"x":0,"y":0},"parameters":{}},{"id":"o","nodeId":"output","position":{"x":0,"y":0},"parameters":{}}],
			"edges":[{"sourceNodeId":"s","sourcePortId":"signal","targetNodeId":"o","targetPortId":"run"},{"sourceNodeId":"s","sourcePortId":"text","targetNodeId":"o","targetPortId":"value"}]}`)
		p.wants(202, "POST", "records/agent_graphs/g1/executions", `{"input":{"content":"hello"}}`)
		if err := p.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		var used struct {
			Items []struct{ InputTokens, OutputTokens float64 }
		}
		p.into(&used, 200, "GET", "usage", "")
		stop()

		p = start(t, cfg)
		for _, c := range []struct {
			agg, name, where string
			want             float64
		}{
			{"sum", "nestor.model.tokens_in", "model=demo", used.Items[0].InputTokens},
			{"sum", "nestor.model.tokens_out", "chat=c1", used.Items[0].OutputTokens},
			{"count", "nestor.model.duration_ms", "role=orchestrator", 1},
			{"count", "nestor.model.duration_ms", "role=general", 2},
			{"count", "nestor.model.duration_ms", "outcome=success", 3},
			{"count", "nestor.model.duration_ms", "outcome=error", 0},
			{"count", "nestor.tool.duration_ms", "tool=calculator", 1},
			{"count", "nestor.tool.duration_ms", "outcome=success", 1},
			{"count", "nestor.task.duration_ms", "outcome=success", 1},
			{"count", "nestor.task.duration_ms", "role=general", 1},
			{"count", "nestor.graph.duration_ms", "graph=g1", 1},
			{"count", "nestor.node.duration_ms", "graph=g1", 2},
			{"count", "nestor.node.duration_ms", "node=o", 1},
			{"count", "nestor.job.duration_ms", "trigger=on-note", 1},
		} {
			if got := p.asks("metrics/query", c.name, "agg="+c.agg, "where."+c.where).total(t, c.agg); got != c.want {
				t.Errorf("%s of %s where %s is %v, not %v", c.agg, c.name, c.where, got, c.want)
			}
			if strings.HasPrefix(c.where, "chat=") {
				c.where = "user=local"
			}
			if got := p.asks("metrics/server/query", c.name, "agg="+c.agg, "where=user=local", "where."+c.where).total(t, c.agg); got != c.want {
				t.Errorf("of the server %s of %s where %s is %v, not %v", c.agg, c.name, c.where, got, c.want)
			}
		}
		for name, want := range map[string]float64{"note.words": 4, "hook.calls": 1} {
			if got := p.asks("metrics/query", name, "agg=sum").total(t, "sum"); got != want {
				t.Errorf("%s is %v", name, got)
			}
			if rows := p.asks("metrics/server/query", name).Rows; len(rows) > 0 {
				t.Errorf("what a handler records is in the totals of the server: %+v", rows)
			}
		}
		if text := p.wants(200, "GET", "metrics/server/names", ""); strings.Contains(text, `"chat"`) || !strings.Contains(text, `"user"`) {
			t.Errorf("the server's metrics have the dimensions %s", text)
		}
	})
}

// away is a model whose provider answers with errors.
type away struct{ calls atomic.Int64 }

func (*away) Name() string { return "away-1" }

func (m *away) Generate(context.Context, *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		m.calls.Add(1)
		yield(nil, nestor.Errorf(nestor.CodeInvalid, "the provider does not know this model"))
	}
}

// A call that fails is told by model, and is in no metric of what was said.
func TestModelCallsThatFailAreRecorded(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		broken := &away{}
		cfg.Model = broken
		p := start(t, cfg)
		p.wants(201, "POST", "chats", `{"id":"c1"}`)
		p.wants(201, "POST", "chats/c1/messages", `{"content":"Hello"}`)
		if err := p.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		failed := float64(broken.calls.Load())
		if failed == 0 {
			t.Fatal("the model was not asked")
		}
		for _, path := range []string{"metrics/query", "metrics/server/query"} {
			a := p.asks(path, "nestor.model.duration_ms", "groupBy=model,outcome", "agg=count")
			if got := a.total(t, "count"); got != failed || !maps.Equal(a.Rows[0].Group, map[string]string{"model": "away-1", "outcome": "error"}) {
				t.Errorf("%s: %v calls are told as failed, of %v: %+v", path, got, failed, a.Rows)
			}
			if got := p.asks(path, "nestor.model.tokens_in", "agg=count").total(t, "count"); got != 0 {
				t.Errorf("%s: %v calls have tokens", path, got)
			}
		}
	})
}
