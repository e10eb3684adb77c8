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
			Pattern: "GET /api/v1/triggers", ID: "listTriggers", Summary: "The triggers",
			Description: "Each tells what it is for, whether it is on, and how often it fired since the server began.",
			Needs:       httpapi.Administrator, Answer: trigger.Info{}, Lists: true,
		}, Do: (*Jobs).listTriggers},
		{Route: httpapi.Route{
			Pattern: "PATCH /api/v1/triggers/{id}", ID: "switchTrigger", Summary: "Switch a trigger on or off until the server restarts",
			Description: "Only the node that answers switches it. What happens while a trigger is off causes no job later, either.",
			Needs:       httpapi.Administrator, Body: triggerSwitch{}, Answer: trigger.Info{}, Example: `{"enabled":false}`,
			More: openapi.Operation{Names: "on-user-message"},
		}, Do: (*Jobs).switchTrigger},
		{Route: httpapi.Route{
			Pattern: "GET /api/v1/jobs", ID: "listJobs", Summary: "Jobs that wait or run; dead letters with state=dead",
			Description: "A job that is ready and waits for a limit says which one in waitsFor.",
			Needs:       httpapi.Administrator,
			Answer:      job{}, Lists: true,
			Query: append(httpapi.Paging(), httpapi.Parameter{
				Name: "state", Description: "Only jobs in this state.", Example: "dead",
				Schema: openapi.Enum(nestor.JobReady, nestor.JobRunning, nestor.JobBlocked, nestor.JobDead),
			}, httpapi.TextParameter("trigger", "Only jobs of this trigger.", "on-user-message"), httpapi.TextParameter("userId", "Only jobs about documents of this user.", "ada")),
		}, Do: (*Jobs).listJobs},
		{Route: httpapi.Route{
			Pattern: "POST /api/v1/jobs/{id}/retry", ID: "retryJob", Summary: "Queue a dead letter again",
			Description: "It begins with its first attempt again, after the other jobs of its key.",
			Needs:       httpapi.Administrator, Status: http.StatusAccepted,
			More: openapi.Operation{Answers: openapi.Answers{http.StatusAccepted: openapi.Object(map[string]*jsonschema.Schema{"queued": {Type: "boolean"}})}},
		}, Do: (*Jobs).retryJob},
		{Route: httpapi.Route{
			Pattern: "DELETE /api/v1/jobs/{id}", ID: "discardJob", Summary: "Delete a dead letter",
			Description: "The change that caused it stays; what the job was to do is never done.",
			Needs:       httpapi.Administrator,
		}, Do: (*Jobs).discardJob},
	}
}
