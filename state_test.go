package nestor_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nestorhq/nestor"
)

func TestStepsOfATask(t *testing.T) {
	states := []nestor.TaskStatus{
		nestor.TaskPending, nestor.TaskRunning, nestor.TaskWaiting, nestor.TaskSuccess, nestor.TaskFailed, nestor.TaskCancelled,
	}
	checkSteps(t, states, nestor.TaskStatus.CanBecome, []step[nestor.TaskStatus]{
		{"pending", "running", "its agent starts"},
		{"pending", "failed", "its agent could not be started"},
		{"pending", "cancelled", "nobody wants it any more"},

		{"running", "waiting", "its agent asks"},
		{"running", "success", "its agent answered"},
		{"running", "failed", "its agent gave up"},
		{"running", "cancelled", "nobody wants it any more"},

		{"waiting", "running", "the question was answered"},
		{"waiting", "success", "its agent answered after all"},
		{"waiting", "failed", "its agent gave up"},
		{"waiting", "cancelled", "nobody wants it any more"},

		{"success", "running", "its agent was reactivated"},
		{"failed", "running", "it is tried again from its last good step"},
		{"failed", "pending", "it is tried again and never had an agent"},
	})
}

func TestStepsOfASubAgent(t *testing.T) {
	states := []nestor.SubAgentStatus{
		nestor.SubAgentActive, nestor.SubAgentWaiting, nestor.SubAgentCompleted, nestor.SubAgentFailed, nestor.SubAgentCancelled,
	}
	checkSteps(t, states, nestor.SubAgentStatus.CanBecome, []step[nestor.SubAgentStatus]{
		{"active", "waiting_for_user", "it asks"},
		{"active", "completed", "it answered"},
		{"active", "failed", "it gave up"},
		{"active", "cancelled", "nobody wants it any more"},

		{"waiting_for_user", "active", "the question was answered"},
		{"waiting_for_user", "completed", "it answered after all"},
		{"waiting_for_user", "failed", "it gave up"},
		{"waiting_for_user", "cancelled", "nobody wants it any more"},

		{"completed", "active", "it was reactivated"},
		{"failed", "active", "it was reactivated"},
	})
}

type step[S ~string] struct {
	from, to S
	when     string
}

// checkSteps tries every pair of states, among them one that does not exist:
// what is not in allowed is forbidden.
func checkSteps[S ~string](t *testing.T, states []S, can func(from, to S) bool, allowed []step[S]) {
	for _, s := range allowed {
		t.Run(fmt.Sprintf("%s becomes %s when %s", s.from, s.to, s.when), func(t *testing.T) {
			if !can(s.from, s.to) {
				t.Error("it may not")
			}
		})
	}
	states = append(slices.Clone(states), "", "unheard-of")
	for _, from := range states {
		for _, to := range states {
			if slices.ContainsFunc(allowed, func(s step[S]) bool { return s.from == from && s.to == to }) {
				continue
			}
			t.Run(fmt.Sprintf("%q never becomes %q", from, to), func(t *testing.T) {
				if can(from, to) {
					t.Error("it may")
				}
			})
		}
	}
}

func ExampleTaskStatus_CanBecome() {
	fmt.Println(nestor.TaskRunning.CanBecome(nestor.TaskWaiting))
	fmt.Println(nestor.TaskPending.CanBecome(nestor.TaskSuccess))
	fmt.Println(nestor.TaskSuccess.CanBecome(nestor.TaskRunning)) // reactivated
	// Output:
	// true
	// false
	// true
}
