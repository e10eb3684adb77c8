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
			Pattern: "POST " + outcomes, ID: "createOutcome", Summary: "Make an outcome the active one", Creates: true,
			Body: outcomeFields{}, Example: example, Answer: UserOutcome{}, Fails: fails,
		}},
		{Do: (*Priority).listOutcomes, Route: route{
			Pattern: "GET " + outcomes, ID: "listOutcomes", Summary: "The caller's outcomes, newest first", Answer: UserOutcome{}, Lists: true, Query: httpapi.Paging(),
		}},
		{Do: (*Priority).activeOutcome, Route: route{
			Pattern: "GET " + outcomes + "/active", ID: "getActiveOutcome", Summary: "The outcome that plans are made for", Answer: UserOutcome{},
			Fails: []httpapi.Failure{{Status: http.StatusNotFound, Reason: reasonNoOutcome, When: "No outcome is active."}},
		}},
		{Do: (*Priority).getOutcome, Route: route{
			Pattern: "GET " + outcomes + "/{outcome}", ID: "getOutcome", Summary: "An outcome", Answer: UserOutcome{},
		}},
		{Do: (*Priority).patchOutcome, Route: route{
			Pattern: "PATCH " + outcomes + "/{outcome}", ID: "updateOutcome", Summary: "Change an outcome, or make it the active one",
			Body: outcomeChange{}, Example: example[:len(example)-1] + `,"is_active":true}`, Answer: UserOutcome{}, Fails: fails,
		}},
		{Do: (*Priority).deleteOutcome, Route: route{Pattern: "DELETE " + outcomes + "/{outcome}", ID: "deleteOutcome", Summary: "Delete an outcome"}},

		{Do: (*Priority).postDocument, Route: route{
			Pattern: "POST " + documents, ID: "addDocument", Summary: "Add a text, or a file (.md, .txt, .docx, .pdf), whose tasks are then found", Creates: true,
			Body: documentFields{}, Example: `{"title":"Plan","content":"- [ ] Write the report (2h)"}`, Answer: ProcessedDocument{},
			Upload: doctext.MaxUpload + maxForm, Fails: fails,
		}},
		{Do: (*Priority).listDocuments, Route: route{
			Pattern: "GET " + documents, ID: "listDocuments", Summary: "The caller's documents without their content, newest first",
			Answer: DocumentSummary{}, Lists: true, Query: httpapi.Paging(),
		}},
		{Do: (*Priority).getDocument, Route: route{
			Pattern: "GET " + documents + "/{document}", ID: "getProcessedDocument", Summary: "A document with its content and tasks", Answer: ProcessedDocument{},
		}},
		{Do: (*Priority).putDocument, Route: route{
			Pattern: "PUT " + documents + "/{document}", ID: "replaceDocument", Summary: "Replace the content of a document, which is processed again",
			Body: documentFields{}, Example: `{"title":"Plan","content":"- [ ] Write the report (3h)"}`, Answer: ProcessedDocument{},
			Upload: doctext.MaxUpload + maxForm, Fails: fails,
		}},
		{Do: (*Priority).patchDocument, Route: route{
			Pattern: "PATCH " + documents + "/{document}", ID: "updateDocument", Summary: "Change a document; new content is processed again",
			Body: documentChange{}, Example: `{"title":"Plan","content":"- [ ] Write the report (3h)"}`, Answer: ProcessedDocument{}, Fails: fails,
		}},
		{Do: (*Priority).deleteDocument, Route: route{
			Pattern: "DELETE " + documents + "/{document}", ID: "deleteProcessedDocument", Summary: "Delete a document with its tasks and their relationships",
		}},

		{Do: (*Priority).listTasks, Route: route{
			Pattern: "GET /api/v1/tasks", ID: "listExtractedTasks", Summary: "The tasks that were found in documents", Answer: PlannableTask{}, Lists: true,
			Query: []httpapi.Parameter{inDocument}, Fails: []httpapi.Failure{invalid, {Status: http.StatusNotFound, When: "There is no such document."}},
		}},
		{Do: (*Priority).postRelationship, Route: route{
			Pattern: "POST " + relationships, ID: "createRelationship", Summary: "Say that a task depends on another", Creates: true,
			Body: relationshipFields{}, Example: `{"source_task_id":"t2","target_task_id":"t1","type":"prerequisite"}`, Answer: Relationship{}, Fails: fails,
		}},
		{Do: (*Priority).listRelationships, Route: route{
			Pattern: "GET " + relationships, ID: "listRelationships", Summary: "How tasks depend on each other", Answer: Relationship{}, Lists: true,
			Query: []httpapi.Parameter{ofTask},
		}},
		{Do: (*Priority).deleteRelationship, Route: route{
			Pattern: "DELETE " + relationships + "/{relationship}", ID: "deleteRelationship", Summary: "Delete a relationship",
		}},

		{Do: (*Priority).postReflection, Route: route{
			Pattern: "POST " + reflections, ID: "addReflection", Summary: "Note something for the next analysis", Creates: true,
			Body: reflectionFields{}, Example: `{"text":"Mornings are best for writing."}`, Answer: WeighedReflection{}, Fails: fails,
		}},
		{Do: (*Priority).listReflections, Route: route{
			Pattern: "GET " + reflections, ID: "listReflections", Summary: "What was noted, newest first, with what it counts by now",
			Answer: WeighedReflection{}, Lists: true, Query: httpapi.Paging(),
		}},
		{Do: (*Priority).deleteReflection, Route: route{Pattern: "DELETE " + reflections + "/{reflection}", ID: "deleteReflection", Summary: "Delete a reflection"}},
	}
}
