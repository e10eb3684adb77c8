package priority_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// requests are one at least for every route, about what is ann's. Names in braces
// stand for ids.
var requests = []struct {
	pattern, path, body string
	// statuses are those of: nobody, bob, bob's key, ann's key that only reads, ann.
	statuses string
}{
	{"GET outcomes", "outcomes", "", "401 200 200 200 200"},
	{"GET outcomes/active", "outcomes/active", "", "401 404 404 200 200"},
	{"GET outcomes/{outcome}", "outcomes/{outcome}", "", "401 404 404 200 200"},
	{"PATCH outcomes/{outcome}", "outcomes/{outcome}", `{"clarifier":"by May"}`, "401 404 404 403 200"},
	{"POST outcomes", "outcomes", launch, "401 201 201 403 201"},
	{"DELETE outcomes/{outcome}", "outcomes/{spare-outcome}", "", "401 404 404 403 204"},
	{"GET documents", "documents", "", "401 200 200 200 200"},
	{"GET documents/{document}", "documents/{document}", "", "401 404 404 200 200"},
	{"POST documents", "documents", `{"title":"x","content":"y"}`, "401 201 201 403 201"},
	{"PUT documents/{document}", "documents/{document}", `{"title":"Shop","content":"- [ ] Design the shop (4h)\n- [ ] Build the shop (8h)\n"}`, "401 404 404 403 200"},
	{"PATCH documents/{document}", "documents/{document}", `{"title":"Shop"}`, "401 404 404 403 200"},
	{"DELETE documents/{document}", "documents/{spare-document}", "", "401 404 404 403 204"},
	{"GET tasks", "tasks?document_id={document}", "", "401 404 404 200 200"},
	{"POST relationships", "relationships", `{"source_task_id":"{Build}","target_task_id":"{Design}","type":"related"}`, "401 400 400 403 201"},
	{"GET relationships", "relationships?task_id={Design}", "", "401 200 200 200 200"},
	{"DELETE relationships/{relationship}", "relationships/{relationship}", "", "401 404 404 403 204"},
	{"POST reflections", "reflections", `{"text":"x"}`, "401 201 201 403 201"},
	{"GET reflections", "reflections", "", "401 200 200 200 200"},
	{"DELETE reflections/{reflection}", "reflections/{reflection}", "", "401 404 404 403 204"},
	{"GET agent/sessions", "agent/sessions", "", "401 200 200 200 200"},
	{"GET agent/sessions/latest", "agent/sessions/latest", "", "401 404 404 200 200"},
	{"GET agent/sessions/{session}", "agent/sessions/{session}", "", "401 404 404 200 200"},
	{"GET agent/sessions/{session}/trace", "agent/sessions/{session}/trace", "", "401 404 404 200 200"},
	{"GET agent/sessions/{session}/events", "agent/sessions/{session}/events", "", "401 404 404 200 200"},
	{"PATCH agent/sessions/{session}/plan", "agent/sessions/{session}/plan", `{"done":["{Design}"]}`, "401 404 404 403 200"},
	{"POST agent/sessions/{session}/waves/{wave}/run", "agent/sessions/{session}/waves/1/run", "", "401 404 404 403 202"},
	{"POST agent/sessions/{session}/cancel", "agent/sessions/{session}/cancel", "", "401 404 404 403 409"},
	{"POST agent/prioritize", "agent/prioritize", `{}`, "401 400 400 403 202"},
}

func TestEveryRouteAnswersEverybodyAsItShould(t *testing.T) {
	var have []string
	for _, r := range requests {
		have = append(have, strings.Replace(r.pattern, " ", " /api/v1/", 1))
	}
	for _, p := range patterns() {
		if !slices.Contains(have, p) {
			t.Errorf("%s has no row", p)
		}
	}
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		p := start(t, cfg)
		ann, bob := p.signIn("ann"), p.signIn("bob")
		ids := map[string]string{"spare-outcome": ann.creates("outcomes", launch), "spare-document": ann.creates("documents", `{"title":"x","content":"y"}`)}
		ids["outcome"] = ann.creates("outcomes", launch)
		ids["document"] = ann.creates("documents", `{"title":"Shop","content":"- [ ] Design the shop (4h)\n- [ ] Build the shop (8h)\n"}`)
		ids["reflection"] = ann.creates("reflections", `{"text":"x"}`)
		p.settled()
		b := ann.plans()
		b.ids["session"] = b.session
		for name, id := range ids {
			b.ids[name] = id
		}
		b.ids["relationship"] = ann.creates("relationships", b.fill(`{"source_task_id":"{Build}","target_task_id":"{Design}","type":"blocks"}`))
		p.settled()
		nobody := &person{p.With(""), ""}
		people := []*person{nobody, bob, bob.withKey("write"), ann.withKey("read"), ann}
		for _, r := range requests {
			method, _, _ := strings.Cut(r.pattern, " ")
			var got []string
			for _, who := range people {
				res, _ := who.send(method, b.fill(r.path), b.fill(r.body))
				got = append(got, strconv.Itoa(res.StatusCode))
			}
			if strings.Join(got, " ") != r.statuses {
				t.Errorf("%s is answered with %v, not %s", r.pattern, got, r.statuses)
			}
			p.settled()
		}
	})
}
