package runtimedoc

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// kinds are the types of the documents of each collection.
var kinds = map[*store.Collection]reflect.Type{
	store.Chats: reflect.TypeFor[nestor.Chat](), store.Messages: reflect.TypeFor[nestor.Message](), store.Tasks: reflect.TypeFor[nestor.Task](),
	store.SubAgents: reflect.TypeFor[nestor.SubAgent](), store.SubAgentMessages: reflect.TypeFor[nestor.SubAgentMessage](),
	store.SubAgentToolCalls: reflect.TypeFor[nestor.ToolCall](),
}

// servers are fields that no entry gives to anybody.
var servers = []string{
	"authorId", "askedBy", "reach", "runId", "usage", "costMicros", "steps", "modelMs", "work", "decisions", "by", "held", "next", "endsTask", "untold", "effect", "client",
	"parentAgentId", "parentCallId", "parentId", "depth", "standing", "forkedFrom", "handedTo", "executionId", "unsaidUsage", "unsaidCostMicros",
}

func entries() (list []entry) {
	list = slices.Concat(people, operator)
	for _, s := range stages {
		list = append(list, s.may...)
	}
	return list
}

func TestTheTableNamesFieldsThatThereAreAndNoneOfTheServer(t *testing.T) {
	for _, e := range entries() {
		var names []string
		for _, f := range reflect.VisibleFields(kinds[e.in]) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			names = append(names, name)
		}
		for _, f := range slices.Concat(e.create, e.change) {
			if !slices.Contains(names, f) || slices.Contains(servers, f) {
				t.Errorf("%s: an entry has the field %s", e.in.Name, f)
			}
		}
	}
}

func TestTheTableTakesNoStepThatTheRuntimeDoesNot(t *testing.T) {
	for _, e := range entries() {
		if slices.Contains(e.change, "status") != (e.steps != nil) {
			t.Errorf("%s: an entry changes the status and has no steps, or has steps and does not", e.in.Name)
		}
		for from, steps := range e.steps {
			for _, to := range steps {
				can := true
				switch e.in {
				case store.Tasks:
					can = nestor.TaskStatus(from).CanBecome(nestor.TaskStatus(to)) && !nestor.TaskStatus(from).Ended()
				case store.SubAgents:
					can = nestor.SubAgentStatus(from).CanBecome(nestor.SubAgentStatus(to)) && from == string(nestor.SubAgentActive)
				case store.SubAgentToolCalls:
					can = from == string(nestor.ToolCallPending) || from == string(nestor.ToolCallRunning)
				}
				if !can {
					t.Errorf("%s: a step leads from %s to %s", e.in.Name, from, to)
				}
			}
		}
	}
}
