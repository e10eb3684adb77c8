package priority_test

import (
	"bufio"
	"context"
	"fmt"
	"iter"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/server"
)

// planning is the demo model, which waits before each step of an analysis until it is
// let go. A nil channel never lets it go, a closed one always.
type planning struct {
	*demo.Model
	asked chan struct{}
	let   chan struct{}
}

func newPlanning() *planning {
	return &planning{demo.New(demo.Options{Instant: true}), make(chan struct{}, 100), make(chan struct{})}
}

func (m *planning) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	if !slices.ContainsFunc(req.Tools, func(t llm.Tool) bool { return t.Name == "submit_plan" }) {
		return m.Model.Generate(ctx, req)
	}
	return func(yield func(llm.Event, error) bool) {
		m.asked <- struct{}{}
		select {
		case <-m.let:
			m.Model.Generate(ctx, req)(yield)
		case <-ctx.Done():
			yield(nil, ctx.Err())
		}
	}
}

const launch = `{"direction":"launch","object":"the shop","metric":"first orders","clarifier":"before June"}`

// hasTasks gives a person an outcome and a document with tasks.
func (p *person) hasTasks() {
	p.Helper()
	p.creates("outcomes", launch)
	p.creates("documents", `{"title":"Shop","content":"- [ ] Announce the shop (1h)\n- [ ] Build the shop (8h)\n- [ ] Design the shop (4h)\n"}`)
	p.settled()
}

func (p *person) begins() string {
	p.Helper()
	var begun struct {
		ID string `json:"session_id"`
	}
	p.into(&begun, 202, "POST", "agent/prioritize", `{}`)
	return begun.ID
}

func TestAnAnalysisThroughTheAPI(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model := newPlanning()
		cfg.Model = model
		p := start(t, cfg)
		p.wants(403, "POST", "agent/prioritize", `{}`, `"reason":"NO_ACTIVE_OUTCOME"`)
		outcome := p.creates("outcomes", launch)
		p.wants(400, "POST", "agent/prioritize", `{}`, "no tasks found in your documents", `"reason":"NO_TASKS"`)
		p.wants(204, "DELETE", "outcomes/"+outcome, "")
		p.hasTasks()
		p.wants(400, "POST", "agent/prioritize", `{"hurry":true}`, "hurry")
		p.wants(400, "POST", "agent/prioritize", `[]`)
		p.wants(404, "GET", "agent/sessions/latest", "")

		first := p.begins()
		<-model.asked // the session runs, and waits for its model
		p.wants(409, "POST", "agent/prioritize", `{}`, `"session_id":"`+first, `"reason":"ALREADY_RUNNING"`)
		p.wants(200, "GET", "agent/sessions/latest", "", `"id":"`+first, `"status":"running"`, `"running_session_id":"`+first)
		p.wants(200, "POST", "agent/sessions/"+first+"/cancel", "", `"status":"failed"`, "you cancelled this analysis")
		p.wants(409, "POST", "agent/sessions/"+first+"/cancel", "")
		p.settled()

		second := p.begins()
		seen := p.follows(second, "", "")
		close(model.let)
		p.settled()
		text := p.wants(200, "GET", "agent/sessions/"+second, "", `"status":"completed"`, `"is_current":true`, `"partial":false`, `"error":null`, `"doing":null`,
			`"steps_taken":6`, `"ordered_task_ids":[`, "rules and not by an AI")
		ids := p.tasks("")
		if want := fmt.Sprintf(`"ordered_task_ids":[%q,%q,%q]`, ids["Design the shop (4h)"].ID, ids["Build the shop (8h)"].ID, ids["Announce the shop (1h)"].ID); !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
		p.wants(200, "GET", "agent/sessions/"+second+"/trace", "", `"session_id":"`+second, `"total_steps":6`, `"tool_name":"detect-dependencies"`, `"status":"success"`)
		p.wants(200, "GET", "agent/sessions/latest", "", `"id":"`+second, `"running_session_id":null`)
		p.wants(200, "GET", "agent/sessions?limit=1", "", `"id":"`+second, `"next":"`)

		// The stream that began before, one that begins now, and one that resumes.
		steps := slices.Repeat([]string{"step_began", "step_ended"}, 6)
		live := <-seen
		if got := names(live); !slices.Equal(slices.DeleteFunc(slices.Clone(got), func(n string) bool { return n == "status" }), append(slices.Clone(steps), "plan")) || got[len(got)-1] != "status" {
			t.Errorf("told was %q", got)
		}
		if got := names(<-p.follows(second, "", "")); !slices.Equal(got, append(slices.Repeat([]string{"step_ended"}, 6), "plan", "status")) {
			t.Errorf("told afterwards was %q", got)
		}
		at := slices.IndexFunc(live, func(e event) bool { return e.name == "step_ended" })
		if got, want := <-p.follows(second, "", live[at].id), live[at+1:]; !slices.Equal(names(got), names(want)) {
			t.Errorf("who resumed was told %q, not %q", names(got), names(want))
		}

		// What others see of it.
		bob := p.signIn("bob")
		for _, path := range []string{"", "/trace", "/events"} {
			bob.wants(404, "GET", "agent/sessions/"+second+path, "")
		}
		bob.wants(404, "POST", "agent/sessions/"+second+"/cancel", "")
		bob.wants(404, "GET", "docs/users/local/agent-sessions/"+second, "")
		bob.wants(200, "GET", "agent/sessions", "", `"items":[]`)
		bob.wants(403, "POST", "agent/prioritize", `{}`)
		p.wants(200, "POST", "tools/semantic-search/call", `{"arguments":{"query":"Design the shop"}}`, `Design the shop`, `\"threshold_used\":0.7`)
		p.wants(403, "PATCH", "docs/users/local/agent-sessions/"+second, `{"status":"running"}`)

		// Its trace can be deleted alone, and then nobody is told of steps.
		p.wants(204, "DELETE", "docs/users/local/agent-sessions/"+second+"/reasoning-traces/trace", "")
		if got := names(<-p.follows(second, "", "")); !slices.Equal(got, []string{"plan", "status"}) {
			t.Errorf("told without a trace was %q", got)
		}

		// Deleting it deletes its trace.
		p.wants(204, "DELETE", "docs/users/local/agent-sessions/"+second, "")
		p.wants(404, "GET", "agent/sessions/"+second+"/trace", "")
	})
}

// event is one of a stream.
type event struct{ name, id, data string }

func names(events []event) []string {
	all := []string{}
	for _, e := range events {
		all = append(all, e.name)
	}
	return all
}

// follows reads the events of a session until the stream ends. It returns once the
// stream has begun.
func (p *person) follows(session, query, after string) <-chan []event {
	p.Helper()
	r, err := http.NewRequestWithContext(p.Context(), "GET", "http://127.0.0.1/api/v1/agent/sessions/"+session+"/events"+query, nil)
	if err != nil {
		p.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.Token)
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	res, err := p.Client().HTTP.Do(r)
	if err != nil || res.StatusCode != 200 {
		p.Fatalf("no stream: %v %v", res, err)
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

// Somebody deletes what an analysis is about while its model thinks. Without its tasks it
// fails; with its outcome it goes, so that none says that it is for one that is not there.
func TestAnAnalysisWhoseReasonIsDeletedSaysSo(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		for _, collection := range []string{"outcomes", "docs/users/local/outcomes", "documents"} {
			model := newPlanning()
			cfg.Model = model
			s, stop := servertest.Start(t, cfg)
			p := owner(&servertest.Person{T: t, Server: s, Token: servertest.Token})
			p.hasTasks()
			session := p.begins()
			<-model.asked
			var all struct{ Items []struct{ ID string } }
			p.into(&all, 200, "GET", path.Base(collection), "")
			for _, one := range all.Items {
				p.wants(204, "DELETE", collection+"/"+one.ID, "")
			}
			close(model.let)
			p.settled()
			if collection == "documents" {
				p.wants(200, "GET", "agent/sessions/"+session, "", `"status":"failed"`, "no tasks found in your documents", `"doing":null`, `"prioritized_plan":null`)
				p.wants(200, "GET", "agent/sessions/"+session+"/trace", "")
			} else {
				p.wants(404, "GET", "agent/sessions/"+session, "")
				p.wants(200, "GET", "agent/sessions", "", `"items":[]`)
			}
			stop()
		}
	})
}

// A model that never answers ends in a failed session, by the clock of the test.
func TestAModelThatHangsEndsInAFailedSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := newPlanning()
		model.let = nil
		p := start(t, server.Config{Model: model})
		p.hasTasks()
		session := p.begins()
		p.settled()
		p.wants(200, "GET", "agent/sessions/"+session, "", `"status":"failed"`, "the model did not answer in 2m0s", `"prioritized_plan":null`)
		if n := len(model.asked); n != 4 {
			t.Errorf("it was asked %d times", n)
		}
	})
}

// The server's sweep, a week later: see TestSessionsAreKeptForAWeek.
func TestASessionThatWasSweptIsNotFound(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		p := start(t, cfg)
		p.hasTasks()
		b := p.plans()
		b.edits(`{"done":["{Design}"]}`, "Build | Announce")
		stream := p.follows(b.session, "?follow=1", "")
		p.settled()
		at := engines.Place{Engine: "sqlite", Address: filepath.Join(cfg.Data, "nestor.db")}
		if cfg.DB != "" {
			at = engines.Place{Engine: "postgres", Address: cfg.DB}
		}
		later := openWith(t, at.Database, module.Host{Models: &reporter{name: "demo"}}, map[string]time.Duration{"agent_sessions": time.Nanosecond})
		later.sweeps()
		for _, path := range []string{"", "/trace", "/events"} {
			p.wants(404, "GET", b.at()+path, "")
		}
		p.wants(404, "GET", "agent/sessions/latest", "")
		p.wants(200, "GET", "agent/sessions", "", `"items":[]`)
		if told := <-stream; !strings.Contains(told[len(told)-1].data, `"status":"deleted"`) {
			t.Errorf("who followed was told %+v", told)
		}
		if !p.tasks("")["Design the shop (4h)"].Done {
			t.Error("what was done is not any more")
		}
	})
}
