package httpapi

import (
	"net/http"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/trigger"
)

// workArea is about what the runtime is doing: triggers and jobs.
func workArea() area {
	return area{routes: workRoutes(), Schemas: openapi.Schemas{Types: map[string]reflect.Type{
		"Trigger":       reflect.TypeFor[trigger.Info](),
		"TriggerSwitch": reflect.TypeFor[triggerSwitch](),
		"Job":           reflect.TypeFor[job](),
		"Change":        reflect.TypeFor[nestor.Change](),
	}}}
}

func workRoutes() []route {
	return []route{
		{"GET /api/v1/triggers", administrator, (*server).listTriggers, openapi.Operation{
			ID: "listTriggers", Summary: "The triggers", Answers: openapi.Gives(openapi.List("Trigger")),
		}},
		{"PATCH /api/v1/triggers/{id}", administrator, (*server).switchTrigger, openapi.Operation{
			ID: "switchTrigger", Names: "on-user-message", Summary: "Switch a trigger on or off until the server restarts", Body: openapi.Ref("TriggerSwitch"),
			Answers: openapi.Gives(openapi.Ref("Trigger")), Example: `{"enabled":false}`,
		}},
		{"GET /api/v1/jobs", administrator, (*server).listJobs, openapi.Operation{
			ID: "listJobs", Summary: "Jobs that wait or run; dead letters with state=dead", Answers: openapi.Gives(openapi.List("Job")),
			Query: []openapi.Parameter{limitParameter, {
				Name: "state", Description: "Only jobs in this state.", Example: "dead",
				Schema: openapi.Enum(nestor.JobReady, nestor.JobRunning, nestor.JobBlocked, nestor.JobDead),
			}, {Name: "trigger", Description: "Only jobs of this trigger.", Schema: openapi.Text(), Example: "on-user-message"}},
		}},
		{"POST /api/v1/jobs/{id}/retry", administrator, (*server).retryJob, openapi.Operation{
			ID: "retryJob", Summary: "Queue a dead letter again",
			Answers: openapi.Answers{http.StatusAccepted: openapi.Object(map[string]*jsonschema.Schema{"queued": {Type: "boolean"}})},
		}},
	}
}
