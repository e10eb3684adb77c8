package trigger

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/nestorhq/nestor"
)

// stage is what a built-in handler declares about its own work, so that it holds
// however a trigger is written: which of its jobs must not run at the same time,
// and what makes it go on with work that has begun.
type stage struct {
	// key of its jobs. The key of a trigger is for webhooks only.
	key string
	// coalesce: the handler looks at the current state, so that of its jobs of a
	// key that wait to start one is enough.
	coalesce bool
	// again is an update that the handler must see, too, when a trigger has it
	// begin: nil if there is none.
	again *nestor.Trigger
}

const chatKey = "chat:{chat}" // whatever speaks in a chat, so that answers never overtake each other

// stages are the built-in handlers that drive agents.
var stages = map[string]stage{
	"orchestrator":          {key: chatKey},
	"orchestrator-finalize": {key: chatKey},
	"orchestrator-notify":   {key: chatKey},
	"task-failed":           {key: chatKey},
	"answer-parent":         {key: "child:{path}"},
	"release-call":          {key: "release:{path}"},
	"title":                 {key: "title:{chat}"},
	"agent-init": {key: "task:{path}", again: &nestor.Trigger{ // a task that is tried again
		Collection: "users/*/orch-chats/*/tasks",
		Condition:  "event.document.data.type == 'agent' && event.document.data.status == 'pending'",
	}},
	"agent-loop": {key: "agent:{agent}", coalesce: true, again: &nestor.Trigger{ // an agent that is resumed
		Collection: "users/*/orch-chats/*/sub-agents",
		Condition:  "event.document.data.status == 'active' && has(event.document.data.paused) && event.document.data.paused == false",
	}},
	"tool-runner": {key: "tool-call:{path}", again: &nestor.Trigger{ // a call that is approved, retried or let go
		Collection: "users/*/orch-chats/*/sub-agents/*/tool-calls",
		Condition:  "event.document.data.status == 'pending' && !has(event.document.data.held)",
	}},
}

// goesOn returns the rules by which the handlers of rules go on with what they
// began, where no rule says so itself. Their jobs are those of the rule that
// began. Of several that begin with the same handler the first goes on.
func goesOn(rules []*rule) []*rule {
	var more []*rule
	for _, r := range rules {
		again := stages[r.action.Handler].again
		same := func(other *rule) bool { return other.action.Handler == r.action.Handler }
		if again == nil || slices.ContainsFunc(more, same) || slices.ContainsFunc(rules, func(other *rule) bool {
			return same(other) && other.Collection == again.Collection && other.Condition == again.Condition &&
				slices.Contains(other.Events, nestor.Update)
		}) {
			continue
		}
		t := r.Trigger
		t.Collection, t.Condition, t.Events = again.Collection, again.Condition, []nestor.ChangeType{nestor.Update}
		next, _ := newRule(t, len(rules)+len(more)) // the conditions are part of the program
		next.begins = r
		more = append(more, next)
	}
	return more
}

// ignored says what of a trigger does not count, because its handler decides it.
func (r *rule) ignored(t *nestor.Trigger) []string {
	s, ok := stages[r.action.Handler]
	var found []string
	if ok && t.Key != "" && t.Key != s.key {
		found = append(found, fmt.Sprintf("trigger %q: its key is ignored: the jobs of %s have the key %s", t.ID, r.action.Handler, s.key))
	}
	if ok && t.Coalesce && !s.coalesce {
		found = append(found, fmt.Sprintf("trigger %q: coalesce is ignored: %s needs each of its jobs", t.ID, r.action.Handler))
	}
	return found
}

// declared fills in what the handler of a built-in trigger declares, so that a
// webhook which takes its place has the same key.
func declared(t nestor.Trigger) nestor.Trigger {
	action, _ := ParseAction(t.Action)
	s := stages[action.Handler]
	t.Key, t.Coalesce = cmp.Or(s.key, t.Key), s.coalesce
	return t
}
