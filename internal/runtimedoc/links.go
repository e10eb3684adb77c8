package runtimedoc

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
)

// theDocument reports whether a program writes what it was told of.
func theDocument(w *write) (bool, error) { return w.path == w.Caller.Grant.Of, nil }

// ofAgentsTask reports whether a new agent is that of the task.
func ofAgentsTask(w *write) (bool, error) { return w.text("taskId") == w.Caller.Grant.Of.ID(), nil }

// toTasksAgent reports whether a message is for the agent of the task.
func toTasksAgent(w *write) (bool, error) {
	agent, err := find[nestor.SubAgent](w, w.path.Parent())
	return agent != nil && agent.TaskID == w.Caller.Grant.Of.ID(), err
}

// aboutTask reports whether a message of the chat is about the task, or about none.
func aboutTask(w *write) (bool, error) {
	id := w.text("taskId")
	return id == "" || id == w.Caller.Grant.Of.ID(), nil
}

// agentOf is the agent that a program was told of, by its document or by one below it.
func agentOf(p nestor.Path) nestor.Path {
	if store.SubAgents.Has(p) {
		return p
	}
	return p.Parent()
}

// inAgent reports whether the document is the agent or lies below it.
func inAgent(w *write) (bool, error) { return agentOf(w.Caller.Grant.Of).Contains(w.path), nil }

// ofParticipant reports whether a message of the chat is that of the agent, which is the
// chat's participant and answers there.
func ofParticipant(w *write) (bool, error) {
	agent, err := find[nestor.SubAgent](w, agentOf(w.Caller.Grant.Of))
	return agent != nil && agent.Standing && agent.TaskID == w.text("taskId"), err
}

// taskOfAgent reports whether a task is the one that the agent carries out.
func taskOfAgent(w *write) (bool, error) {
	return w.text("subAgentId") == agentOf(w.Caller.Grant.Of).ID(), nil
}

// answersCall reports whether a message answers the call.
func answersCall(w *write) (bool, error) {
	of := w.Caller.Grant.Of
	return w.path.Parent() == of.Parent() && w.text("toolCallId") == of.ID(), nil
}

// linkedMessage finds what a message of the chat names.
func linkedMessage(w *write) error {
	messages := w.chat().Child("messages", "x").Collection()
	names := []string{w.text("repliesTo")}
	if answers, ok := w.after["answers"].([]any); ok {
		for _, one := range answers {
			id, _ := one.(string)
			names = append(names, id)
		}
	}
	for i, id := range names {
		if i == 0 && id == "" {
			continue
		}
		field := "answers"
		if i == 0 {
			field = "repliesTo"
		}
		if err := there[nestor.Message](w, field, messages, id); err != nil {
			return err
		}
	}
	id := w.text("taskId")
	if id == "" {
		if w.text("questionId") != "" {
			return w.invalid("questionId", "a question names the task that asks, with taskId")
		}
		return nil
	}
	if err := there[nestor.Task](w, "taskId", w.chat().Child("tasks", "x").Collection(), id); err != nil || w.text("questionId") == "" {
		return err
	}
	task, err := find[nestor.Task](w, w.chat().Child("tasks", id))
	if err == nil && (task == nil || task.QuestionID != w.text("questionId")) {
		err = w.invalid("questionId", "the task %s does not ask the question %s", id, w.text("questionId"))
	}
	return err
}

// triggeredTask finds the message that a task is for.
func triggeredTask(w *write) error {
	id := w.text("triggerMessageId")
	if id == "" {
		return nil
	}
	return there[nestor.Message](w, "triggerMessageId", w.chat().Child("messages", "x").Collection(), id)
}

// newAgent finds the task of a new agent, which waits for one.
func newAgent(w *write) error {
	id := w.text("taskId")
	if err := there[nestor.Task](w, "taskId", w.chat().Child("tasks", "x").Collection(), id); err != nil {
		return err
	}
	task, err := find[nestor.Task](w, w.chat().Child("tasks", id))
	switch {
	case err != nil:
		return err
	case task.SubAgentID != "":
		return nestor.Errorf(nestor.CodeExists, "the task %s has an agent already, %s", id, task.SubAgentID).With("field", "taskId")
	case task.Type != nestor.TaskAgent || task.Status != nestor.TaskPending:
		return w.invalid("taskId", "the task %s is %s, of type %s: an agent is created for a pending task of type agent", id, task.Status, task.Type)
	case number(w.after["iterationCount"]) != 0:
		return w.invalid("iterationCount", "a new agent has made no step")
	}
	return nil
}

// beforeFirstStep refuses instructions for an agent that is at work.
func beforeFirstStep(w *write) error {
	agent, err := find[nestor.SubAgent](w, w.path.Parent())
	switch {
	case err != nil:
		return err
	case agent == nil:
		return w.invalid("role", "there is no agent %s", w.path.Parent().ID())
	case agent.IterationCount > 0 || agent.Status != nestor.SubAgentActive:
		return w.refuse("role", "an agent gets its instructions before its first step: %s", verbs[store.SubAgentMessages])
	}
	return nil
}

// taskWithAgent finds the agent of a task that begins to run.
func taskWithAgent(w *write) error {
	id := w.text("subAgentId")
	if w.text("status") != string(nestor.TaskRunning) {
		if slices.Contains(w.changed, "subAgentId") {
			return w.invalid("subAgentId", "a task gets its agent when it becomes running")
		}
		return nil
	}
	if id == "" {
		return w.invalid("subAgentId", "a task that runs names its agent")
	}
	if err := there[nestor.SubAgent](w, "subAgentId", w.chat().Child("sub-agents", "x").Collection(), id); err != nil {
		return err
	}
	agent, err := find[nestor.SubAgent](w, w.chat().Child("sub-agents", id))
	if err == nil && agent.TaskID != w.path.ID() {
		err = w.invalid("subAgentId", "the agent %s is that of another task", id)
	}
	return err
}

// linkedReply finds the message that an agent replies to.
func linkedReply(w *write) error {
	id := w.text("repliesTo")
	if id == "" {
		return nil
	}
	return there[nestor.SubAgentMessage](w, "repliesTo", w.path.Collection(), id)
}

// linkedCall finds the message that asks for a call.
func linkedCall(w *write) error {
	id := w.text("messageId")
	if id == "" {
		return nil
	}
	if err := there[nestor.SubAgentMessage](w, "messageId", w.path.Parent().Child("messages", "x").Collection(), id); err != nil {
		return err
	}
	m, err := find[nestor.SubAgentMessage](w, w.path.Parent().Child("messages", id))
	if err == nil && !slices.ContainsFunc(m.ToolCalls, func(t nestor.ToolRequest) bool { return t.ID == w.path.ID() }) {
		err = w.invalid("messageId", "the message %s asks for no call %s", id, w.path.ID())
	}
	return err
}

// countedStep bounds by how much the count of steps rises: it is part of what is charged.
func countedStep(w *write) error {
	was, now := number(w.before["iterationCount"]), number(w.after["iterationCount"])
	if now < was || now > was+1 {
		return w.invalid("iterationCount", "iterationCount rises by one with a step: it is %v and cannot become %v", was, now)
	}
	return nil
}

// runnersCall refuses calls that are not the tool runner's: those that wait for another
// one, that a client runs, or that end with an agent.
func runnersCall(w *write) error {
	call, err := find[nestor.ToolCall](w, w.path)
	if err != nil || call == nil {
		return err
	}
	return w.runs(call)
}

func (w *write) runs(call *nestor.ToolCall) error {
	switch {
	case call.Held:
		return w.invalid("status", "the call %s waits for the one before it", call.ID)
	case call.Client:
		return w.invalid("status", "the call %s is run by a client, which decides about it", call.ID)
	case call.TaskID != "":
		return w.invalid("status", "the call %s ends with the task %s", call.ID, call.TaskID)
	}
	return nil
}

// linkedAnswer finds the call that a message answers. There is one answer to a call, and
// none to a call that waits for a person.
func linkedAnswer(w *write) error {
	id := w.text("toolCallId")
	if err := there[nestor.ToolCall](w, "toolCallId", w.path.Parent().Child("tool-calls", "x").Collection(), id); err != nil {
		return err
	}
	call, err := find[nestor.ToolCall](w, w.path.Parent().Child("tool-calls", id))
	if err != nil {
		return err
	}
	if err := w.runs(call); err != nil {
		return err
	}
	switch call.Status {
	case nestor.ToolCallAwaitingApproval, nestor.ToolCallUnknown, nestor.ToolCallCancelled:
		return w.invalid("toolCallId", "the call %s is %s: a message cannot answer it. %s", id, call.Status, verbs[store.SubAgentToolCalls])
	}
	page, err := w.Reader.Query(store.Query{Collection: w.path.Collection(), Where: store.Where("toolCallId", store.Eq, id), Limit: 1})
	if err == nil && len(page.Items) > 0 {
		err = nestor.Errorf(nestor.CodeExists, "the call %s is answered already, by the message %s", id, page.Items[0].Path.ID()).With("field", "toolCallId")
	}
	return err
}

// stayInProject refuses to take a chat out of projects.
func stayInProject(w *write) error {
	if was, ok := w.before["projectId"]; ok && was != "" && w.text("projectId") == "" {
		return w.invalid("projectId", "a chat stays in a project: name another one of its account")
	}
	return nil
}

// stayInAccount refuses to take a chat out of accounts.
func stayInAccount(w *write) error {
	if was, ok := w.before["accountId"]; ok && was != "" && w.text("accountId") == "" {
		return w.invalid("accountId", "a chat stays in an account: name another one")
	}
	if project := w.text("projectId"); project != "" && !strings.HasPrefix(project, w.text("accountId")+".") {
		return w.invalid("projectId", "the project %s is none of the account %s: name one, or null", project, w.text("accountId"))
	}
	if slices.Contains(w.changed, "accountId") {
		return nil
	}
	return stayInProject(w)
}

// reachedSettings refuses a model connection that a credential for some documents does not
// reach: the chat would work with it. (A graph is judged when it answers.)
func reachedSettings(w *write) error {
	if !w.Caller.Bounded() {
		return nil
	}
	chosen := map[string]string{"modelConnectionId": w.text("modelConnectionId")}
	if kind, id := nestor.ParseParticipant(w.text("participant")); kind == nestor.KindModel {
		chosen["participant"] = id
	}
	for field, id := range chosen {
		if nestor.CheckID(id) != nil || id == ofServer || !slices.Contains(w.changed, field) {
			continue
		}
		at := nestor.Path("users/"+w.path.UserID()).Child("model-connections", id)
		if !w.Caller.Reaches(at, access.ToRead, time.Now()) {
			return w.refuse(field, "your key is not for %s, so a chat cannot work with it", at)
		}
	}
	return nil
}

// ofServer is the connection that a chat without one works with.
const ofServer = "default"

// find reads a document that may not be there.
func find[T any](w *write, p nestor.Path) (*T, error) { return store.Find[T](w.Reader, p) }

// there refuses the id of a document that is not in a collection.
func there[T any](w *write, field, collection, id string) error {
	if err := nestor.CheckID(id); err != nil {
		return w.invalid(field, "%s: %s", field, err)
	}
	found, err := find[T](w, nestor.Path(collection+"/"+id))
	if err == nil && found == nil {
		err = w.invalid(field, "%s: there is no document %s/%s", field, collection, id)
	}
	return err
}

func number(v any) float64 {
	switch n := v.(type) {
	case int64:
		return float64(n)
	case float64:
		return n
	case nil:
		return 0
	}
	return math.NaN()
}
