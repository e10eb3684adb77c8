package agent

import (
	"context"
	_ "embed"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/loop"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

//go:embed triggers.json
var triggers []byte

const chatKey = "chat:{chat}" // whatever speaks in a chat, so that answers never overtake each other

// handlers are the stages of a conversation, and what each does about its job.
var handlers = []module.Handler[*Agents]{
	{Stage: trigger.Stage{Name: "orchestrator", Key: chatKey}, Run: owingNothing((*Agents).Answer), Exhausted: givingBack((*Agents).AnswerFailed)},
	{Stage: trigger.Stage{Name: "orchestrator-finalize", Key: chatKey}, Run: owingNothing((*Agents).Finalize), Exhausted: givingBack((*Agents).FinalizeFailed)},
	{Stage: trigger.Stage{Name: "orchestrator-notify", Key: chatKey}, Run: owingNothing((*Agents).Notify), Exhausted: givingBack((*Agents).NotifyFailed)},
	{Stage: trigger.Stage{Name: "task-failed", Key: chatKey}, Run: owingNothing((*Agents).TaskFailed), Exhausted: givingBack((*Agents).TaskFailedFailed)},
	{Stage: trigger.Stage{Name: "task-cancelled", Key: chatKey}, Run: owingNothing((*Agents).Cancelled), Exhausted: givingBack((*Agents).CancelledFailed)},
	{Stage: trigger.Stage{Name: "title", Key: "title:{chat}"}, Run: owingNothing((*Agents).Title), Exhausted: givingBack((*Agents).TitleFailed)},
	{Stage: trigger.Stage{
		Name: "agent-init", Key: "task:{path}",
		Again: &nestor.Trigger{ // a task that is tried again
			Collection: "users/*/orch-chats/*/tasks",
			Condition:  "event.document.data.type == 'agent' && event.document.data.status == 'pending'",
		},
	}, Prompt: true, Run: (*Agents).InitAgent, Exhausted: (*Agents).InitFailed},
	{Stage: trigger.Stage{
		Name: "agent-loop", Key: "agent:{agent}", Coalesce: true, Needless: loop.Concluded,
		Again: &nestor.Trigger{ // an agent that is resumed
			Collection: "users/*/orch-chats/*/sub-agents",
			Condition:  "event.document.data.status == 'active' && has(event.document.data.paused) && event.document.data.paused == false",
		},
	}, Run: owingNothing((*Agents).MakeStep), Exhausted: givingBack((*Agents).StepFailed)},
	{Stage: trigger.Stage{
		Name: "tool-runner", Key: "tool-call:{path}",
		Again: &nestor.Trigger{ // a call that is approved, retried or let go
			Collection: "users/*/orch-chats/*/sub-agents/*/tool-calls",
			Condition:  "event.document.data.status == 'pending' && !has(event.document.data.held)",
		},
	}, Run: (*Agents).RunTool, Exhausted: (*Agents).RunToolFailed},
	{Stage: trigger.Stage{Name: "tool-init", Key: "task:{path}"}, Run: (*Agents).InitTool, Exhausted: (*Agents).InitFailed},
	{Stage: trigger.Stage{Name: "end-tool-task", Key: "ends:{path}"}, Prompt: true, Run: (*Agents).TaskCallEnded},
	{Stage: trigger.Stage{Name: "answer-parent", Key: "child:{path}"}, Prompt: true, Run: (*Agents).ChildEnded},
	{Stage: trigger.Stage{Name: "release-call", Key: "release:{path}"}, Prompt: true, Run: (*Agents).CallEnded},
	{Stage: trigger.Stage{Name: "tell-result", Key: "tell:{path}"}, Prompt: true, Run: (*Agents).ToolCallTold},
}

// givingBack wraps the effect that is left of a job that is given up. The job may
// have reserved something for its model calls.
func givingBack(left func(*Agents, *nestor.Job, error) worker.Effect) func(*Agents, *nestor.Job, error) worker.Effect {
	return func(a *Agents, job *nestor.Job, cause error) worker.Effect {
		return a.billing.GivingBack(job, left(a, job, cause))
	}
}

// owingNothing wraps a stage that asks a model. An attempt at its job that was
// interrupted may have reserved something for that. If the next one finds nothing
// left to do, since the task was cancelled meanwhile or somebody else has answered,
// it gives that back.
func owingNothing(run func(*Agents, context.Context, *nestor.Job) (worker.Effect, error)) func(*Agents, context.Context, *nestor.Job) (worker.Effect, error) {
	return func(a *Agents, ctx context.Context, job *nestor.Job) (worker.Effect, error) {
		effect, err := run(a, ctx, job)
		if err != nil || effect != nil || job.Error == "" {
			return effect, err
		}
		return a.billing.GivingBack(job, func(store.Tx) error { return nil }), nil
	}
}

// reactions hold whatever the triggers are.
var reactions = []nestor.Trigger{{
	// Results that waited for a task are gone on with when a person has cancelled it. Nobody
	// goes on with what was stopped as a whole.
	ID:         "task-cancelled",
	Collection: "users/*/orch-chats/*/messages",
	Events:     []nestor.ChangeType{nestor.Create},
	Condition:  "event.document.data.role == 'system' && event.document.data.type == 'status' && has(event.document.data.taskId) && !has(event.document.data.questionId)",
	Action:     "POST /webhook/task-cancelled",
}, {
	// An agent waits for the task that it created until the task ends, whoever
	// ends it.
	ID:         "child-ended",
	Collection: "users/*/orch-chats/*/tasks",
	Events:     []nestor.ChangeType{nestor.Create, nestor.Update, nestor.Delete},
	Condition: "has(event.document.data.parentCallId) && event.document.data.parentCallId != '' && " +
		"(event.type == 'delete' || event.document.data.status in ['success', 'failed', 'cancelled'])",
	Action: "POST /webhook/answer-parent",
}, {
	// A task that is a call of a tool has the guards decide about the call before
	// any stage sees it.
	ID:         "new-tool-task",
	Collection: "users/*/orch-chats/*/tasks",
	Events:     []nestor.ChangeType{nestor.Create, nestor.Update},
	Condition:  "event.document.data.type == 'tool' && event.document.data.status == 'pending'",
	Action:     "POST /webhook/tool-init",
}, {
	// Such a task ends with its call, whoever runs that.
	ID:         "tool-task-ended",
	Collection: "users/*/orch-chats/*/sub-agents/*/tool-calls",
	Events:     []nestor.ChangeType{nestor.Create, nestor.Update},
	Condition: "has(event.document.data.endsTask) && event.document.data.endsTask && " +
		"event.document.data.status in ['success', 'failed', 'skipped', 'cancelled']",
	Action: "POST /webhook/end-tool-task",
}, {
	// A call in sequence waits until the one before it ends, whoever runs that.
	ID:         "call-ended",
	Collection: "users/*/orch-chats/*/sub-agents/*/tool-calls",
	Events:     []nestor.ChangeType{nestor.Update},
	Condition: "has(event.document.data.next) && event.document.data.next != '' && " +
		"event.document.data.status in ['success', 'failed', 'skipped']",
	Action: "POST /webhook/release-call",
}, {
	// A chat is told what came of the calls of its participant, whoever runs them.
	ID:         "tell-result",
	Collection: "users/*/orch-chats/*/sub-agents/*/tool-calls",
	Events:     []nestor.ChangeType{nestor.Update},
	Condition: "has(event.document.data.untold) && event.document.data.untold && " +
		"event.document.data.status in ['success', 'failed', 'skipped', 'cancelled']",
	Action: "POST /webhook/tell-result",
}}

const sampleChat = "users/u/orch-chats/c/"

// moments are what goes wrong in a chat whose triggers leave something out.
var moments = []trigger.Moment{
	{Trigger: "on-user-message", Undone: "messages of users get no answer", Path: sampleChat + "messages/m", After: `{"role":"user","type":"text","content":"x"}`},
	{Trigger: "on-new-task", Undone: "agent tasks stay pending", Path: sampleChat + "tasks/t", After: `{"type":"agent","name":"agent:general","status":"pending"}`},
	{Trigger: "on-sub-agent-message", Undone: "agents never make a step", Path: sampleChat + "sub-agents/a/messages/m", After: `{"role":"user","content":"x"}`},
	{Trigger: "on-sub-agent-message", Undone: "agents never see what their tools said", Path: sampleChat + "sub-agents/a/messages/m", After: `{"role":"tool","content":"x"}`},
	{Trigger: "on-sub-agent-resumed", Undone: "agents that are resumed or tried again stay where they are", Path: sampleChat + "sub-agents/a", Before: `{"status":"active","paused":true}`, After: `{"status":"active","paused":false}`},
	{Trigger: "on-sub-agent-tool", Undone: "tool calls stay pending", Path: sampleChat + "sub-agents/a/tool-calls/k", After: `{"toolName":"x","status":"pending"}`},
	{Trigger: "on-sub-agent-tool", Undone: "approved tool calls stay pending", Path: sampleChat + "sub-agents/a/tool-calls/k", Before: `{"toolName":"x","status":"awaiting_approval"}`, After: `{"toolName":"x","status":"pending"}`},
	{Trigger: "on-task-completed", Undone: "results are not told in the chat", Path: sampleChat + "tasks/t", Before: `{"type":"agent","status":"running"}`, After: `{"type":"agent","status":"success"}`},
	{Trigger: "on-task-failed", Undone: "failures are not told in the chat", Path: sampleChat + "tasks/t", Before: `{"type":"agent","status":"running"}`, After: `{"type":"agent","status":"failed"}`},
	{Trigger: "on-task-waiting", Undone: "questions of agents are not told in the chat", Path: sampleChat + "tasks/t", Before: `{"type":"agent","status":"running"}`, After: `{"type":"agent","status":"waiting"}`},
	{Trigger: "on-first-message", Undone: "chats get no title", Path: sampleChat + "messages/m", After: `{"role":"user","type":"text","content":"x"}`, Handler: "title"},
}
