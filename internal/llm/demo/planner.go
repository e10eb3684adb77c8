package demo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// plannerRules order tasks: one tool after the other is used once, then the plan is
// submitted.
var plannerRules = []rule{
	{"look for the tasks that the outcome is about", unused(semanticSearch), searchOutcome},
	{"read the documents of those tasks", unused(documentContext), readDocuments},
	{"find out which tasks depend on which", undetected, detectNext},
	{"look at what is known about their order", unused(taskGraph), readGraph},
	{"group similar tasks", unusedForTwo(clusterTasks), groupTasks},
	{"order the tasks by their dependencies and by the outcome", always, submit},
}

// windowSize is how many tasks detect-dependencies takes at once, windows how often
// it is called, and most how many tasks other tools take.
const (
	windowSize = 50
	windows    = 5
	most       = 100
)

func unused(tool string) func(*scene) bool {
	return func(sc *scene) bool {
		_, offered := sc.tools[tool]
		return offered && len(sc.listed()) > 0 && len(sc.resultsOf(tool)) == 0
	}
}

func unusedForTwo(tool string) func(*scene) bool {
	return func(sc *scene) bool { return unused(tool)(sc) && len(sc.listed()) > 1 }
}

// undetected holds until every window of tasks was looked at.
func undetected(sc *scene) bool {
	_, offered := sc.tools[detectTasks]
	return offered && sc.window() != nil
}

// window are the next tasks to look at. Windows share a task, so that a list
// that goes on in the next window stays whole.
func (sc *scene) window() []listedTask {
	tasks, n := sc.listed(), len(sc.resultsOf(detectTasks))
	from := n * (windowSize - 1)
	if n == windows || from >= len(tasks)-1 {
		return nil
	}
	return tasks[from:min(from+windowSize, len(tasks))]
}

func searchOutcome(sc *scene) reply {
	query := []rune(cmp.Or(sc.outcome(), "what to do first"))
	return use("I look for the tasks that the outcome is about.", semanticSearch, map[string]any{"query": string(query[:min(len(query), 500)])})
}

// readDocuments asks for one task of each document, those first that the search
// found.
func readDocuments(sc *scene) reply {
	var ids, documents []string
	for _, t := range append(sc.found(), sc.listed()...) {
		if len(ids) < 10 && !slices.Contains(documents, t.document) {
			ids, documents = append(ids, t.id), append(documents, t.document)
		}
	}
	return use("I read where these tasks come from.", documentContext, map[string]any{"task_ids": ids})
}

func detectNext(sc *scene) reply {
	return use("I find out which tasks have to wait for others.", detectTasks, map[string]any{"task_ids": idsOf(sc.window()), "use_document_context": true})
}

func readGraph(sc *scene) reply {
	return use("I look at what is known about their order.", taskGraph, map[string]any{"task_ids": idsOf(first(sc.listed(), most)), "type": "all"})
}

func groupTasks(sc *scene) reply {
	return use("I see which tasks belong together.", clusterTasks, map[string]any{"task_ids": idsOf(first(sc.listed(), most))})
}

func use(thought, tool string, args map[string]any) reply {
	return reply{text: thought, calls: []call{{tool, args}}}
}

func first[T any](all []T, n int) []T { return all[:min(n, len(all))] }

// submit orders the tasks: those nearer to the outcome first, none before what
// it depends on. A task is the nearer the more words it shares with the
// outcome.
func submit(sc *scene) reply {
	tasks, links := sc.listed(), sc.links()
	near := map[string]int{}
	for _, t := range tasks {
		near[t.id] = shared(t.text, sc.outcome())
	}
	slices.SortStableFunc(tasks, func(a, b listedTask) int { return cmp.Compare(near[b.id], near[a.id]) })
	ordered := inOrder(tasks, links)
	scores := map[string]any{}
	for _, id := range ordered {
		scores[id] = 0.5
		if near[id] > 0 {
			scores[id] = 0.6
		}
	}
	dependencies := []any{}
	for _, l := range links {
		scores[l.Source] = 0.8
		dependencies = append(dependencies, map[string]any{
			"source_task_id": l.Source, "target_task_id": l.Target, "relationship_type": l.Type, "confidence": l.Confidence,
		})
	}
	summary := fmt.Sprintf("Ordered by rules and not by an AI. What depends on what counts first (tasks: %d, dependencies: %d), then how many words a task shares with the outcome, then the order of the documents. Connect a model for an order that understands them.",
		len(ordered), len(links))
	return use("I put the tasks in order.", submitPlan, map[string]any{
		"ordered_task_ids": ordered, "dependencies": dependencies, "confidence_scores": scores, "synthesis_summary": summary,
	})
}

// inOrder takes tasks as they come, each after what it depends on. A circle
// begins with its first task.
func inOrder(tasks []listedTask, links []link) []string {
	ordered := []string{}
	known, placed := map[string]bool{}, map[string]bool{}
	for _, t := range tasks {
		known[t.id] = true
	}
	before := map[string][]string{}
	for _, l := range links {
		if l.Type != related {
			before[l.Source] = append(before[l.Source], l.Target)
		}
	}
	var place func(id string)
	place = func(id string) {
		if placed[id] || !known[id] {
			return
		}
		placed[id] = true
		for _, b := range before[id] {
			place(b)
		}
		ordered = append(ordered, id)
	}
	for _, t := range tasks {
		place(t.id)
	}
	return ordered
}

// links are the dependencies that tools told of, each once, among the listed tasks.
func (sc *scene) links() (links []link) {
	known, seen := map[string]bool{}, map[[2]string]bool{}
	for _, t := range sc.listed() {
		known[t.id] = true
	}
	for _, tool := range []string{taskGraph, detectTasks} {
		for _, r := range sc.resultsOf(tool) {
			var said struct{ Dependencies, Relationships []link }
			if r.failed || json.Unmarshal([]byte(r.content), &said) != nil {
				continue
			}
			for _, l := range append(said.Relationships, said.Dependencies...) {
				if pair := [2]string{l.Source, l.Target}; known[l.Source] && known[l.Target] && !seen[pair] {
					seen[pair] = true
					links = append(links, l)
				}
			}
		}
	}
	return links
}

// found are the tasks that the search returned.
func (sc *scene) found() (tasks []listedTask) {
	for _, r := range sc.resultsOf(semanticSearch) {
		var said struct {
			Tasks []struct {
				ID string `json:"task_id"`
			}
		}
		if r.failed || json.Unmarshal([]byte(r.content), &said) != nil {
			continue
		}
		for _, t := range sc.listed() {
			for _, f := range said.Tasks {
				if f.ID == t.id {
					tasks = append(tasks, t)
				}
			}
		}
	}
	return tasks
}

func (sc *scene) resultsOf(tool string) (results []result) {
	for _, r := range sc.work.all {
		if r.tool == tool {
			results = append(results, r)
		}
	}
	return results
}

// outcome is the line below the heading Outcome of the first message.
func (sc *scene) outcome() string {
	if len(sc.req.Messages) == 0 {
		return ""
	}
	_, after, _ := strings.Cut(textOf(sc.req.Messages[0]), "# Outcome\n")
	return firstLine(after)
}
