package priority

import (
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/analyst"
	"github.com/nestorhq/nestor/internal/domain/priority/plan"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/trigger"
)

// boardReactions keep the current plan true: to documents and relationships that
// change, and to what agents do with its tasks.
var boardReactions = []nestor.Trigger{{
	ID: "plan-document-changed", Collection: "users/*/processed-documents", Events: []nestor.ChangeType{nestor.Update, nestor.Delete},
	Condition: "event.type == 'delete' || event.document.data.status == 'completed'",
	Action:    "POST /webhook/replan",
}, {
	ID: "plan-relationship-changed", Collection: "users/*/task-relationships",
	Events: []nestor.ChangeType{nestor.Create, nestor.Update, nestor.Delete},
	Action: "POST /webhook/replan",
}, {
	// What changed while the plan was being made had no plan to change.
	ID: "plan-became-current", Collection: "users/*/agent-sessions", Events: []nestor.ChangeType{nestor.Update},
	Condition: "event.document.data.status == 'completed' && event.before.data.status != 'completed'",
	Action:    "POST /webhook/replan",
}, {
	ID: "plan-task-moved", Collection: "users/*/orch-chats/*/tasks", Events: []nestor.ChangeType{nestor.Update, nestor.Delete},
	Condition: "event.path.contains('/orch-chats/" + analyst.WaveChat + "') && (event.type == 'delete' || event.document.data.status != event.before.data.status)",
	Action:    "POST /webhook/plan-task-moved",
}}

var boardHandlers = []module.Handler[*Priority]{
	{Stage: trigger.Stage{Name: "replan", Key: "plan:{parent}"}, Run: (*Priority).replan},
	{Stage: trigger.Stage{Name: "plan-task-moved", Key: "plan-task:{path}"}, Run: (*Priority).taskMoved},
}

// boardRoutes are those by which a person works with the current plan.
func boardRoutes() []module.Route[*Priority] {
	const session = "/api/v1/agent/sessions/{session}"
	notCurrent := httpapi.Failure{Status: http.StatusConflict, Reason: reasonNotCurrent, When: "The analysis has no plan, or a later one has replaced it."}
	return []module.Route[*Priority]{
		{Do: (*Priority).patchPlan, Route: httpapi.Route{
			Pattern: "PATCH " + session + "/plan", ID: "changePlan", Summary: "Move, pin, order tasks and mark them done; the waves are computed again",
			Description: "Only the current plan can be changed. Notices tell where a task could not go as was asked.",
			Body:        plan.Edit{}, Example: `{"pin":{"t1":2},"unpin":["t2"],"done":["t3"],"undo":["t4"],"order":["t5","t6"]}`, Answer: EditedPlan{},
			Fails: []httpapi.Failure{notCurrent},
		}},
		{Do: (*Priority).runWave, Route: httpapi.Route{
			Pattern: "POST " + session + "/waves/{wave}/run", ID: "runWave", Summary: "Give the tasks of a wave to agents",
			Description: "A chat is made with one agent for each task that no agent works on yet. A task is done when the caller says so, whatever its agent came to.",
			Status:      http.StatusAccepted,
			Answer:      HandedWave{},
			Fails: []httpapi.Failure{notCurrent, {
				Status: http.StatusConflict, Reason: reasonNothingToDo, When: "Agents work on all tasks of the wave already.",
			}},
		}},
	}
}
