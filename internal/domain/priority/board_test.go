package priority_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/server"
)

// atWork is the demo model, whose agents wait until they are let go.
type atWork struct {
	*demo.Model
	let chan struct{}
}

func (m *atWork) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	if !slices.ContainsFunc(req.Tools, func(t llm.Tool) bool { return t.Name == "final_answer" }) {
		return m.Model.Generate(ctx, req)
	}
	return func(yield func(llm.Event, error) bool) {
		select {
		case <-m.let:
			m.Model.Generate(ctx, req)(yield)
		case <-ctx.Done():
			yield(nil, ctx.Err())
		}
	}
}

// board is the current plan as a person sees it, by the first words of tasks.
type board struct {
	*person
	session string
	names   map[string]string
	ids     map[string]string
}

func (p *person) plans() *board {
	p.Helper()
	b := &board{person: p, session: p.begins(), names: map[string]string{}, ids: map[string]string{}}
	p.settled()
	for _, t := range p.tasks("") {
		name, _, _ := strings.Cut(t.Text, " ")
		b.names[t.ID], b.ids[name] = name, t.ID
	}
	return b
}

func (b *board) at() string { return "agent/sessions/" + b.session }

// waves are the waves of the stored plan, such as "Design | Build Test".
func (b *board) waves() string {
	b.Helper()
	var s struct {
		Plan *record.PrioritizedTaskPlan `json:"prioritized_plan"`
	}
	if b.into(&s, 200, "GET", b.at(), ""); s.Plan == nil {
		b.Fatal("there is no plan")
	}
	return b.shown(s.Plan)
}

func (b *board) shown(p *record.PrioritizedTaskPlan) string {
	var waves []string
	for _, w := range p.ExecutionWaves {
		var in []string
		for _, id := range w.TaskIDs {
			in = append(in, b.names[id])
		}
		waves = append(waves, strings.Join(in, " "))
	}
	return strings.Join(waves, " | ")
}

// edits changes the plan and wants the answer and the stored plan to have the waves.
// Names in braces stand for ids.
func (b *board) edits(edit, waves string, notices ...string) {
	b.Helper()
	var made struct {
		record.PrioritizedTaskPlan
		Notices []string
	}
	b.into(&made, 200, "PATCH", b.at()+"/plan", b.fill(edit))
	if got := b.shown(&made.PrioritizedTaskPlan); got != waves {
		b.Errorf("after %s the answer is %s, want %s", edit, got, waves)
	}
	if got := b.waves(); got != waves {
		b.Errorf("after %s the plan is %s, want %s", edit, got, waves)
	}
	for _, want := range notices {
		if !strings.Contains(strings.Join(made.Notices, "\n"), want) {
			b.Errorf("after %s the notices are %q", edit, made.Notices)
		}
	}
}

func (b *board) fill(text string) string {
	for name, id := range b.ids {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}

func TestAPersonChangesThePlan(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		p := start(t, cfg)
		p.hasTasks()
		b := p.plans()
		if got := b.waves(); got != "Design | Build | Announce" {
			t.Fatalf("the plan is %s", got)
		}

		b.edits(`{"pin":{"{Build}":3}}`, "Design | Build | Announce", "“Build the shop (8h)” (pinned to wave 3, stands in wave 2)")
		b.edits(`{"done":["{Design}"]}`, "Build | Announce")
		b.edits(`{"undo":["{Design}"],"unpin":["{Build}"]}`, "Design | Build | Announce")
		for _, bad := range []string{`{"done":["nobody"]}`, `{"pin":{"{Build}":9}}`, `{"move":1}`, `[]`} {
			p.wants(400, "PATCH", b.at()+"/plan", b.fill(bad))
		}
		if got := b.waves(); got != "Design | Build | Announce" {
			t.Errorf("after edits that were refused the plan is %s", got)
		}

		// What is done is known to the next analysis, also after the document is
		// processed again.
		b.edits(`{"done":["{Announce}"]}`, "Design | Build")
		var documents struct{ Items []struct{ ID string } }
		p.into(&documents, 200, "GET", "documents", "")
		document := "documents/" + documents.Items[0].ID
		p.wants(200, "PATCH", document, `{"content":"- [ ] Build the shop (8h)\n- [ ] Announce the shop (1h)\n- [ ] Design the shop (4h)\n"}`)
		p.settled()
		if tasks := p.tasks(""); !tasks["Announce the shop (1h)"].Done || tasks["Build the shop (8h)"].Done {
			t.Errorf("after the document was processed again the tasks are %+v", tasks)
		}
		later := p.plans()
		if got := later.waves(); got != "Design | Build" {
			t.Errorf("the next plan is %s", got)
		}
		p.wants(409, "PATCH", b.at()+"/plan", `{}`, `"reason":"NOT_CURRENT"`)
		later.edits(`{}`, "Design | Build")

		// Relationships and documents change the plan as they change.
		rel := p.creates("relationships", b.fill(`{"source_task_id":"{Design}","target_task_id":"{Build}","type":"prerequisite"}`))
		p.settled()
		if got := later.waves(); got != "Build | Design" {
			t.Errorf("with a relationship of the person the plan is %s", got)
		}
		p.wants(204, "DELETE", "relationships/"+rel, "")
		p.settled()
		if got := later.waves(); got != "Design | Build" {
			t.Errorf("without it again it is %s", got)
		}
		p.wants(200, "PATCH", document, `{"content":"- [ ] Design the shop (4h)\n"}`)
		p.settled()
		if got := later.waves(); got != "Design" {
			t.Errorf("when a task is gone the plan is %s", got)
		}
		p.signIn("bob").wants(404, "PATCH", b.at()+"/plan", `{}`)
		p.wants(204, "DELETE", document, "")
		p.settled()
		p.wants(404, "GET", later.at(), "")
		// The plan that it replaced, of the same tasks, is not brought back.
		p.wants(200, "GET", b.at(), "", `"is_current":false`)
		p.wants(404, "GET", "agent/sessions/latest", "")
	})
}

// Days of a text are kept with its tasks, shown, and respected by the plan, also when they change.
func TestDaysOfTasksShapeThePlan(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		p := start(t, cfg)
		p.creates("outcomes", launch)
		const list = "- [ ] Ask Anna for the contract of the shop\n- [ ] Build the shop by 3 March 2999\n"
		document := "documents/" + p.creates("documents", fmt.Sprintf(`{"title":"Shop","content":%q}`, "Anna is away until 20 January 2999.\n"+list))
		p.settled()
		if found := p.tasks(""); found["Ask Anna for the contract of the shop"].NotBefore != "2999-01-20" || found["Build the shop by 3 March 2999"].DueDate != "2999-03-03" {
			t.Errorf("the tasks are %+v", found)
		}
		b := p.plans()
		if got := b.waves(); got != "Build | Ask" {
			t.Errorf("the plan is %s", got)
		}
		p.wants(200, "GET", b.at(), "", "not possible yet", "(not before 20 January 2999)")
		c := &terminal{person: p}
		for _, command := range []string{"show", "tasks"} {
			if out, err := c.types(t.Context(), command); err != nil || !strings.Contains(out, "Ask Anna for the contract of the shop (not before 20 January 2999)\n") || !strings.Contains(out, "Build the shop by 3 March 2999 (due 3 March 2999)\n") {
				t.Errorf("plan %s prints, with %v,\n%s", command, err, out)
			}
		}
		b.edits(`{"done":[]}`, "Build | Ask")
		p.wants(200, "PATCH", document, fmt.Sprintf(`{"content":%q}`, "Anna is away until 20 January 2020.\n"+list))
		p.settled()
		if got := b.waves(); got != "Build Ask" {
			t.Errorf("when Anna is there the plan is %s", got)
		}
	})
}

// "Friday" is counted from the day on which a text was given, however often it is processed.
func TestATextIsAsOldAsItsWords(t *testing.T) {
	p := start(t, server.Config{Data: t.TempDir()})
	id := p.creates("documents", `{"title":"Shop","content":"- Call Anna"}`)
	stored := "docs/users/" + p.id + "/processed-documents/" + id
	for _, step := range []struct {
		change string
		is     bool // it is new
	}{{`{"content":"- Call Anna"}`, false}, {`{"title":"Store"}`, false}, {`{"content":"- Call Anna by Friday"}`, true}} {
		p.wants(200, "PATCH", "documents/"+id, step.change)
		p.settled()
		if _, body := p.send("GET", stored, ""); strings.Contains(body, `"content_at"`) != step.is {
			t.Errorf("after %s the document is %s", step.change, body)
		}
	}
}

// A document that goes while the plan of its tasks is being written takes the plan along,
// whichever is committed first.
func TestAPlanOfTasksThatWentMeanwhileDoesNotStay(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		d := openDesk(t, open, &reporter{name: "demo"})
		session := record.Of("ann").Child("agent-sessions", "s1")
		s := record.AgentSession{UserID: "ann", OutcomeID: "o1", Status: record.SessionRunning, Slot: record.SlotRunning}
		d.put(session, s)
		s.Status, s.Slot = record.SessionCompleted, record.SlotCurrent
		s.PrioritizedPlan = &record.PrioritizedTaskPlan{OrderedTaskIDs: []string{"gone"}, ExecutionWaves: []record.ExecutionWave{{WaveNumber: 1, TaskIDs: []string{"gone"}}}}
		d.put(session, s)
		job := d.job("plan-became-current")
		if job == nil {
			t.Fatal("nobody looks whether the tasks are still there")
		}
		effect, err := d.handlers["replan"].Run(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		d.write(effect)
		if d.has(session) {
			t.Error("there is a plan of tasks that are not there")
		}
	})
}

// A plan is made for an outcome, and goes with it.
func TestAnAnalysisGoesWithItsOutcome(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		p := start(t, cfg)
		p.hasTasks()
		var active struct{ ID string }
		p.into(&active, 200, "GET", "outcomes/active", "")
		first, second := p.plans(), p.plans()
		p.creates("outcomes", signups)
		other := p.plans()
		p.wants(204, "DELETE", "outcomes/"+active.ID, "")
		p.wants(404, "GET", first.at(), "")
		p.wants(404, "GET", second.at()+"/trace", "")
		p.wants(200, "GET", other.at(), "", `"is_current":true`)
	})
}

func TestAgentsWorkOnAWave(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model := &atWork{demo.New(demo.Options{Instant: true}), make(chan struct{})}
		cfg.Model = model
		p := start(t, cfg)
		p.creates("outcomes", launch)
		p.creates("documents", `{"title":"Sums","content":"- [ ] What is 2 + 3?\n- [ ] What is 4 * 5?\n"}`)
		p.settled()
		b := p.plans()

		bob := p.signIn("bob")
		bob.wants(404, "POST", b.at()+"/waves/1/run", "")
		p.wants(404, "POST", b.at()+"/waves/9/run", "")
		p.wants(400, "POST", b.at()+"/waves/one/run", "", "wave")
		var handed struct {
			ChatID string `json:"chat_id"`
			Tasks  []struct {
				TaskID string `json:"task_id"`
			}
		}
		p.into(&handed, 202, "POST", b.at()+"/waves/1/run", "")
		if len(handed.Tasks) != 2 {
			t.Fatalf("handed over: %+v", handed)
		}
		p.wants(409, "POST", b.at()+"/waves/1/run", "", `"reason":"NOTHING_TO_DO"`)
		streams := []<-chan []event{p.follows(b.session, "?follow=1", ""), p.follows(b.session, "?follow=1", "")}
		bob.wants(404, "GET", "chats/"+handed.ChatID+"?user="+p.id, "")

		close(model.let)
		p.settled()
		for _, found := range p.tasks("") {
			want := map[bool]string{true: "5", false: "20"}[strings.Contains(found.Text, "2 + 3")]
			if found.Status != "success" || !strings.Contains(found.Result, want) || found.ChatID != handed.ChatID || found.Done {
				t.Errorf("the task is %+v, want a result with %s", found, want)
			}
		}
		p.wants(200, "GET", fmt.Sprintf("docs/users/%s/orch-chats/%s", p.id, handed.ChatID), "", `"title":"Wave 1: What is`, `"accountId":"`, `"projectId":"`)
		p.wants(202, "POST", b.at()+"/waves/1/run", "") // once more, if the person likes
		p.settled()

		// Everybody who follows is told all of it, and last that the session is gone.
		p.wants(200, "PATCH", b.at()+"/plan", fmt.Sprintf(`{"done":[%q]}`, handed.Tasks[0].TaskID))
		p.wants(204, "DELETE", "docs/users/"+p.id+"/agent-sessions/"+b.session, "")
		for _, stream := range streams {
			told := <-stream
			for _, t := range handed.Tasks {
				for _, status := range []string{"running", "success", "pending"} {
					want := fmt.Sprintf(`{"task_id":%q,"done":false,"chat_id":"`, t.TaskID)
					if !slices.ContainsFunc(told, func(e event) bool {
						return e.name == "task" && strings.HasPrefix(e.data, want) && strings.Contains(e.data, `"status":"`+status)
					}) {
						p.Errorf("nobody was told that %s is %s: %+v", t.TaskID, status, told)
					}
				}
			}
			end := told[len(told)-3:]
			if !slices.Equal(names(end), []string{"task", "plan", "status"}) || !strings.Contains(end[0].data, `"done":true`) ||
				!strings.Contains(end[1].data, `"done":["`+handed.Tasks[0].TaskID) || !strings.Contains(end[2].data, `"status":"deleted"`) {
				t.Errorf("told at the end was %+v", end)
			}
		}
	})
}
