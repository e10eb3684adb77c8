package agent

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
)

// order is a call of the orchestrator that makes sense: a task to create, or a
// message to an agent.
type order struct {
	call llm.ToolCall
	// role and instruction of a task to create, or
	role, instruction string
	// agent and what to tell it.
	agent, content string
}

// understand checks a call. Its error is for the model.
func (a *Orchestrator) understand(t *turn, c *llm.ToolCall) (order, error) {
	o := order{call: *c}
	switch c.Name {
	case createAgentTool:
		in, err := decode(c.Arguments, "type", "instruction")
		if err != nil {
			return o, err
		}
		o.role, o.instruction = strings.ToLower(in["type"]), in["instruction"]
		if _, ok := a.Roles.Roles[o.role]; !ok {
			return o, nestor.Errorf(nestor.CodeNotFound, "there is no type %q; there are: %s", o.role, strings.Join(a.Roles.names(), ", "))
		}
		return o, nil
	case replyToAgentTool, reactivateAgentTool:
		field := "content"
		if c.Name == reactivateAgentTool {
			field = "instruction"
		}
		in, err := decode(c.Arguments, "subAgentId", field)
		if err != nil {
			return o, err
		}
		o.agent, o.content = in["subAgentId"], in[field]
		return o, t.reachable(o.agent)
	}
	return o, nestor.Errorf(nestor.CodeNotFound, "there is no tool %s", c.Name)
}

// reachable reports whether an agent can be spoken to.
func (t *turn) reachable(agent string) error {
	i := slices.IndexFunc(t.tasks, func(task nestor.Task) bool {
		return task.SubAgentID == agent && task.Type != nestor.TaskTool // a call cannot be spoken to
	})
	if i < 0 {
		var known []string
		for _, task := range t.tasks {
			if task.SubAgentID != "" && task.Type != nestor.TaskTool {
				known = append(known, task.SubAgentID)
			}
		}
		return nestor.Errorf(nestor.CodeNotFound, "there is no agent %q in the state block; there are: %s", agent, strings.Join(known, ", "))
	}
	if t.tasks[i].Status == nestor.TaskCancelled {
		return nestor.Errorf(nestor.CodeForbidden, "agent %s was cancelled: create another one", agent)
	}
	return nil
}

// carryOut does what was ordered. Between the model's view and now an agent may
// have moved on; whatever it does now, it gets the message. Only one that was
// cancelled does not: then the note says so.
func (a *Orchestrator) carryOut(tx store.Tx, t *turn, o order, i int) (note string, err error) {
	if o.agent != "" {
		_, err := deliver(tx, a.Roles, agentPath(t.path, o.agent), t.job.DeriveID("message", strconv.Itoa(i)),
			said{content: o.content, name: orchestratorName, person: true, askers: t.askers})
		if errors.Is(err, errCancelledAgent) {
			return "\n\n(The agent was cancelled meanwhile, so nothing was passed on.)", nil
		}
		return "", err
	}
	_, err = tx.Create(taskPath(t.path, t.job.DeriveID("task", strconv.Itoa(i))), nestor.Task{
		Type: nestor.TaskAgent, Name: "agent:" + o.role, Instruction: o.instruction, Status: nestor.TaskPending,
		TriggerMessageID: t.dialogue.newest(), AskedBy: t.askers,
	})
	return "", err
}

// acknowledgement says what was started, for a model that did not.
func acknowledgement(plan []order) string {
	if len(plan) == 0 {
		return "I could not find a way to do that. Please say it differently."
	}
	var lines []string
	for _, o := range plan {
		if o.agent != "" {
			lines = append(lines, "I passed that on to the agent.")
		} else {
			lines = append(lines, fmt.Sprintf("I started an agent (%s): %s", o.role, excerpt(oneLine(o.instruction), 120)))
		}
	}
	return strings.Join(slices.Compact(lines), "\n\n")
}

var errCancelledAgent = nestor.Errorf(nestor.CodeInvalid, "the agent was cancelled: create another one")

// deliver gives an agent a message from the user and sets it going: it answers
// a waiting one, steers a running one and reactivates one that ended. Agent,
// task and message change together. The agent's document is always written, so
// that a reply which commits at the same time cannot miss the message.
func deliver(tx store.Tx, roles *Roles, path nestor.Path, messageID string, s said) (*nestor.Document, error) {
	agent, err := get[nestor.SubAgent](tx, path)
	if err != nil {
		return nil, err
	}
	if agent.Tool != "" {
		return nil, nestor.Errorf(nestor.CodeInvalid, "task %s is a call of the tool %s: there is nobody to speak to", agent.TaskID, agent.Tool)
	}
	chat := chatOf(path)
	task, err := get[nestor.Task](tx, taskPath(chat, agent.TaskID))
	if err != nil {
		return nil, err
	}
	if s.person {
		agent.AutoAnswers = 0
	}
	if err := wake(tx, roles, chat, &agent, &task, s.askers); err != nil {
		return nil, err
	}
	return tx.Create(path.Child("messages", messageID), nestor.SubAgentMessage{
		Role: nestor.RoleUser, Content: s.content, Name: s.name, AuthorID: s.author,
	})
}

// said is what an agent is told.
type said struct {
	content string
	// name is who tells it: the id of a person, or the orchestrator's name.
	// author is the person's id, if it is one.
	name, author string
	// person: a person spoke to the agent, themselves or through the
	// orchestrator.
	person bool
	// askers are those whose wish it is. None leaves it with those who asked
	// before: then it was the orchestrator's own idea.
	askers nestor.Askers
}

const orchestratorName = "orchestrator"

// wake makes an agent and its task active again, if they are not. One that had
// ended has new steps, and its next result goes to the chat: whoever waited
// for it has had an answer. The work is for askers, too, from now on. When that
// makes another one pay, what was used so far is charged to who paid until now.
func wake(tx store.Tx, roles *Roles, chat nestor.Path, agent *nestor.SubAgent, task *nestor.Task, askers nestor.Askers) error {
	if agent.Status != nestor.SubAgentActive && !agent.Status.CanBecome(nestor.SubAgentActive) {
		return errCancelledAgent
	}
	if task.Status.Ended() {
		if err := answerParent(tx, chat, task); err != nil {
			return err
		}
		task.EndedAt, task.Error, task.ParentCallID = 0, "", ""
		agent.IterationLimit = agent.IterationCount + roles.Roles[agent.Role].MaxIterations
	}
	agent.Status = nestor.SubAgentActive
	task.Status, task.Question = nestor.TaskRunning, ""
	before, used := task.AskedBy, budget.Used{}
	if len(askers) > 0 {
		now := agent.AskedBy.Or(chat.UserID()).With(askers...)
		if !samePayer(chat, before, now) {
			used = rollUp(agent, task)
		}
		agent.AskedBy, task.AskedBy = now, now
	}
	if err := save(tx, agentPath(chat, agent.ID), agent); err != nil {
		return err
	}
	if err := save(tx, taskPath(chat, task.ID), task); err != nil {
		return err
	}
	return charge(tx, chat, before, used)
}

// samePayer reports whether the same person pays for both.
func samePayer(chat nestor.Path, a, b nestor.Askers) bool {
	return a.Or(chat.UserID()).Payer() == b.Or(chat.UserID()).Payer()
}
