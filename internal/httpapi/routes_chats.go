package httpapi

import (
	"net/http"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// chatsArea is about chats, what goes on in them, and how people take part.
func chatsArea() area {
	return area{routes: slices.Concat(chatRoutes(), followRoutes()), types: map[string]reflect.Type{
		"NewChat":     reflect.TypeFor[newChat](),
		"ChatPatch":   reflect.TypeFor[chatPatch](),
		"NewMessage":  reflect.TypeFor[newMessage](),
		"NewTask":     reflect.TypeFor[newTask](),
		"Steering":    reflect.TypeFor[steering](),
		"NewDecision": reflect.TypeFor[newDecision](),
		"ChangeEvent": reflect.TypeFor[changeEvent](),
		"DeltaEvent":  reflect.TypeFor[deltaEvent](),
	}, schemas: chatSchemas()}
}

func chatRoutes() []route {
	const (
		chat  = "/api/v1/chats/{chat}"
		task  = chat + "/tasks/{task}"
		agent = chat + "/sub-agents/{agent}"
	)
	return aboutUser([]route{
		{"POST /api/v1/chats", documents, (*server).postChat, operation{
			id: "createChat", summary: "Begin a chat", repeatable: true, bodyOptional: true, body: refTo("NewChat"), answers: createsOrFinds("Chat"),
			example: `{"id":"c2","title":"Sums","projectId":"p1","modelConnectionId":"default","budget":{"tokens":100000}}`,
		}},
		{"GET /api/v1/chats", documents, (*server).listChats, operation{
			id: "listChats", summary: "The chats of the caller", query: append(pagingOf(), orderParameter), answers: gives(pageOf("Chat")),
		}},
		{"GET " + chat, documents, (*server).getChat, operation{
			id: "getChat", summary: "A chat", ifNoneMatch: true, answers: gives(refTo("Chat")),
		}},
		{"PATCH " + chat, documents, (*server).patchChat, operation{
			id: "patchChat", summary: "Change a chat", ifMatch: true, body: refTo("ChatPatch"), answers: gives(refTo("Chat")),
			example: `{"title":"More sums","modelConnectionId":"default","budget":{"tokens":200000}}`,
		}},
		{"DELETE " + chat, documents, (*server).deleteChat, operation{
			id: "deleteChat", summary: "Delete a chat with everything in it", ifMatch: true, answers: givesNothing(),
		}},
		{"POST " + chat + "/messages", documents, (*server).postMessage, operation{
			id: "say", summary: "Say something; the orchestrator answers", repeatable: true, body: refTo("NewMessage"), answers: createsOrFinds("Message"),
			example: `{"id":"m2","content":"Compute 6*7"}`,
		}},
		{"GET " + chat + "/messages", documents, listBelow("messages"), operation{
			id: "listMessages", summary: "The messages of a chat, oldest first", query: pagingOf(), answers: gives(pageOf("Message")),
		}},
		{"POST " + chat + "/tasks", documents, (*server).postTask, operation{
			id: "startTask", summary: "Run a sub-agent or call a tool directly", repeatable: true, body: refTo("NewTask"), answers: createsOrFinds("Task"),
			example: `{"id":"t2","type":"tool","name":"tool:calculator","instruction":"6*7","args":{"expression":"6*7"},` +
				`"triggerMessageId":"m1","budget":{"tokens":100000}}`,
		}},
		{"GET " + chat + "/tasks", documents, listBelow("tasks"), operation{
			id: "listTasks", summary: "The tasks of a chat, oldest first", query: pagingOf(), answers: gives(pageOf("Task")),
		}},
		{"GET " + chat + "/sub-agents", documents, listBelow("sub-agents"), operation{
			id: "listSubAgents", summary: "The sub-agents of a chat, oldest first", query: pagingOf(), answers: gives(pageOf("SubAgent")),
		}},
		{"GET " + agent + "/messages", documents, listBelow("messages"), operation{
			id: "listSubAgentMessages", summary: "What was said inside an agent, oldest first", query: pagingOf(), answers: gives(pageOf("SubAgentMessage")),
		}},
		{"GET " + agent + "/tool-calls", documents, listBelow("tool-calls"), operation{
			id: "listToolCalls", summary: "The tool calls of an agent, oldest first", query: pagingOf(), answers: gives(pageOf("ToolCall")),
		}},
		{"GET " + chat + "/events", documents, streaming((*server).chatEvents), operation{
			id: "chatEvents", summary: "What happens in a chat, live", fails: []int{http.StatusRequestEntityTooLarge},
			query: []parameter{fromParameter, {
				name: "snapshot", schema: enumOf("0", "1"), example: "1",
				description: "1 begins with the chat as it is, unless the stream resumes.",
			}},
			events: map[string]*jsonschema.Schema{
				"snapshot": refTo("Snapshot"), "change": refTo("ChangeEvent"), "delta": refTo("DeltaEvent"), "resync": refTo("Resync"),
			},
		}},
		{"POST " + chat + "/stop", documents, (*server).stopChat, operation{
			id: "stopChat", summary: "End the answer that is under way and all tasks of the chat", answers: givesNothing(),
		}},
		{"POST " + task + "/cancel", documents, controlTask(Agents.Cancel), operation{
			id: "cancelTask", summary: "End a task and everything under it", answers: gives(refTo("Task")),
		}},
		{"POST " + task + "/pause", documents, controlTask(Agents.Pause), operation{
			id: "pauseTask", summary: "Let a task's agent rest after the step it is in", answers: gives(refTo("Task")),
		}},
		{"POST " + task + "/resume", documents, controlTask(Agents.Resume), operation{
			id: "resumeTask", summary: "Let a paused agent go on", answers: gives(refTo("Task")),
		}},
		{"POST " + task + "/retry", documents, controlTask(Agents.Retry), operation{
			id: "retryTask", summary: "Let a failed task go on from its last good step", answers: gives(refTo("Task")),
		}},
		{"POST " + task + "/messages", documents, (*server).steerTask, operation{
			id: "steerTask", summary: "Tell a task's agent something", body: refTo("Steering"),
			answers: answers{http.StatusCreated: refTo("SubAgentMessage")}, example: `{"content":"In German, please."}`,
		}},
		{"POST " + agent + "/tool-calls/{call}/decision", documents, (*server).decide, operation{
			id: "decide", summary: "Settle a tool call that waits for a person", body: refTo("NewDecision"), answers: gives(refTo("ToolCall")),
			example: `{"action":"approve","args":{"q":"cats"},"reason":"fine"}`,
		}},
	})
}

// followRoutes are about the documents of many chats.
func followRoutes() []route {
	return []route{
		{"GET /api/v1/stream", documents, streaming((*server).events), operation{
			id: "events", summary: "What happens to all documents that one follows, live",
			query: []parameter{fromParameter, {
				name: "path", schema: textSchema(), example: "users/local/**", repeated: true,
				description: "A glob over the paths of documents. Defaults to all of the caller's.",
			}},
			events: map[string]*jsonschema.Schema{"change": refTo("ChangeEvent"), "delta": refTo("DeltaEvent"), "resync": refTo("Resync")},
		}},
	}
}

// chatSchemas are the events that no Go type tells.
func chatSchemas() map[string]*jsonschema.Schema {
	return map[string]*jsonschema.Schema{
		"Snapshot": objectOf(map[string]*jsonschema.Schema{
			"chat": refTo("Chat"), "messages": arrayOf("Message"), "tasks": arrayOf("Task"), "subAgents": arrayOf("SubAgent"),
		}),
		"Resync": objectOf(map[string]*jsonschema.Schema{"reason": textSchema()}),
	}
}

// fromParameter says where a stream begins.
var fromParameter = parameter{
	name: "from", description: "The id of an event, or the seq of a document: the stream goes on after it. Defaults to now.",
	schema: textSchema(), example: "0",
}
