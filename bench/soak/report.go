package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
)

// report is what a soak found.
type report struct {
	*soak
	violations map[string][]string // by promise

	chats, messages, agents, steps, calls, writes, told, comes, pulled, dead, ledgers, shares int
	tasks                                                                                     map[nestor.TaskStatus]int
	tokens, unsaid                                                                            int64
}

func (r *report) violated(promise, format string, args ...any) {
	if r.violations == nil {
		r.violations = map[string][]string{}
	}
	r.violations[promise] = append(r.violations[promise], fmt.Sprintf(format, args...))
	r.journal.note("VIOLATED %s: "+format, append([]any{promise}, args...)...)
}

func (r *report) count(w *world) {
	if r.tasks == nil {
		r.tasks = map[nestor.TaskStatus]int{}
	}
	r.chats += len(w.chats)
	r.agents += len(w.agents)
	for _, m := range w.messages {
		r.messages += len(m)
	}
	for _, t := range w.tasks {
		r.tasks[t.Status]++
		r.steps += t.Steps
	}
}

// String is the report for people.
func (r *report) String() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("Soak of %s with %d nodes, %d people, live text by %s, seed %d; %s in all. Logs: %s", r.Duration, r.Nodes, r.People, r.Bus, r.Seed, time.Since(r.began).Round(time.Second), r.Folder)
	line("Faults:")
	for _, name := range slices.Sorted(maps.Keys(r.acts)) {
		line("  %4d  %s", r.acts[name], name)
	}
	for _, name := range slices.Sorted(maps.Keys(r.model.faults)) {
		line("  %4d  %s of the model", r.model.faults[name], name)
	}
	line("  %4d  failures of tools", r.soak.tools.failed)
	line("Work: %d chats, %d messages, %d agents, %d tool calls, %d model requests of which %d steps of tasks were committed, %d tokens, %d of them for replies that stand in no message",
		r.chats, r.messages, r.agents, r.calls, len(r.model.requests), r.steps, r.tokens, r.unsaid)
	line("  tasks: %d success, %d failed, %d cancelled; %d dead letters, all explained by faults", r.tasks[nestor.TaskSuccess], r.tasks[nestor.TaskFailed],
		r.tasks[nestor.TaskCancelled], r.dead)
	line("  %d guarded writes acknowledged; %d changes told to followers over %d connections; %d documents in pulled copies; %d ledgers in %d shares",
		r.writes, r.told, r.comes, r.pulled, r.ledgers, r.shares)
	if r.Limit > 0 {
		line("  %d looks at what runs; users had all of their %d jobs running in %d of them", r.watched.looks, r.Limit, r.watched.atLimit)
	}
	if len(r.violations) == 0 {
		line("No promise was broken.")
	}
	for _, promise := range slices.Sorted(maps.Keys(r.violations)) {
		list := r.violations[promise]
		line("BROKEN: %s, %d times", promise, len(list))
		for _, v := range list[:min(len(list), 10)] {
			line("  %s", v)
		}
	}
	return b.String()
}
