package runtimedoc

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// entry is one way to write documents of a collection. A write is allowed if an entry of
// the writer accepts it as a whole.
type entry struct {
	in *store.Collection
	// create are the fields that a new document may have, and change those that may be
	// changed or set later. Without any, there are no new documents, or no changes.
	create, change []string
	// roles and types are those of new messages. A message without a type is a text.
	roles []nestor.Role
	types []nestor.MessageType
	// born are the statuses of new documents, and steps lead from one to others. A
	// document whose status has no steps is not changed any more.
	born  []string
	steps map[string][]string
	// own reports whether the write belongs to what a program was told of. Nobody asks it
	// about the bearer of NESTOR_TOKEN.
	own func(w *write) (bool, error)
	// checks refuse what the fields alone do not tell.
	checks []func(w *write) error
}

// stage is a program in the place of a built-in stage, or of several that are told of the
// same kind of document.
type stage struct {
	name string
	of   []*store.Collection
	may  []entry
}

var (
	// ofPeople are the fields of a chat that people change.
	ofPeople = []string{"title", "projectId", "modelConnectionId", "budget", "participant", "systemPrompt", "clientTools", "metadata"}
	// told are the fields of what a stage says in a chat.
	told = []string{"role", "type", "content", "parts", "repliesTo", "answers", "taskId", "isLlmMessage", "metadata"}
	// inChat are the types of what a stage says there.
	inChat = []nestor.MessageType{nestor.MessageText, nestor.MessageStatus, nestor.MessageError}
)

// people is what a person may write, with whatever credential.
var people = []entry{
	{in: store.Chats, create: with(ofPeople, "accountId"), change: ofPeople, checks: all(stayInProject, saneBudget, reachedSettings)},
	{
		in: store.Messages, create: []string{"role", "type", "content", "parts", "isLlmMessage"},
		roles: []nestor.Role{nestor.RoleUser}, types: []nestor.MessageType{nestor.MessageText}, checks: all(agreeingParts),
	},
}

// operator is what the bearer of NESTOR_TOKEN may write beside what people and stages may.
var operator = []entry{
	{in: store.Chats, change: with(ofPeople, "accountId"), checks: all(stayInAccount, saneBudget)},
}

// stages is what each stage may write. The page docs/stages.md tells the same to those
// who write one.
var stages = []stage{
	{
		name: "orchestrator or title",
		of:   []*store.Collection{store.Messages},
		may: []entry{
			{in: store.Chats, change: []string{"title", "titleGenerated"}},
			{
				in: store.Messages, create: told, roles: []nestor.Role{nestor.RoleAssistant, nestor.RoleSystem}, types: inChat,
				checks: all(linkedMessage, unchargedMetadata, agreeingParts),
			},
			{
				in: store.Tasks, create: []string{"type", "name", "title", "instruction", "args", "deliver", "resultSchema", "triggerMessageId", "budget", "status"},
				born: are(nestor.TaskPending), checks: all(triggeredTask, saneBudget),
			},
		},
	},
	{
		name: "agent-init, orchestrator-finalize, task-failed or orchestrator-notify",
		of:   []*store.Collection{store.Tasks},
		may: []entry{
			{
				in: store.SubAgents, create: []string{"taskId", "role", "status", "iterationCount", "iterationLimit"},
				born: are(nestor.SubAgentActive), own: ofAgentsTask, checks: all(newAgent),
			},
			{
				in: store.SubAgentMessages, create: []string{"role", "type", "content", "parts", "name"},
				roles: []nestor.Role{nestor.RoleSystem, nestor.RoleUser}, types: []nestor.MessageType{nestor.MessageText},
				own: toTasksAgent, checks: all(beforeFirstStep, agreeingParts),
			},
			{
				in: store.Tasks, change: []string{"status", "subAgentId", "error", "startedAt", "endedAt"},
				steps: map[string][]string{is(nestor.TaskPending): are(nestor.TaskRunning, nestor.TaskFailed)},
				own:   theDocument, checks: all(taskWithAgent),
			},
			{
				in: store.Messages, create: with(told, "questionId"), roles: []nestor.Role{nestor.RoleAssistant, nestor.RoleSystem}, types: inChat,
				own: aboutTask, checks: all(linkedMessage, unchargedMetadata, agreeingParts),
			},
		},
	},
	{
		name: "agent-loop",
		of:   []*store.Collection{store.SubAgents, store.SubAgentMessages},
		may: []entry{
			{
				in: store.SubAgentMessages, create: []string{"role", "type", "content", "parts", "toolCalls", "repliesTo", "metadata"},
				roles: []nestor.Role{nestor.RoleAssistant}, types: []nestor.MessageType{nestor.MessageText, nestor.MessageError},
				own: inAgent, checks: all(linkedReply, unchargedMetadata, agreeingParts),
			},
			{
				in: store.Messages, create: told, roles: []nestor.Role{nestor.RoleAssistant}, types: inChat,
				own: ofParticipant, checks: all(linkedMessage, unchargedMetadata, agreeingParts),
			},
			{
				in: store.SubAgentToolCalls, create: []string{"toolName", "args", "status", "messageId"},
				born: are(nestor.ToolCallPending), own: inAgent, checks: all(linkedCall),
			},
			{
				in: store.SubAgents, change: []string{"status", "iterationCount", "summary"},
				steps: map[string][]string{is(nestor.SubAgentActive): are(nestor.SubAgentCompleted, nestor.SubAgentFailed)},
				own:   inAgent, checks: all(countedStep),
			},
			{
				in: store.Tasks, change: []string{"status", "result", "error", "outcome", "endedAt"},
				steps: map[string][]string{is(nestor.TaskRunning): are(nestor.TaskSuccess, nestor.TaskFailed)},
				own:   taskOfAgent, checks: all(failedOutcome),
			},
		},
	},
	{
		name: "tool-runner",
		of:   []*store.Collection{store.SubAgentToolCalls},
		may: []entry{
			{
				in: store.SubAgentToolCalls, change: []string{"status", "result", "error", "startedAt", "durationMs"},
				steps: map[string][]string{
					is(nestor.ToolCallPending): are(nestor.ToolCallRunning, nestor.ToolCallSuccess, nestor.ToolCallFailed),
					is(nestor.ToolCallRunning): are(nestor.ToolCallSuccess, nestor.ToolCallFailed),
				},
				own: theDocument, checks: all(runnersCall),
			},
			{
				in: store.SubAgentMessages, create: []string{"role", "type", "content", "parts", "media", "isError", "toolCallId", "name"},
				roles: []nestor.Role{nestor.RoleTool}, types: []nestor.MessageType{nestor.MessageText, nestor.MessageToolResult},
				own: answersCall, checks: all(linkedAnswer, agreeingParts),
			},
		},
	},
}

// verbs say how people have done what they do not write.
var verbs = map[*store.Collection]string{
	store.Chats:             "people set " + list(ofPeople),
	store.Messages:          "a message of role user is created, with a content or parts, and stays as it is",
	store.Tasks:             "POST …/tasks begins a task, and its verbs (cancel, pause, resume, retry, steer, answer) change it",
	store.SubAgents:         "tasks begin agents, and the verbs of the task change them",
	store.SubAgentMessages:  "POST …/tasks/{id}/steer says something to an agent",
	store.SubAgentToolCalls: "POST …/tool-calls/{id}/decision decides about a call",
}

func with(fields []string, more ...string) []string {
	return append(append([]string(nil), fields...), more...)
}

func all(checks ...func(*write) error) []func(*write) error { return checks }

func is[S ~string](status S) string { return string(status) }

func are[S ~string](statuses ...S) []string {
	texts := make([]string, len(statuses))
	for i, s := range statuses {
		texts[i] = string(s)
	}
	return texts
}
