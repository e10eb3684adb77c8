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

// Chats is the tag of whatever is about one chat, also of modules.
var Chats = Tag{Name: "Chats", Description: "Conversations with agents: what is said, the tasks that come of it, the agents that work on them, and how people take part."}

// chatsArea is about chats, what goes on in them, and how people take part.
func chatsArea() area {
	return area{tag: Chats, routes: slices.Concat(chatRoutes(), followRoutes()), Schemas: openapi.Schemas{Types: map[string]reflect.Type{
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
			ID: "createChat", Summary: "Begin a chat",
			Description: "All fields may be left out: then the orchestrator answers, with the caller's default model connection. A repeated id with the same fields answers with the chat that is there.",
			Repeatable:  true, BodyOptional: true, Body: openapi.Ref("NewChat"), Answers: openapi.CreatesOrFinds("Chat"),
			Example: `{"id":"c2","title":"Sums","projectId":"p1","modelConnectionId":"default","budget":{"tokens":100000},` +
				`"participant":"agent:general","systemPrompt":"Answer in one sentence.","clientTools":[{"name":"open_door","description":"Opens the door.","parameters":{"type":"object"}}],"metadata":{"ticket":7}}`,
		}},
		{"GET /api/v1/chats", documents, (*server).listChats, openapi.Operation{
			ID: "listChats", Summary: "The chats of the caller",
			Description: "They are the chats of one user. Those that others share with the caller are found with user, or by project.",
			Query:       append(Paging(), orderParameter), Answers: openapi.Gives(openapi.Page("Chat")),
		}},
		{"GET " + chat, documents, getAt(chatPath), openapi.Operation{
			ID: "getChat", Summary: "A chat",
			Description: "It has the chat's settings and what it has used; messages, tasks and agents have lists of their own.",
			IfNoneMatch: true, Answers: openapi.Gives(openapi.Ref("Chat")),
		}},
		{"PATCH " + chat, documents, (*server).patchChat, openapi.Operation{
			ID: "patchChat", Summary: "Change a chat",
			Description: "Fields that are left out stay, and null removes one. What concerns the participant counts from the next message on.",
			IfMatch:     true, Body: openapi.Ref("ChatPatch"), Answers: openapi.Gives(openapi.Ref("Chat")),
			Example: `{"title":"More sums","modelConnectionId":"default","budget":{"tokens":200000},` +
				`"participant":"orchestrator","systemPrompt":"Answer in one word.","clientTools":[{"name":"close_door"}],"metadata":{"ticket":8}}`,
		}},
		{"DELETE " + chat, documents, deleteAt(chatPath), openapi.Operation{
			ID: "deleteChat", Summary: "Delete a chat with everything in it",
			Description: "What goes on in the chat is stopped first. Forks of it keep the messages that they share.",
			IfMatch:     true, Answers: openapi.GivesNothing(),
		}},
		{"POST " + chat + "/messages", documents, (*server).postMessage, openapi.Operation{
			ID: "say", Summary: "Say something; the participant of the chat answers",
			Description: "The answer comes later, as messages and events of the chat, unless the call waits for it. Content is a text, or parts that name uploaded files.",
			Repeatable:  true, Body: openapi.Ref("NewMessage"),
			Query: awaitable("message"), Answers: createsOrAwaits("Message"),
			Example: `{"id":"m2","content":"Compute 6*7"}`,
		}},
		{"POST " + chat + "/fork", documents, (*server).forkChat, openapi.Operation{
			ID: "forkChat", Summary: "Begin a chat that goes on from a message of this one",
			Description: "The fork shares the messages up to at, or those before before; without either up to the last one. Nothing is copied, and what is said in the first chat later does not show in it.",
			Repeatable:  true, BodyOptional: true,
			Body: openapi.Ref("NewFork"), Answers: openapi.CreatesOrFinds("Chat"), Example: `{"id":"c3","at":"m1","title":"Other sums"}`,
		}},
		{"GET " + chat + "/messages", documents, (*server).listMessages, openapi.Operation{
			ID: "listMessages", Summary: "The messages of a chat, oldest first",
			Description: "A fork begins with what it shares with the chat that it came from. Each message says in chatId where it was said.",
			Query:       append(Paging(), partParameter), Answers: openapi.Gives(openapi.Page("Message")),
		}},
		{"POST " + chat + "/tasks", documents, (*server).postTask, openapi.Operation{
			ID: "startTask", Summary: "Run a sub-agent or call a tool directly",
			Description: "The name is agent:ROLE or tool:NAME. A tool gets args, or the instruction; a call that makes no sense is refused.",
			Repeatable:  true, Body: openapi.Ref("NewTask"),
			Query: awaitable("task"), Answers: createsOrAwaits("Task"),
			Example: `{"id":"t2","type":"tool","name":"tool:calculator","instruction":"6*7","args":{"expression":"6*7"},` +
				`"triggerMessageId":"m1","budget":{"tokens":100000}}`,
		}},
		{"GET " + chat + "/tasks", documents, listBelow("tasks"), openapi.Operation{
			ID: "listTasks", Summary: "The tasks of a chat, oldest first",
			Description: "Each has its status, the sub-agent that works on it, and what came of it: its result, its question, or why it failed.",
			Query:       Paging(), Answers: openapi.Gives(openapi.Page("Task")),
		}},
		{"GET " + chat + "/sub-agents", documents, listBelow("sub-agents"), openapi.Operation{
			ID: "listSubAgents", Summary: "The sub-agents of a chat, oldest first",
			Description: "Each has its role, its status, the task that it works on and what it has used.",
			Query:       Paging(), Answers: openapi.Gives(openapi.Page("SubAgent")),
		}},
		{"GET " + agent + "/messages", documents, listBelow("messages"), openapi.Operation{
			ID: "listSubAgentMessages", Summary: "What was said inside an agent, oldest first",
			Description: "It is the conversation that the agent's model is shown: instructions, what it was told, its replies, and the results of its tools.",
			Query:       Paging(), Answers: openapi.Gives(openapi.Page("SubAgentMessage")),
		}},
		{"GET " + agent + "/tool-calls", documents, listBelow("tool-calls"), openapi.Operation{
			ID: "listToolCalls", Summary: "The tool calls of an agent, oldest first",
			Description: "Each has its arguments, its status and its result. One that waits for a person is ended by a decision.",
			Query:       Paging(), Answers: openapi.Gives(openapi.Page("ToolCall")),
		}},
		{"GET " + chat + "/events", documents, streaming((*server).chatEvents), openapi.Operation{
			ID: "chatEvents", Summary: "What happens in a chat, live",
			Description: "Changes are documents that were written, deltas are words of messages that are not written yet. After resync the client reads the chat again.",
			Fails:       []int{http.StatusRequestEntityTooLarge},
			Query: []openapi.Parameter{fromParameter, {
				Name: "snapshot", Schema: openapi.Enum("0", "1"), Example: "1",
				Description: "1 begins with the chat as it is, unless the stream resumes.",
			}},
			Events: map[string]*jsonschema.Schema{
				"snapshot": openapi.Ref("Snapshot"), "change": openapi.Ref("ChangeEvent"), "delta": openapi.Ref("DeltaEvent"), "resync": openapi.Ref("Resync"),
			},
		}},
		{"POST " + chat + "/stop", documents, (*server).stopChat, openapi.Operation{
			ID: "stopChat", Summary: "End the answer that is under way and all tasks of the chat",
			Description: "Model calls and tools are interrupted, on whichever node they run. What was said until then stays.",
			Answers:     openapi.GivesNothing(),
		}},
		{"POST " + task + "/cancel", documents, controlTask(Agents.Cancel), openapi.Operation{
			ID: "cancelTask", Summary: "End a task and everything under it",
			Description: "Model calls and tools under way are interrupted within about a second, on whichever node they run.",
			Answers:     openapi.Gives(openapi.Ref("Task")),
		}},
		{"POST " + task + "/pause", documents, controlTask(Agents.Pause), openapi.Operation{
			ID: "pauseTask", Summary: "Let a task's agent rest after the step it is in",
			Description: "The model call and the tools of the step come to their end first. A task that is the call of a tool has one step, so nothing changes for it.",
			Answers:     openapi.Gives(openapi.Ref("Task")),
		}},
		{"POST " + task + "/resume", documents, workOnTask(Agents.Resume), openapi.Operation{
			ID: "resumeTask", Summary: "Let a paused agent go on",
			Description: "The agent goes on after the step at which it rested, and is shown what it was told meanwhile.",
			Answers:     openapi.Gives(openapi.Ref("Task")),
		}},
		{"POST " + task + "/retry", documents, workOnTask(Agents.Retry), openapi.Operation{
			ID: "retryTask", Summary: "Let a failed task go on from its last good step",
			Description: "Steps that succeeded are not made again. A task that is the call of a tool makes its call again.",
			Answers:     openapi.Gives(openapi.Ref("Task")),
		}},
		{"POST " + task + "/messages", documents, (*server).steerTask, openapi.Operation{
			ID: "steerTask", Summary: "Tell a task's agent something",
			Description: "The agent is shown it at its next step, also when it was about to finish. An agent that has asked takes it for the answer.",
			Body:        openapi.Ref("Steering"),
			Answers:     openapi.Answers{http.StatusCreated: openapi.Ref("SubAgentMessage")}, Example: `{"content":"In German, please."}`,
		}},
		{"POST " + task + "/answer", documents, (*server).answerTask, openapi.Operation{
			ID: "answerTask", Summary: "Answer the question of a task's agent, and of no other",
			Description: "The chat is told the question and the answer, too. If somebody else was faster, or the agent asks something else by now, nothing is said and the call is a conflict.",
			Repeatable:  true, Body: openapi.Ref("NewAnswer"),
			Answers: openapi.CreatesOrFinds("Message"), Example: `{"id":"m3","questionId":"k1","content":"On Friday at seven."}`,
		}},
		{"POST " + agent + "/tool-calls/{call}/decision", documents, (*server).decide, openapi.Operation{
			ID: "decide", Summary: "Decide about a tool call that waits for a person",
			Description: "A call that needs approval takes approve, with other arguments if they are sent, or deny. One of a client's tool takes result or fail, and one of which nobody knows whether it had its effect retry, done or skip.",
			Body:        openapi.Ref("NewDecision"), Answers: openapi.Gives(openapi.Ref("ToolCall")),
			Example: `{"action":"approve","args":{"q":"cats"},"reason":"fine"}`,
		}},
	})
}

// followRoutes are about many chats.
func followRoutes() []route {
	return []route{
		{"GET /api/v1/participants", documents, (*server).listParticipants, openapi.Operation{
			ID: "listParticipants", Summary: "Whom the caller's chats can talk to",
			Description: "A chat takes the id of one as its participant: the orchestrator, an agent of a role, the model of a connection, or a graph.",
			Answers:     openapi.Gives(openapi.List("Participant")),
		}},
		{"GET /api/v1/search", documents, (*server).search, openapi.Operation{
			ID: "search", Summary: "What was said in the chats that the caller may read, newest first",
			Description: "It looks through messages, titles of chats, and instructions and results of tasks. A page may have few items, or none, and yet a next one, since one request looks at a bounded part.",
			Fails:       []int{http.StatusNotFound}, Query: slices.Concat(searchParameters, Paging(), []Parameter{UserParameter}),
			Answers: openapi.Gives(openapi.Ref("FindPage")),
		}},
		{"GET /api/v1/stream", documents, streaming((*server).documentEvents), openapi.Operation{
			ID: "events", Tag: documentsTag, AllKinds: true, Summary: "What happens to all documents that one follows, live",
			Description: "Without path they are the documents of the caller. Only what the rules let the caller read is sent, and after Last-Event-ID nothing is left out.",
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
