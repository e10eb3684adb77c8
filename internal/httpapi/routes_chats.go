package httpapi

import (
	"net/http"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi/events"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/search"
)

// chatsArea is about chats, what goes on in them, and how people take part.
func chatsArea() area {
	return area{routes: slices.Concat(chatRoutes(), followRoutes()), Schemas: openapi.Schemas{Types: map[string]reflect.Type{
		"NewChat":     reflect.TypeFor[newChat](),
		"RunResult":   reflect.TypeFor[nestor.RunResult](),
		"ChatPatch":   reflect.TypeFor[chatPatch](),
		"NewFork":     reflect.TypeFor[newFork](),
		"Participant": reflect.TypeFor[nestor.Participant](),
		"NewMessage":  reflect.TypeFor[newMessage](),
		"NewTask":     reflect.TypeFor[newTask](),
		"Steering":    reflect.TypeFor[steering](),
		"NewAnswer":   reflect.TypeFor[newAnswer](),
		"NewDecision": reflect.TypeFor[newDecision](),
		"ChangeEvent": reflect.TypeFor[events.Change](),
		"DeltaEvent":  reflect.TypeFor[events.Delta](),
		"Part":        reflect.TypeFor[nestor.Part](),
		"Find":        reflect.TypeFor[search.Find](),
		"FindPage":    reflect.TypeFor[findPage](),
	}, Others: chatSchemas(), Special: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[content]():         {AnyOf: []*jsonschema.Schema{openapi.Text(), openapi.Array("Part")}},
		reflect.TypeFor[search.FindKind](): openapi.Enum(search.FoundChat, search.FoundMessage, search.FoundTask),
	}}}
}

func chatRoutes() []route {
	const (
		chat  = "/api/v1/chats/{chat}"
		task  = chat + "/tasks/{task}"
		agent = chat + "/sub-agents/{agent}"
	)
	return aboutUser([]route{
		{"POST /api/v1/chats", documents, (*server).postChat, openapi.Operation{
			ID: "createChat", Summary: "Begin a chat", Repeatable: true, BodyOptional: true, Body: openapi.Ref("NewChat"), Answers: openapi.CreatesOrFinds("Chat"),
			Example: `{"id":"c2","title":"Sums","projectId":"p1","modelConnectionId":"default","budget":{"tokens":100000},` +
				`"participant":"agent:general","systemPrompt":"Answer in one sentence.","clientTools":[{"name":"open_door","description":"Opens the door.","parameters":{"type":"object"}}],"metadata":{"ticket":7}}`,
		}},
		{"GET /api/v1/chats", documents, (*server).listChats, openapi.Operation{
			ID: "listChats", Summary: "The chats of the caller", Query: append(Paging(), orderParameter), Answers: openapi.Gives(openapi.Page("Chat")),
		}},
		{"GET " + chat, documents, getAt(chatPath), openapi.Operation{
			ID: "getChat", Summary: "A chat", IfNoneMatch: true, Answers: openapi.Gives(openapi.Ref("Chat")),
		}},
		{"PATCH " + chat, documents, (*server).patchChat, openapi.Operation{
			ID: "patchChat", Summary: "Change a chat", IfMatch: true, Body: openapi.Ref("ChatPatch"), Answers: openapi.Gives(openapi.Ref("Chat")),
			Example: `{"title":"More sums","modelConnectionId":"default","budget":{"tokens":200000},` +
				`"participant":"orchestrator","systemPrompt":"Answer in one word.","clientTools":[{"name":"close_door"}],"metadata":{"ticket":8}}`,
		}},
		{"DELETE " + chat, documents, deleteAt(chatPath), openapi.Operation{
			ID: "deleteChat", Summary: "Delete a chat with everything in it", IfMatch: true, Answers: openapi.GivesNothing(),
		}},
		{"POST " + chat + "/messages", documents, (*server).postMessage, openapi.Operation{
			ID: "say", Summary: "Say something; the participant of the chat answers", Repeatable: true, Body: openapi.Ref("NewMessage"),
			Query: awaitable("message"), Answers: createsOrAwaits("Message"),
			Example: `{"id":"m2","content":"Compute 6*7"}`,
		}},
		{"POST " + chat + "/fork", documents, (*server).forkChat, openapi.Operation{
			ID: "forkChat", Summary: "Begin a chat that goes on from a message of this one", Repeatable: true, BodyOptional: true,
			Body: openapi.Ref("NewFork"), Answers: openapi.CreatesOrFinds("Chat"), Example: `{"id":"c3","at":"m1","title":"Other sums"}`,
		}},
		{"GET " + chat + "/messages", documents, (*server).listMessages, openapi.Operation{
			ID: "listMessages", Summary: "The messages of a chat, oldest first", Query: append(Paging(), partParameter), Answers: openapi.Gives(openapi.Page("Message")),
		}},
		{"POST " + chat + "/tasks", documents, (*server).postTask, openapi.Operation{
			ID: "startTask", Summary: "Run a sub-agent or call a tool directly", Repeatable: true, Body: openapi.Ref("NewTask"),
			Query: awaitable("task"), Answers: createsOrAwaits("Task"),
			Example: `{"id":"t2","type":"tool","name":"tool:calculator","instruction":"6*7","args":{"expression":"6*7"},` +
				`"triggerMessageId":"m1","budget":{"tokens":100000}}`,
		}},
		{"GET " + chat + "/tasks", documents, listBelow("tasks"), openapi.Operation{
			ID: "listTasks", Summary: "The tasks of a chat, oldest first", Query: Paging(), Answers: openapi.Gives(openapi.Page("Task")),
		}},
		{"GET " + chat + "/sub-agents", documents, listBelow("sub-agents"), openapi.Operation{
			ID: "listSubAgents", Summary: "The sub-agents of a chat, oldest first", Query: Paging(), Answers: openapi.Gives(openapi.Page("SubAgent")),
		}},
		{"GET " + agent + "/messages", documents, listBelow("messages"), openapi.Operation{
			ID: "listSubAgentMessages", Summary: "What was said inside an agent, oldest first", Query: Paging(), Answers: openapi.Gives(openapi.Page("SubAgentMessage")),
		}},
		{"GET " + agent + "/tool-calls", documents, listBelow("tool-calls"), openapi.Operation{
			ID: "listToolCalls", Summary: "The tool calls of an agent, oldest first", Query: Paging(), Answers: openapi.Gives(openapi.Page("ToolCall")),
		}},
		{"GET " + chat + "/events", documents, streaming((*server).chatEvents), openapi.Operation{
			ID: "chatEvents", Summary: "What happens in a chat, live", Fails: []int{http.StatusRequestEntityTooLarge},
			Query: []openapi.Parameter{fromParameter, {
				Name: "snapshot", Schema: openapi.Enum("0", "1"), Example: "1",
				Description: "1 begins with the chat as it is, unless the stream resumes.",
			}},
			Events: map[string]*jsonschema.Schema{
				"snapshot": openapi.Ref("Snapshot"), "change": openapi.Ref("ChangeEvent"), "delta": openapi.Ref("DeltaEvent"), "resync": openapi.Ref("Resync"),
			},
		}},
		{"POST " + chat + "/stop", documents, (*server).stopChat, openapi.Operation{
			ID: "stopChat", Summary: "End the answer that is under way and all tasks of the chat", Answers: openapi.GivesNothing(),
		}},
		{"POST " + task + "/cancel", documents, controlTask(Agents.Cancel), openapi.Operation{
			ID: "cancelTask", Summary: "End a task and everything under it", Answers: openapi.Gives(openapi.Ref("Task")),
		}},
		{"POST " + task + "/pause", documents, controlTask(Agents.Pause), openapi.Operation{
			ID: "pauseTask", Summary: "Let a task's agent rest after the step it is in", Answers: openapi.Gives(openapi.Ref("Task")),
		}},
		{"POST " + task + "/resume", documents, workOnTask(Agents.Resume), openapi.Operation{
			ID: "resumeTask", Summary: "Let a paused agent go on", Answers: openapi.Gives(openapi.Ref("Task")),
		}},
		{"POST " + task + "/retry", documents, workOnTask(Agents.Retry), openapi.Operation{
			ID: "retryTask", Summary: "Let a failed task go on from its last good step", Answers: openapi.Gives(openapi.Ref("Task")),
		}},
		{"POST " + task + "/messages", documents, (*server).steerTask, openapi.Operation{
			ID: "steerTask", Summary: "Tell a task's agent something", Body: openapi.Ref("Steering"),
			Answers: openapi.Answers{http.StatusCreated: openapi.Ref("SubAgentMessage")}, Example: `{"content":"In German, please."}`,
		}},
		{"POST " + task + "/answer", documents, (*server).answerTask, openapi.Operation{
			ID: "answerTask", Summary: "Answer the question of a task's agent, and of no other", Repeatable: true, Body: openapi.Ref("NewAnswer"),
			Answers: openapi.CreatesOrFinds("Message"), Example: `{"id":"m3","questionId":"k1","content":"On Friday at seven."}`,
		}},
		{"POST " + agent + "/tool-calls/{call}/decision", documents, (*server).decide, openapi.Operation{
			ID: "decide", Summary: "Decide about a tool call that waits for a person", Body: openapi.Ref("NewDecision"), Answers: openapi.Gives(openapi.Ref("ToolCall")),
			Example: `{"action":"approve","args":{"q":"cats"},"reason":"fine"}`,
		}},
	})
}

// followRoutes are about many chats.
func followRoutes() []route {
	return []route{
		{"GET /api/v1/participants", documents, (*server).listParticipants, openapi.Operation{
			ID: "listParticipants", Summary: "Whom the caller's chats can talk to", Answers: openapi.Gives(openapi.List("Participant")),
		}},
		{"GET /api/v1/search", documents, (*server).search, openapi.Operation{
			ID: "search", Summary: "What was said in the chats that the caller may read, newest first", Fails: []int{http.StatusNotFound}, Query: slices.Concat(searchParameters, Paging(), []Parameter{UserParameter}),
			Answers: openapi.Gives(openapi.Ref("FindPage")),
		}},
		{"GET /api/v1/stream", documents, streaming((*server).documentEvents), openapi.Operation{
			ID: "events", Summary: "What happens to all documents that one follows, live",
			Query: []openapi.Parameter{fromParameter, {
				Name: "path", Schema: openapi.Text(), Example: "users/local/**", Repeated: true,
				Description: "A glob over the paths of documents. Defaults to all of the caller's.",
			}},
			Events: map[string]*jsonschema.Schema{"change": openapi.Ref("ChangeEvent"), "delta": openapi.Ref("DeltaEvent"), "resync": openapi.Ref("Resync")},
		}},
	}
}

// chatSchemas are those of events without a Go type.
func chatSchemas() map[string]*jsonschema.Schema {
	return map[string]*jsonschema.Schema{
		"Snapshot": openapi.Object(map[string]*jsonschema.Schema{
			"chat": openapi.Ref("Chat"), "messages": openapi.Array("Message"), "tasks": openapi.Array("Task"), "subAgents": openapi.Array("SubAgent"),
		}),
		"Resync": openapi.Object(map[string]*jsonschema.Schema{"reason": openapi.Text()}),
	}
}

// partParameter says which messages of a fork are listed.
var partParameter = openapi.Parameter{
	Name: "part", Description: "Of a fork: all messages, its own, or those that it shares with the chat it came from.",
	Schema: openapi.Enum("all", "own", "shared"), Example: "all",
}

// fromParameter says where a stream begins.
var fromParameter = openapi.Parameter{
	Name: "from", Description: "The id of an event, or the seq of a document: the stream goes on after it. Defaults to now.",
	Schema: openapi.Text(), Example: "0",
}
