package httpapi

import (
	"net/http"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/trigger"
)

// workArea is about what the runtime is doing: triggers and jobs.
func workArea() area {
	return area{routes: workRoutes(), types: map[string]reflect.Type{
		"Trigger":       reflect.TypeFor[trigger.Info](),
		"TriggerSwitch": reflect.TypeFor[triggerSwitch](),
		"Job":           reflect.TypeFor[job](),
		"Change":        reflect.TypeFor[nestor.Change](),
	}}
}

func workRoutes() []route {
	return []route{
		{"GET /api/v1/triggers", administrator, (*server).listTriggers, operation{
			id: "listTriggers", summary: "The triggers", answers: gives(listOf("Trigger")),
		}},
		{"PATCH /api/v1/triggers/{id}", administrator, (*server).switchTrigger, operation{
			id: "switchTrigger", names: "on-user-message", summary: "Switch a trigger on or off until the server restarts", body: refTo("TriggerSwitch"),
			answers: gives(refTo("Trigger")), example: `{"enabled":false}`,
		}},
		{"GET /api/v1/jobs", administrator, (*server).listJobs, operation{
			id: "listJobs", summary: "Jobs that wait or run; dead letters with state=dead", answers: gives(listOf("Job")),
			query: []parameter{limitParameter, {
				name: "state", description: "Only jobs in this state.", example: "dead",
				schema: enumOf(nestor.JobReady, nestor.JobRunning, nestor.JobBlocked, nestor.JobDead),
			}, {name: "trigger", description: "Only jobs of this trigger.", schema: textSchema(), example: "on-user-message"}},
		}},
		{"POST /api/v1/jobs/{id}/retry", administrator, (*server).retryJob, operation{
			id: "retryJob", summary: "Queue a dead letter again",
			answers: answers{http.StatusAccepted: objectOf(map[string]*jsonschema.Schema{"queued": {Type: "boolean"}})},
		}},
	}
}
