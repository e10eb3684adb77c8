package httpapi

import (
	"net/http"

	"github.com/google/jsonschema-go/jsonschema"
)

// replicationArea is what RxDB's replication calls. Its streams are for RxDB
// alone.
func replicationArea() area { return area{routes: replicationRoutes(), schemas: replicationSchemas()} }

func replicationRoutes() []route {
	scope := []parameter{
		{name: "userId", description: "Whose documents. Defaults to the caller's.", schema: textSchema()},
		{name: "chatId", description: "The chat, for what lies in one.", schema: textSchema()},
		{name: "subAgentId", description: "The agent, for what lies inside one.", schema: textSchema()},
		{name: "collection", description: "The collection path, for the flat collection documents.", schema: textSchema()},
	}
	return []route{
		{"GET " + replicationPath + "/{flat}/pull", documents, (*server).replicate, operation{
			id: "pull", summary: "Documents after a checkpoint, deleted ones included", fails: []int{http.StatusGone}, answers: gives(refTo("ReplicationPage")),
			query: append([]parameter{limitParameter, {
				name: "checkpoint", description: "The checkpoint of the page before: the seq in it.", schema: textSchema(),
			}}, scope...),
		}},
		{"POST " + replicationPath + "/{flat}/push", documents, (*server).replicate, operation{
			id: "push", summary: "Write documents; the answer is the master of those that were not accepted, and the header Nestor-Refused says why", query: scope,
			body:    &jsonschema.Schema{Type: "array", Items: refTo("ReplicationRow")},
			answers: gives(&jsonschema.Schema{Type: "array", Items: refTo("ReplicationDocument")}),
			example: `[{"newDocumentState":{"id":"c9","userId":"local","title":"New","version":0,"seq":0,"createdAt":0,"updatedAt":0,"_deleted":false}}]`,
		}},
		{"GET " + replicationPath + "/{flat}/stream", documents, streaming((*server).replicate), operation{
			id: "pullStream", summary: "Changes of one scope, live", query: scope, stream: true,
		}},
		{"GET " + replicationPath + "/stream", documents, streaming((*server).replicate), operation{
			id: "pullStreams", summary: "Changes of several scopes, live", stream: true,
			query: []parameter{
				{name: "scope", description: "A scope, such as chats or messages/CHAT.", schema: textSchema(), example: "chats", repeated: true},
				scope[0],
			},
		}},
		{"GET " + replicationPath + "/schemas", somebody, (*server).replicate, operation{
			id: "listReplicationSchemas", summary: "The RxDB schema of every flat collection, by its name", answers: gives(objectsByName()),
		}},
	}
}

// replicationSchemas are the shapes of RxDB's contract.
func replicationSchemas() map[string]*jsonschema.Schema {
	document := &jsonschema.Schema{
		Type: "object", Description: "A document as RxDB has it.", Required: []string{"id", "_deleted"},
		Properties:           map[string]*jsonschema.Schema{"id": textSchema(), "_deleted": {Type: "boolean"}},
		AdditionalProperties: &jsonschema.Schema{},
	}
	checkpoint := objectOf(map[string]*jsonschema.Schema{"seq": textSchema()})
	row := objectOf(map[string]*jsonschema.Schema{"newDocumentState": refTo("ReplicationDocument")})
	row.Properties["assumedMasterState"] = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{refTo("ReplicationDocument"), {Type: "null"}}}
	return map[string]*jsonschema.Schema{
		"ReplicationDocument":   document,
		"ReplicationCheckpoint": checkpoint,
		"ReplicationRow":        row,
		"ReplicationPage": objectOf(map[string]*jsonschema.Schema{
			"documents": arrayOf("ReplicationDocument"), "checkpoint": refTo("ReplicationCheckpoint"),
		}),
	}
}
