package httpapi

import (
	"net/http"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/store"
)

var documentsTag = Tag{Name: "Documents", Description: "Everything is a document with a path. These calls read, write, find and follow documents of any kind, and say what kinds there are."}

// documentsArea is about documents of any kind, and what describes them.
func documentsArea() area {
	return area{tag: documentsTag, routes: documentRoutes(), Schemas: openapi.Schemas{Types: map[string]reflect.Type{
		"Query":          reflect.TypeFor[store.Query](),
		"Order":          reflect.TypeFor[store.Order](),
		"BatchOperation": reflect.TypeFor[batchOperation](),
		"Written":        reflect.TypeFor[written](),
		"Words":          reflect.TypeFor[feed.Words](),
	}, Others: map[string]*jsonschema.Schema{
		"Filter":      filterSchema(),
		"Batch":       openapi.Object(map[string]*jsonschema.Schema{"operations": openapi.Array("BatchOperation")}),
		"BatchAnswer": openapi.Object(map[string]*jsonschema.Schema{"written": openapi.Array("Written")}),
	}}}
}

func documentRoutes() []route {
	return []route{
		{"GET /api/v1/docs/{path...}", documents, getAt(documentPath), openapi.Operation{
			ID: "getDocument", Summary: "A document",
			Description: "Whatever the caller may not read is answered as if it were not there.",
			IfNoneMatch: true, Answers: openapi.Gives(openapi.Ref("Document")),
		}},
		{"PUT /api/v1/docs/{path...}", documents, (*server).putDocument, openapi.Operation{
			ID: "putDocument", Summary: "Write a document",
			Description: "The body is the whole document: fields that it lacks are removed. A document of a kind that the server knows is checked against the schema of its kind.",
			IfMatch:     true, Body: anyFields(), Answers: openapi.CreatesOrFinds("Document"), Example: `{"text":"hello"}`,
		}},
		{"PATCH /api/v1/docs/{path...}", documents, (*server).patchDocument, openapi.Operation{
			ID: "patchDocument", Summary: "Change fields of a document; null removes one",
			Description: "Fields that are left out stay. What comes of it is checked as a whole document is.",
			IfMatch:     true, Body: anyFields(),
			Answers: openapi.Gives(openapi.Ref("Document")), Example: `{"text":"hello again"}`,
		}},
		{"DELETE /api/v1/docs/{path...}", documents, deleteAt(documentPath), openapi.Operation{
			ID: "deleteDocument", Summary: "Delete a document and everything below it",
			Description: "What goes on in a chat is stopped before it is deleted.",
			IfMatch:     true, Answers: openapi.GivesNothing(),
		}},
		{"POST /api/v1/query", documents, (*server).query, openapi.Operation{
			ID: "query", Summary: "Find documents",
			Description: "It asks one collection by its path, or all documents of a kind by the kind's flat name, and finds what the caller may read.",
			Reads:       true, Body: openapi.Ref("Query"), Answers: openapi.Gives(openapi.Page("Document")),
			Example: `{"collection":"users/local/notes","where":{"field":"text","op":"=","value":"hello"},"orderBy":[{"field":"createdAt","desc":true}],"limit":10}`,
		}},
		{"POST /api/v1/batch", documents, (*server).postBatch, openapi.Operation{
			ID: "batch", Summary: "Write several documents, all or none",
			Description: "At most 100 operations are carried out in their order, in one transaction. A request with an Idempotency-Key is answered again for a day.",
			Repeatable:  true, Fails: []int{http.StatusPreconditionFailed},
			Body: openapi.Ref("Batch"), Answers: openapi.Gives(openapi.Ref("BatchAnswer")),
			Example: `{"operations":[{"op":"put","path":"users/local/notes/n1","body":{"text":"hello"}},` +
				`{"op":"patch","path":"users/local/notes/n1","body":{"text":"hello again"}}]}`,
		}},
		{"POST /api/v1/drafts/{path...}", documents, (*server).postDraft, openapi.Operation{
			ID: "sayInDraft", Summary: "Show what is being said in a message before it is written",
			Description: "Whoever follows the chat sees it at once. The message itself takes the draft's place when it is written; drop ends a draft of which nothing will come.",
			Names:       "users/local/orch-chats/c1/messages/new",
			Body:        openapi.Ref("Words"), Answers: openapi.GivesNothing(), Example: `{"restart":true,"reasoning":"hm","text":"hello","drop":true}`,
		}},
		{"GET /api/v1/schemas", somebody, (*server).schemas, openapi.Operation{
			ID: "listSchemas", Summary: "The JSON Schema of every kind of document, by its name",
			Description: "Every write of a document of such a kind is checked against its schema, whichever way it comes.",
			Answers:     openapi.Gives(openapi.ObjectsByName()),
		}},
		{"GET /api/v1/openapi.json", nothing, (*server).getOpenAPI, openapi.Operation{
			ID: "describe", Summary: "This document",
			Description: "It is made from the routes of the running server, so the modules of a program are in it, too.",
			Answers:     openapi.Gives(&jsonschema.Schema{Type: "object"}),
		}},
	}
}

// anyFields are a document's own, whatever they are.
func anyFields() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{}}
}

func filterSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", Description: "One comparison, or a combination of filters. A comparison is strict about types.",
		Properties: map[string]*jsonschema.Schema{
			"field": openapi.Text(),
			"op":    openapi.Enum(store.Eq, store.Ne, store.Lt, store.Le, store.Gt, store.Ge, store.In),
			"value": {},
			"and":   openapi.Array("Filter"),
			"or":    openapi.Array("Filter"),
		},
		AdditionalProperties: openapi.Never(),
	}
}
