package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
)

// liar is a model behind the format of OpenAI that says whatever it likes: no tasks
// where there are many, efforts that nobody has, and plans with ids of its own.
type liar struct {
	*testing.T
	// held is closed when the liar was asked for step 3 for the first time. It does
	// not answer that.
	held chan struct{}

	mu    sync.Mutex
	tasks []plannedTask
	asked map[string]int
}

type plannedTask struct {
	ID, Text    string
	EffortHours float64 `json:"effort_hours"`
	Done        bool
}

func (l *liar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the program was killed while it sent this
	}
	moment, events := l.answer(body)
	l.mu.Lock()
	l.asked[moment]++
	first := l.asked[moment] == 1
	l.mu.Unlock()
	if moment == "step 3" && first {
		close(l.held)
		<-r.Context().Done()
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = w.Write(llmtest.OpenAI.Transcript(events)) // a client that left is no news
}

func (l *liar) counts() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprint(l.asked)
}

// answer is what the liar says to a request, and which one that is.
func (l *liar) answer(body []byte) (moment string, events []llm.Event) {
	calls := func(name string, arguments any) []llm.Event {
		text, err := json.Marshal(arguments)
		if err != nil {
			l.Error(err)
		}
		return []llm.Event{
			llm.Text{Text: "I know what to do."},
			llm.ToolCall{ID: "call_" + name, Name: name, Arguments: string(text)},
			llm.Finish{Reason: llm.ReasonToolCalls},
		}
	}
	type object = map[string]any
	l.mu.Lock()
	tasks := l.tasks
	l.mu.Unlock()
	dependency := func(source, target string, confidence float64) object {
		return object{"source_task_id": source, "target_task_id": target, "relationship_type": "prerequisite", "confidence": confidence, "reasoning": "Because."}
	}
	switch results := bytes.Count(body, []byte(`"role":"tool"`)); {
	case bytes.Contains(body, []byte(`"name":"report_tasks"`)):
		if bytes.Contains(body, []byte(`Title: pandoc\n`)) {
			return "extract", calls("report_tasks", object{"tasks": []object{
				{"text": "Fix the fence", "effort_hours": 9999}, {"text": "Fix the fence", "effort_hours": 1}, {"text": "x", "effort_hours": 1}, {"text": "Dig the beds", "effort_hours": -3},
			}})
		}
		return "extract", []llm.Event{llm.Text{Text: "What a fine document."}, llm.Finish{Reason: llm.ReasonStop}}
	case bytes.Contains(body, []byte(`"name":"report_dependencies"`)):
		return "detect", calls("report_dependencies", object{"dependencies": []object{
			dependency(tasks[1].ID, tasks[0].ID, 0.9), dependency("ghost", tasks[0].ID, 0.9), dependency(tasks[2].ID, tasks[2].ID, 0.9),
		}})
	case results == 0:
		return "step 1", calls("semantic-search", object{"query": "release"})
	case results == 1:
		return "step 2", calls("detect-dependencies", object{"task_ids": []string{tasks[0].ID, tasks[1].ID, tasks[2].ID}})
	case results == 2:
		return "step 3", calls("query-task-graph", object{"task_ids": []string{tasks[0].ID, "ghost"}})
	default:
		order := []string{"ghost", tasks[1].ID, tasks[1].ID}
		for _, t := range tasks[:len(tasks)/2] {
			order = append(order, t.ID)
		}
		return "step 4", calls("submit_plan", object{
			"ordered_task_ids": order, "synthesis_summary": "So be it.",
			"dependencies":      []object{dependency(tasks[0].ID, tasks[1].ID, 0.2), dependency(tasks[3].ID, "ghost", 1)},
			"confidence_scores": object{tasks[0].ID: 17, "ghost": 1},
			"execution_waves":   []object{{"wave_number": 7, "task_ids": []string{"ghost", tasks[1].ID}}},
		})
	}
}

// printsJSON decodes what a command prints.
func (p *program) printsJSON(v any, args ...string) {
	p.Helper()
	if text := p.prints(args...); json.Unmarshal([]byte(text), v) != nil {
		p.Fatalf("nestor %s prints %s", strings.Join(args, " "), text)
	}
}

// madePlan is what plan show --json prints.
type madePlan struct {
	Status  string
	Notices []string
	Plan    struct {
		Order []string `json:"ordered_task_ids"`
		Waves []struct {
			Tasks []string `json:"task_ids"`
		} `json:"execution_waves"`
		Confidence map[string]float64 `json:"confidence_scores"`
		Broken     []struct {
			Source string `json:"source_task_id"`
		} `json:"broken_cycles"`
	} `json:"prioritized_plan"`
}

// Documents of others, a model that lies and a kill -9 in the middle: the plan has
// every task once, in an order and of a size that can be, and each step was made once.
func TestAPlanInTheTerminalSurvivesLiesAndAKill(t *testing.T) {
	onEachEngine(t, func(t *testing.T, env []string) {
		l := &liar{T: t, held: make(chan struct{}), asked: map[string]int{}}
		model := httptest.NewServer(l)
		t.Cleanup(model.Close)
		p := newProgram(t, append(env, "NESTOR_TOKEN=short-on-loopback", "NESTOR_LEASE=10s",
			"NESTOR_MODEL=openai:liar", "OPENAI_BASE_URL="+model.URL+"/v1")...)
		link, server := p.serve()
		base, _, _ := strings.Cut(link, "/?")
		p.env = append(p.env, "NESTOR_URL="+base)

		root := filepath.Join("..", "..")
		files := filepath.Join(root, "internal", "doctext", "testdata")
		changelog, docx, pdf, locked := filepath.Join(root, "CHANGELOG.md"), filepath.Join(files, "pandoc.docx"), filepath.Join(files, "chromium.pdf"), filepath.Join(files, "locked.pdf")
		cmd := p.command("plan", "add", changelog, docx, locked, pdf)
		out, err := cmd.CombinedOutput()
		for _, want := range []string{
			"✓ " + changelog + ": ", "✓ " + docx + ": 2 tasks\n", "✓ " + pdf + ": 6 tasks\n  Tasks were found by rules instead of the model",
			"✗ " + locked + ": the PDF is protected", "nestor: 1 of 4 files could not be added",
		} {
			if !strings.Contains(string(out), want) {
				t.Errorf("plan add prints no %q in\n%s", want, out)
			}
		}
		if err == nil || cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("plan add ends with %v", err)
		}
		const sentence = "Ship the release, measured by open tasks: none by Friday.\n"
		if got := p.prints("plan", "outcome", "ship", "the release", "open tasks", "none by Friday", "--capacity", "8"); got != sentence+"8 hours a day.\n" {
			t.Errorf("plan outcome prints %q", got)
		}
		var tasks []plannedTask
		p.printsJSON(&tasks, "plan", "tasks", "--json")
		if len(tasks) < 20 {
			t.Fatalf("the tasks are %v", tasks)
		}
		l.mu.Lock()
		l.tasks = tasks
		l.mu.Unlock()

		var printed, failed bytes.Buffer
		run := p.command("plan", "run")
		run.Stdout, run.Stderr = &printed, &failed
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-l.held:
		case <-t.Context().Done():
			t.Fatal("the analysis does not get to step 3")
		}
		if err := server.Kill(); err != nil {
			t.Fatal(err)
		}
		if _, err := server.Wait(); err != nil {
			t.Fatal(err)
		}
		p.serve("--addr", strings.TrimPrefix(base, "http://"))
		if err := run.Wait(); err != nil || failed.Len() > 0 {
			t.Fatalf("plan run: %v\n%s%s", err, &printed, &failed)
		}
		if got := p.prints("plan", "show"); got != printed.String() || !strings.HasPrefix(got, sentence+"\nWave 1 · ") || !strings.Contains(got, "Why: So be it.") {
			t.Errorf("plan run printed\n%s\nand plan show\n%s", &printed, got)
		}
		var made madePlan
		p.printsJSON(&made, "plan", "show", "--json")
		checkMadePlan(t, &made, tasks)

		var trace struct {
			Steps []struct {
				Number int    `json:"step_number"`
				Tool   string `json:"tool_name"`
				Status string
			}
		}
		p.printsJSON(&trace, "plan", "why", "--json")
		if got := fmt.Sprint(trace.Steps); got != "[{1 semantic-search success} {2 detect-dependencies success} {3 query-task-graph success} {4 submit_plan success}]" {
			t.Errorf("the steps are %s", got)
		}
		l.mu.Lock()
		delete(l.asked, "extract")
		l.mu.Unlock()
		if got := l.counts(); got != "map[detect:1 step 1:1 step 2:1 step 3:2 step 4:1]" {
			t.Errorf("the model was asked %s; only what was cut off may be asked again", got)
		}
	})
}

// checkMadePlan checks what holds of a plan whatever a model says.
func checkMadePlan(t *testing.T, made *madePlan, tasks []plannedTask) {
	t.Helper()
	effort, wave, open := map[string]float64{}, map[string]int{}, []string{}
	for _, task := range tasks {
		if effort[task.ID] = task.EffortHours; !task.Done {
			open = append(open, task.ID)
		}
	}
	for i, w := range made.Plan.Waves {
		hours := 0.0
		for _, id := range w.Tasks {
			if wave[id] != 0 {
				t.Errorf("%s stands in two waves", id)
			}
			wave[id] = i + 1
			hours += effort[id]
		}
		if len(w.Tasks) == 0 || len(w.Tasks) > 1 && hours > 8 {
			t.Errorf("wave %d has %d tasks of %v hours", i+1, len(w.Tasks), hours)
		}
	}
	slices.Sort(open)
	if got := slices.Sorted(slices.Values(made.Plan.Order)); made.Status != "completed" || !slices.Equal(got, open) || len(wave) != len(open) {
		t.Errorf("the plan is %s and has %d tasks, %d in waves, of %d", made.Status, len(got), len(wave), len(open))
	}
	for _, id := range open {
		if c, ok := made.Plan.Confidence[id]; !ok || c < 0 || c > 1 || wave[id] == 0 {
			t.Errorf("%s has confidence %v and wave %d", id, c, wave[id])
		}
	}
	if first, second := tasks[0].ID, tasks[1].ID; wave[second] <= wave[first] || len(made.Plan.Broken) != 1 || made.Plan.Broken[0].Source != first {
		t.Errorf("the waves are %d and %d, and broken is %v", wave[first], wave[second], made.Plan.Broken)
	}
	if notices := strings.Join(made.Notices, "\n"); !strings.Contains(notices, "ghost") || !strings.Contains(notices, "more than once") || !strings.Contains(notices, "The model forgot") {
		t.Errorf("the notices are\n%s", notices)
	}
}
