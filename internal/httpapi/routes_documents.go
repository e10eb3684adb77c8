package httpapi

import (
	"net/http"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store"
)

// documentsArea is about documents of any kind, and what describes them.
func documentsArea() area {
	return area{routes: documentRoutes(), types: map[string]reflect.Type{
		"Query":          reflect.TypeFor[store.Query](),
		"Order":          reflect.TypeFor[store.Order](),
		"BatchOperation": reflect.TypeFor[batchOperation](),
		"Written":        reflect.TypeFor[written](),
		"Words":          reflect.TypeFor[feed.Words](),
	}, schemas: map[string]*jsonschema.Schema{
		"Filter":      filterSchema(),
		"Batch":       objectOf(map[string]*jsonschema.Schema{"operations": arrayOf("BatchOperation")}),
		"BatchAnswer": objectOf(map[string]*jsonschema.Schema{"written": arrayOf("Written")}),
	}}
}

func documentRoutes() []route {
	return []route{
		{"GET /api/v1/docs/{path...}", documents, (*server).getDocument, operation{
			id: "getDocument", summary: "A document", ifNoneMatch: true, answers: gives(refTo("Document")),
		}},
		{"PUT /api/v1/docs/{path...}", documents, (*server).putDocument, operation{
			id: "putDocument", summary: "Write a document", ifMatch: true, body: anyFields(), answers: createsOrFinds("Document"), example: `{"text":"hello"}`,
		}},
		{"PATCH /api/v1/docs/{path...}", documents, (*server).patchDocument, operation{
			id: "patchDocument", summary: "Change fields of a document; null removes one", ifMatch: true, body: anyFields(),
			answers: gives(refTo("Document")), example: `{"text":"hello again"}`,
		}},
		{"DELETE /api/v1/docs/{path...}", documents, (*server).deleteDocument, operation{
			id: "deleteDocument", summary: "Delete a document and everything below it", ifMatch: true, answers: givesNothing(),
		}},
		{"POST /api/v1/query", documents, (*server).query, operation{
			id: "query", summary: "Find documents", reads: true, body: refTo("Query"), answers: gives(pageOf("Document")),
			example: `{"collection":"users/local/notes","where":{"field":"text","op":"=","value":"hello"},"orderBy":[{"field":"createdAt","desc":true}],"limit":10}`,
		}},
		{"POST /api/v1/batch", documents, (*server).postBatch, operation{
			id: "batch", summary: "Write several documents, all or none", repeatable: true, fails: []int{http.StatusPreconditionFailed}, body: refTo("Batch"), answers: gives(refTo("BatchAnswer")),
			example: `{"operations":[{"op":"put","path":"users/local/notes/n1","body":{"text":"hello"}},` +
				`{"op":"patch","path":"users/local/notes/n1","body":{"text":"hello again"}}]}`,
		}},
		{"POST /api/v1/drafts/{path...}", documents, (*server).postDraft, operation{
			id: "sayInDraft", summary: "Show what is being said in a message before it is written", names: "users/local/orch-chats/c1/messages/new",
			body: refTo("Words"), answers: givesNothing(), example: `{"restart":true,"reasoning":"hm","text":"hello","drop":true}`,
		}},
		{"GET /api/v1/schemas", somebody, (*server).schemas, operation{
			id: "listSchemas", summary: "The JSON Schema of every kind of document, by its name",
			answers: gives(objectsByName()),
		}},
		{"GET /api/v1/openapi.json", nothing, (*server).getOpenAPI, operation{
			id: "describe", summary: "This document", answers: gives(&jsonschema.Schema{Type: "object"}),
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
			"field": textSchema(),
			"op":    enumOf(store.Eq, store.Ne, store.Lt, store.Le, store.Gt, store.Ge, store.In),
			"value": {},
			"and":   arrayOf("Filter"),
			"or":    arrayOf("Filter"),
		},
		AdditionalProperties: nothingSchema(),
	}
}
