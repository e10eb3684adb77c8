package trigger

import (
	"slices"

	"github.com/nestorhq/nestor"
)

// reactions are in force whatever the triggers are: they keep a promise that no
// stage, built-in or not, can be left to keep.
var reactions = []nestor.Trigger{{
	// An agent waits for the task that it created until the task ends, whoever
	// ends it.
	ID:         "child-ended",
	Collection: "users/*/orch-chats/*/tasks",
	Events:     []nestor.ChangeType{nestor.Create, nestor.Update, nestor.Delete},
	Condition: "has(event.document.data.parentCallId) && event.document.data.parentCallId != '' && " +
		"(event.type == 'delete' || event.document.data.status in ['success', 'failed', 'cancelled'])",
	Action: "POST /webhook/answer-parent",
}, {
	// A call in sequence waits until the one before it ends, whoever runs that.
	ID:         "call-ended",
	Collection: "users/*/orch-chats/*/sub-agents/*/tool-calls",
	Events:     []nestor.ChangeType{nestor.Update},
	Condition: "has(event.document.data.next) && event.document.data.next != '' && " +
		"event.document.data.status in ['success', 'failed', 'skipped']",
	Action: "POST /webhook/release-call",
}}

func isReaction(id string) bool {
	return slices.ContainsFunc(reactions, func(t nestor.Trigger) bool { return t.ID == id })
}
