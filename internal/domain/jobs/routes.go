package jobs

import (
	"net/http"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/trigger"
)

type route = module.Route[*Jobs]

func routes() []route {
	return []route{
		{Route: httpapi.Route{
			Pattern: "GET /api/v1/triggers", ID: "listTriggers", Summary: "The triggers", Needs: httpapi.Administrator, Answer: trigger.Info{}, Lists: true,
		}, Do: (*Jobs).listTriggers},
		{Route: httpapi.Route{
			Pattern: "PATCH /api/v1/triggers/{id}", ID: "switchTrigger", Summary: "Switch a trigger on or off until the server restarts",
			Needs: httpapi.Administrator, Body: triggerSwitch{}, Answer: trigger.Info{}, Example: `{"enabled":false}`,
			More: openapi.Operation{Names: "on-user-message"},
		}, Do: (*Jobs).switchTrigger},
		{Route: httpapi.Route{
			Pattern: "GET /api/v1/jobs", ID: "listJobs", Summary: "Jobs that wait or run; dead letters with state=dead", Needs: httpapi.Administrator,
			Answer: job{}, Lists: true,
			Query: append(httpapi.Paging(), httpapi.Parameter{
				Name: "state", Description: "Only jobs in this state.", Example: "dead",
				Schema: openapi.Enum(nestor.JobReady, nestor.JobRunning, nestor.JobBlocked, nestor.JobDead),
			}, httpapi.TextParameter("trigger", "Only jobs of this trigger.", "on-user-message"), httpapi.TextParameter("userId", "Only jobs about documents of this user.", "ada")),
		}, Do: (*Jobs).listJobs},
		{Route: httpapi.Route{
			Pattern: "POST /api/v1/jobs/{id}/retry", ID: "retryJob", Summary: "Queue a dead letter again", Needs: httpapi.Administrator, Status: http.StatusAccepted,
			More: openapi.Operation{Answers: openapi.Answers{http.StatusAccepted: openapi.Object(map[string]*jsonschema.Schema{"queued": {Type: "boolean"}})}},
		}, Do: (*Jobs).retryJob},
		{Route: httpapi.Route{
			Pattern: "DELETE /api/v1/jobs/{id}", ID: "discardJob", Summary: "Delete a dead letter", Needs: httpapi.Administrator,
		}, Do: (*Jobs).discardJob},
	}
}
