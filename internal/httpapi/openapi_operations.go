package httpapi

import (
	"maps"
	"net/http"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

type answers = map[int]*jsonschema.Schema

// operations describe every route, by the pattern that [server.routes] has for
// it.
func operations() map[string]operation {
	all := agentOperations()
	maps.Copy(all, peopleOperations())
	maps.Copy(all, replicationOperations())
	return all
}

// agentOperations describe the routes about chats, agents and documents, and
// what looks inside the server.
func agentOperations() map[string]operation {
	const (
		chat  = "/api/v1/chats/{chat}"
		task  = chat + "/tasks/{task}"
		agent = chat + "/sub-agents/{agent}"
	)
	ok := func(s *jsonschema.Schema) answers { return answers{http.StatusOK: s} }
	created := func(name string) answers {
		return answers{http.StatusCreated: refTo(name), http.StatusOK: refTo(name)}
	}
	done := answers{http.StatusNoContent: nil}
	return map[string]operation{
		"POST /api/v1/chats": {
			id: "createChat", summary: "Begin a chat", repeatable: true, bodyOptional: true, body: refTo("NewChat"), answers: created("Chat"),
			example: `{"id":"c2","title":"Sums","projectId":"p1","modelConnectionId":"default","budget":{"tokens":100000}}`,
		},
		"GET /api/v1/chats": {
			id: "listChats", summary: "The chats of the caller", query: append(pagingOf(), orderParameter), answers: ok(pageOf("Chat")),
		},
		"GET " + chat: {
			id: "getChat", summary: "A chat", ifNoneMatch: true, answers: ok(refTo("Chat")),
		},
		"PATCH " + chat: {
			id: "patchChat", summary: "Change a chat", ifMatch: true, body: refTo("ChatPatch"), answers: ok(refTo("Chat")),
			example: `{"title":"More sums","modelConnectionId":"default","budget":{"tokens":200000}}`,
		},
		"DELETE " + chat: {
			id: "deleteChat", summary: "Delete a chat with everything in it", ifMatch: true, answers: done,
		},
		"POST " + chat + "/messages": {
			id: "say", summary: "Say something; the orchestrator answers", repeatable: true, body: refTo("NewMessage"), answers: created("Message"),
			example: `{"id":"m2","content":"Compute 6*7"}`,
		},
		"GET " + chat + "/messages": {
			id: "listMessages", summary: "The messages of a chat, oldest first", query: pagingOf(), answers: ok(pageOf("Message")),
		},
		"POST " + chat + "/tasks": {
			id: "startTask", summary: "Run a sub-agent or call a tool directly", repeatable: true, body: refTo("NewTask"), answers: created("Task"),
			example: `{"id":"t2","type":"tool","name":"tool:calculator","instruction":"6*7","args":{"expression":"6*7"},` +
				`"triggerMessageId":"m1","budget":{"tokens":100000}}`,
		},
		"GET " + chat + "/tasks": {
			id: "listTasks", summary: "The tasks of a chat, oldest first", query: pagingOf(), answers: ok(pageOf("Task")),
		},
		"GET " + chat + "/sub-agents": {
			id: "listSubAgents", summary: "The sub-agents of a chat, oldest first", query: pagingOf(), answers: ok(pageOf("SubAgent")),
		},
		"GET " + agent + "/messages": {
			id: "listSubAgentMessages", summary: "What was said inside an agent, oldest first", query: pagingOf(), answers: ok(pageOf("SubAgentMessage")),
		},
		"GET " + agent + "/tool-calls": {
			id: "listToolCalls", summary: "The tool calls of an agent, oldest first", query: pagingOf(), answers: ok(pageOf("ToolCall")),
		},
		"GET " + chat + "/events": {
			id: "chatEvents", summary: "What happens in a chat, live",
			query: []parameter{fromParameter, {
				name: "snapshot", schema: enumOf("0", "1"), example: "1",
				description: "1 begins with the chat as it is, unless the stream resumes.",
			}},
			events: map[string]*jsonschema.Schema{
				"snapshot": refTo("Snapshot"), "change": refTo("ChangeEvent"), "delta": refTo("DeltaEvent"), "resync": refTo("Resync"),
			},
		},
		"GET /api/v1/stream": {
			id: "events", summary: "What happens to all documents that one follows, live",
			query: []parameter{fromParameter, {
				name: "path", schema: textSchema(), example: "users/local/**", repeated: true,
				description: "A glob over the paths of documents. Defaults to all of the caller's.",
			}},
			events: map[string]*jsonschema.Schema{"change": refTo("ChangeEvent"), "delta": refTo("DeltaEvent"), "resync": refTo("Resync")},
		},
		"POST " + chat + "/stop": {
			id: "stopChat", summary: "End the answer that is under way and all tasks of the chat", answers: done,
		},
		"POST " + task + "/cancel": {
			id: "cancelTask", summary: "End a task and everything under it", answers: ok(refTo("Task")),
		},
		"POST " + task + "/pause": {
			id: "pauseTask", summary: "Let a task's agent rest after the step it is in", answers: ok(refTo("Task")),
		},
		"POST " + task + "/resume": {
			id: "resumeTask", summary: "Let a paused agent go on", answers: ok(refTo("Task")),
		},
		"POST " + task + "/retry": {
			id: "retryTask", summary: "Let a failed task go on from its last good step", answers: ok(refTo("Task")),
		},
		"POST " + task + "/messages": {
			id: "steerTask", summary: "Tell a task's agent something", body: refTo("Steering"),
			answers: answers{http.StatusCreated: refTo("SubAgentMessage")}, example: `{"content":"In German, please."}`,
		},
		"POST " + agent + "/tool-calls/{call}/decision": {
			id: "decide", summary: "Settle a tool call that waits for a person", body: refTo("NewDecision"), answers: ok(refTo("ToolCall")),
			example: `{"action":"approve","args":{"q":"cats"},"reason":"fine"}`,
		},

		"GET /api/v1/docs/{path...}": {
			id: "getDocument", summary: "A document", ifNoneMatch: true, answers: ok(refTo("Document")),
		},
		"PUT /api/v1/docs/{path...}": {
			id: "putDocument", summary: "Write a document", ifMatch: true, body: anyFields(), answers: created("Document"), example: `{"text":"hello"}`,
		},
		"PATCH /api/v1/docs/{path...}": {
			id: "patchDocument", summary: "Change fields of a document; null removes one", ifMatch: true, body: anyFields(),
			answers: ok(refTo("Document")), example: `{"text":"hello again"}`,
		},
		"DELETE /api/v1/docs/{path...}": {
			id: "deleteDocument", summary: "Delete a document and everything below it", ifMatch: true, answers: done,
		},
		"POST /api/v1/query": {
			id: "query", summary: "Find documents", body: refTo("Query"), answers: ok(pageOf("Document")),
			example: `{"collection":"users/local/notes","where":{"field":"text","op":"=","value":"hello"},"orderBy":[{"field":"createdAt","desc":true}],"limit":10}`,
		},
		"POST /api/v1/batch": {
			id: "batch", summary: "Write several documents, all or none", repeatable: true, body: refTo("Batch"), answers: ok(refTo("BatchAnswer")),
			example: `{"operations":[{"op":"put","path":"users/local/notes/n1","body":{"text":"hello"}},` +
				`{"op":"patch","path":"users/local/notes/n1","body":{"text":"hello again"}}]}`,
		},
		"POST /api/v1/drafts/{path...}": {
			id: "sayInDraft", summary: "Show what is being said in a message before it is written", names: "users/local/orch-chats/c1/messages/new",
			body: refTo("Words"), answers: done, example: `{"restart":true,"reasoning":"hm","text":"hello","drop":true}`,
		},
		"GET /api/v1/schemas": {
			id: "listSchemas", summary: "The JSON Schema of every kind of document, by its name",
			answers: ok(objectsByName()),
		},
		"GET /api/v1/openapi.json": {
			id: "describe", summary: "This document", open: true, answers: ok(&jsonschema.Schema{Type: "object"}),
		},

		"GET /api/v1/triggers": {
			id: "listTriggers", summary: "The triggers", answers: ok(listOf("Trigger")),
		},
		"PATCH /api/v1/triggers/{id}": {
			id: "switchTrigger", names: "on-user-message", summary: "Switch a trigger on or off until the server restarts", body: refTo("TriggerSwitch"),
			answers: ok(refTo("Trigger")), example: `{"enabled":false}`,
		},
		"GET /api/v1/jobs": {
			id: "listJobs", summary: "Jobs that wait or run; dead letters with state=dead", answers: ok(listOf("Job")),
			query: []parameter{limitParameter, {
				name: "state", description: "Only jobs in this state.", example: "dead",
				schema: enumOf(nestor.JobReady, nestor.JobRunning, nestor.JobBlocked, nestor.JobDead),
			}, {name: "trigger", description: "Only jobs of this trigger.", schema: textSchema(), example: "on-user-message"}},
		},
		"POST /api/v1/jobs/{id}/retry": {
			id: "retryJob", summary: "Queue a dead letter again",
			answers: answers{http.StatusAccepted: objectOf(map[string]*jsonschema.Schema{"queued": {Type: "boolean"}})},
		},
		"GET /api/v1/models": {
			id: "listModels", summary: "The model connections", answers: ok(listOf("ModelConnection")),
		},
		"PUT /api/v1/models/{id}": {
			id: "putModel", names: "mine", summary: "Write a model connection", ifMatch: true, body: refTo("ModelConnectionInput"), answers: created("ModelConnection"),
			example: `{"name":"Mine","accessFormat":"openai","modelId":"small","baseUrl":"http://127.0.0.1:1/v1","secret":"sk-example"}`,
		},
		"DELETE /api/v1/models/{id}": {
			id: "deleteModel", names: "mine", summary: "Delete a model connection", ifMatch: true, answers: done,
		},
		"POST /api/v1/models/{id}/test": {
			id: "testModel", names: "default", summary: "Make a real call to a model", answers: ok(refTo("ModelTest")),
		},
		"GET /api/v1/models/{id}/models": {
			id: "listOfferedModels", names: "default", summary: "The models that the provider of a connection offers", answers: ok(listOf("OfferedModel")),
		},
		"GET /api/v1/tools": {
			id: "listTools", summary: "The tools that agents can have, and what is wrong with sources of tools", answers: ok(toolList()),
		},
		"POST /api/v1/tools/{name}/call": {
			id: "callTool", summary: "Call a tool", body: refTo("NewToolRun"), answers: ok(refTo("ToolRun")),
			example: `{"arguments":{"expression":"6*7"}}`,
		},
	}
}

// Parameters that several calls have.
var (
	limitParameter = parameter{
		name: "limit", description: "How many items to answer with at most.", example: "2",
		schema: &jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(1.), Maximum: jsonschema.Ptr(float64(store.MaxLimit))},
	}
	cursorParameter = parameter{name: "cursor", description: "Where to go on: the next of the page before.", schema: textSchema()}
	orderParameter  = parameter{
		name: "order", description: "created is oldest first, updated is newest first.", schema: enumOf("created", "updated"), example: "updated",
	}
	fromParameter = parameter{
		name: "from", description: "The id of an event, or the seq of a document: the stream goes on after it. Defaults to now.",
		schema: textSchema(), example: "0",
	}
)

func pagingOf() []parameter { return []parameter{limitParameter, cursorParameter} }

// anyFields are a document's own, whatever they are.
func anyFields() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{}}
}

func objectsByName() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "object"}}
}

func toolList() *jsonschema.Schema {
	s := listOf("Tool")
	s.Properties["problems"] = &jsonschema.Schema{Type: "array", Items: textSchema()}
	return s
}
