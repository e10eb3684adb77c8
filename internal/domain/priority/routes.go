package priority

import (
	"net/http"

	"github.com/nestorhq/nestor/internal/doctext"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
)

// maxForm is how much larger than its file a form may be.
const maxForm = 16 << 10

// invalid is the failure of all routes that take something.
var invalid = httpapi.Failure{Status: http.StatusBadRequest, Reason: reasonInvalid, When: "A field is missing, or outside of its bounds: details.field names it."}

func routes() []module.Route[*Priority] {
	type route = httpapi.Route
	const outcomes, documents, relationships, reflections = "/api/v1/outcomes", "/api/v1/documents", "/api/v1/relationships", "/api/v1/reflections"
	const example = `{"direction":"increase","object":"weekly signups","metric":"new accounts","clarifier":"20% more by June","state_preference":"Energized","daily_capacity_hours":6}`
	fails := []httpapi.Failure{invalid}
	inDocument := httpapi.TextParameter("document_id", "Only tasks of this document.", "")
	inDocument.Example = nil
	ofTask := httpapi.TextParameter("task_id", "Only relationships of this task.", "")
	ofTask.Example = nil
	return []module.Route[*Priority]{
		{Do: (*Priority).postOutcome, Route: route{
			Pattern: "POST " + outcomes, ID: "createOutcome", Summary: "Make an outcome the active one",
			Description: "The outcome that was active before stays and is not active any more.",
			Creates:     true,
			Body:        outcomeFields{}, Example: example, Answer: UserOutcome{}, Fails: fails,
		}},
		{Do: (*Priority).listOutcomes, Route: route{
			Pattern: "GET " + outcomes, ID: "listOutcomes", Summary: "The caller's outcomes, newest first",
			Description: "At most one of them is active.",
			Answer:      UserOutcome{}, Lists: true, Query: httpapi.Paging(),
		}},
		{Do: (*Priority).activeOutcome, Route: route{
			Pattern: "GET " + outcomes + "/active", ID: "getActiveOutcome", Summary: "The outcome that plans are made for",
			Description: "Its assembled_text puts its parts into one sentence.",
			Answer:      UserOutcome{},
			Fails:       []httpapi.Failure{{Status: http.StatusNotFound, Reason: reasonNoOutcome, When: "No outcome is active."}},
		}},
		{Do: (*Priority).getOutcome, Route: route{
			Pattern: "GET " + outcomes + "/{outcome}", ID: "getOutcome", Summary: "An outcome",
			Description: "Its assembled_text puts its parts into one sentence.",
			Answer:      UserOutcome{},
		}},
		{Do: (*Priority).patchOutcome, Route: route{
			Pattern: "PATCH " + outcomes + "/{outcome}", ID: "updateOutcome", Summary: "Change an outcome, or make it the active one",
			Description: "Fields that are left out stay. An empty state_preference, or a capacity of 0, takes these away.",
			Body:        outcomeChange{}, Example: example[:len(example)-1] + `,"is_active":true}`, Answer: UserOutcome{}, Fails: fails,
		}},
		{Do: (*Priority).deleteOutcome, Route: route{
			Pattern: "DELETE " + outcomes + "/{outcome}", ID: "deleteOutcome", Summary: "Delete an outcome",
			Description: "The analyses that were made for it go, too.",
		}},

		{Do: (*Priority).postDocument, Route: route{
			Pattern: "POST " + documents, ID: "addDocument", Summary: "Add a text, or a file (.md, .txt, .docx, .pdf), whose tasks are then found",
			Description: "The tasks are found by a job, so the answer has the status queued. The text may have 512 KiB, a file 10 MiB.",
			Creates:     true,
			Body:        documentFields{}, Example: `{"title":"Plan","content":"- [ ] Write the report (2h)"}`, Answer: ProcessedDocument{},
			Upload: doctext.MaxUpload + maxForm, Fails: fails,
		}},
		{Do: (*Priority).listDocuments, Route: route{
			Pattern: "GET " + documents, ID: "listDocuments", Summary: "The caller's documents without their content, newest first",
			Description: "The status says how far the search for tasks has come.",
			Answer:      DocumentSummary{}, Lists: true, Query: httpapi.Paging(),
		}},
		{Do: (*Priority).getDocument, Route: route{
			Pattern: "GET " + documents + "/{document}", ID: "getProcessedDocument", Summary: "A document with its content and tasks",
			Description: "A document that failed says in error why, and notice says by what rules tasks were found if no model found them.",
			Answer:      ProcessedDocument{},
		}},
		{Do: (*Priority).putDocument, Route: route{
			Pattern: "PUT " + documents + "/{document}", ID: "replaceDocument", Summary: "Replace the content of a document, which is processed again",
			Description: "Tasks whose text is the same keep their ids, and with them what is known about them.",
			Body:        documentFields{}, Example: `{"title":"Plan","content":"- [ ] Write the report (3h)"}`, Answer: ProcessedDocument{},
			Upload: doctext.MaxUpload + maxForm, Fails: fails,
		}},
		{Do: (*Priority).patchDocument, Route: route{
			Pattern: "PATCH " + documents + "/{document}", ID: "updateDocument", Summary: "Change a document; new content is processed again",
			Description: "A title alone changes nothing about the tasks.",
			Body:        documentChange{}, Example: `{"title":"Plan","content":"- [ ] Write the report (3h)"}`, Answer: ProcessedDocument{}, Fails: fails,
		}},
		{Do: (*Priority).deleteDocument, Route: route{
			Pattern: "DELETE " + documents + "/{document}", ID: "deleteProcessedDocument", Summary: "Delete a document with its tasks and their relationships",
			Description: "They leave the current plan, which is computed again.",
		}},

		{Do: (*Priority).listTasks, Route: route{
			Pattern: "GET /api/v1/tasks", ID: "listExtractedTasks", Summary: "The tasks that were found in documents",
			Description: "Each says whether it is done, and what an agent that works on it has come to.",
			Answer:      PlannableTask{}, Lists: true,
			Query: []httpapi.Parameter{inDocument}, Fails: []httpapi.Failure{invalid, {Status: http.StatusNotFound, When: "There is no such document."}},
		}},
		{Do: (*Priority).postRelationship, Route: route{
			Pattern: "POST " + relationships, ID: "createRelationship", Summary: "Say that a task depends on another",
			Description: "What a person says about two tasks counts more than what a model finds out about them.",
			Creates:     true,
			Body:        relationshipFields{}, Example: `{"source_task_id":"t2","target_task_id":"t1","type":"prerequisite"}`, Answer: Relationship{}, Fails: fails,
		}},
		{Do: (*Priority).listRelationships, Route: route{
			Pattern: "GET " + relationships, ID: "listRelationships", Summary: "How tasks depend on each other",
			Description: "A source depends on its target. The detection method says how that became known.",
			Answer:      Relationship{}, Lists: true,
			Query: []httpapi.Parameter{ofTask},
		}},
		{Do: (*Priority).deleteRelationship, Route: route{
			Pattern: "DELETE " + relationships + "/{relationship}", ID: "deleteRelationship", Summary: "Delete a relationship",
			Description: "The current plan is computed again without it.",
		}},

		{Do: (*Priority).postReflection, Route: route{
			Pattern: "POST " + reflections, ID: "addReflection", Summary: "Note something for the next analysis",
			Description: "It counts fully for 7 days, half up to 14, and a quarter after that.",
			Creates:     true,
			Body:        reflectionFields{}, Example: `{"text":"Mornings are best for writing."}`, Answer: WeighedReflection{}, Fails: fails,
		}},
		{Do: (*Priority).listReflections, Route: route{
			Pattern: "GET " + reflections, ID: "listReflections", Summary: "What was noted, newest first, with what it counts by now",
			Description: "The weight says how much the next analysis goes by it.",
			Answer:      WeighedReflection{}, Lists: true, Query: httpapi.Paging(),
		}},
		{Do: (*Priority).deleteReflection, Route: route{
			Pattern: "DELETE " + reflections + "/{reflection}", ID: "deleteReflection", Summary: "Delete a reflection",
			Description: "The next analysis does not see it.",
		}},
	}
}
