package httpapi

import (
	"net/http"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/store"
)

// replicationArea is what RxDB's replication calls. Its streams are for RxDB
// alone.
func replicationArea(kinds *store.Catalogue) area {
	tag := Tag{Name: "Replication", Description: "Copies of documents on clients, by the replication protocol of RxDB."}
	return area{tag: tag, routes: replicationRoutes(scopeParameters(kinds)), Schemas: openapi.Schemas{Others: replicationSchemas()}}
}

// scopeParameters say which documents of a flat collection are meant, by the ids on
// their path.
func scopeParameters(kinds *store.Catalogue) []openapi.Parameter {
	scope := []openapi.Parameter{
		{Name: "userId", Description: "Whose documents. Defaults to the caller's.", Schema: openapi.Text()},
		{Name: "chatId", Description: "The chat, for what lies in one.", Schema: openapi.Text()},
		{Name: "subAgentId", Description: "The agent, for what lies inside one.", Schema: openapi.Text()},
		{Name: "collection", Description: "The collection path, for the flat collection documents.", Schema: openapi.Text()},
	}
	for _, c := range kinds.All() {
		for _, k := range c.Keys {
			if !slices.ContainsFunc(scope, func(p openapi.Parameter) bool { return p.Name == k.Field }) {
				scope = append(scope, openapi.Parameter{Name: k.Field, Description: "An id on the path, for collections that have it.", Schema: openapi.Text()})
			}
		}
	}
	return scope
}

func replicationRoutes(scope []openapi.Parameter) []route {
	return []route{
		{"GET " + replicationPath + "/{flat}/pull", documents, (*server).replicate, openapi.Operation{
			ID: "pull", Summary: "Documents after a checkpoint, deleted ones included",
			Description: "Documents come in the order in which they changed; the next page begins at the checkpoint of the answer. With 410 the log does not reach back so far, and the client begins with an empty copy.",
			Fails:       []int{http.StatusGone}, Answers: openapi.Gives(openapi.Ref("ReplicationPage")),
			Query: append([]openapi.Parameter{LimitParameter, {
				Name: "checkpoint", Description: "The checkpoint of the page before: the seq in it.", Schema: openapi.Text(),
			}}, scope...),
		}},
		{"POST " + replicationPath + "/{flat}/push", documents, (*server).replicate, openapi.Operation{
			ID: "push", Summary: "Write documents; the answer is the master of those that were not accepted, and the header Nestor-Refused says why",
			Description: "Each row is judged by itself, and is written if the master still is the state that the client assumed.",
			Query:       scope,
			Body:        &jsonschema.Schema{Type: "array", Items: openapi.Ref("ReplicationRow")},
			Answers:     openapi.Gives(&jsonschema.Schema{Type: "array", Items: openapi.Ref("ReplicationDocument")}),
			Example:     `[{"newDocumentState":{"id":"c9","userId":"local","title":"New","_deleted":false}}]`,
		}},
		{"GET " + replicationPath + "/{flat}/stream", documents, streaming((*server).replicate), openapi.Operation{
			ID: "pullStream", Summary: "Changes of one scope, live",
			Description: "Each event has documents and a checkpoint, as a page has, or is RESYNC: then the client pulls.",
			Query:       scope, Stream: true,
		}},
		{"GET " + replicationPath + "/stream", documents, streaming((*server).replicate), openapi.Operation{
			ID: "pullStreams", Summary: "Changes of several scopes, live",
			Description: "One connection serves all scopes. Each event names its scope, or is RESYNC: then the client pulls.",
			Stream:      true,
			Query: []openapi.Parameter{
				{Name: "scope", Description: "A scope, such as chats or messages/CHAT.", Schema: openapi.Text(), Example: "chats", Required: true, Repeated: true},
				scope[0],
			},
		}},
		{"GET " + replicationPath + "/schemas", somebody, (*server).replicate, openapi.Operation{
			ID: "listReplicationSchemas", Summary: "The RxDB schema of every flat collection, by its name",
			Description: "A client makes its RxDB collections of them.",
			Answers:     openapi.Gives(openapi.ObjectsByName()),
		}},
	}
}

// replicationSchemas are the shapes of RxDB's contract.
func replicationSchemas() map[string]*jsonschema.Schema {
	document := &jsonschema.Schema{
		Type: "object", Description: "A document as RxDB has it.", Required: []string{"id", "_deleted"},
		Properties:           map[string]*jsonschema.Schema{"id": openapi.Text(), "_deleted": {Type: "boolean"}},
		AdditionalProperties: &jsonschema.Schema{},
	}
	checkpoint := openapi.Object(map[string]*jsonschema.Schema{"seq": openapi.Text()})
	pushed := document.CloneSchemas()
	pushed.Description, pushed.Required = "A document as RxDB has it; without _deleted it is there.", []string{"id"}
	row := openapi.Object(map[string]*jsonschema.Schema{"newDocumentState": openapi.Ref("ReplicationState")})
	row.Properties["assumedMasterState"] = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{openapi.Ref("ReplicationState"), {Type: "null"}}}
	return map[string]*jsonschema.Schema{
		"ReplicationDocument":   document,
		"ReplicationState":      pushed,
		"ReplicationCheckpoint": checkpoint,
		"ReplicationRow":        row,
		"ReplicationPage": openapi.Object(map[string]*jsonschema.Schema{
			"documents": openapi.Array("ReplicationDocument"), "checkpoint": openapi.Ref("ReplicationCheckpoint"),
		}),
	}
}
