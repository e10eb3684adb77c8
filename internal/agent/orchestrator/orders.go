package orchestrator

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
	"github.com/nestorhq/nestor/internal/agent/wording"
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
func (o *Orchestrator) understand(t *turn, c *llm.ToolCall) (order, error) {
	next := order{call: *c}
	switch c.Name {
	case controltool.CreateAgent:
		in, err := controltool.Decode(c.Arguments, "type", "instruction")
		if err != nil {
			return next, err
		}
		next.role, next.instruction = strings.ToLower(in["type"]), in["instruction"]
		if _, ok := o.Roles.Roles[next.role]; !ok {
			return next, nestor.Errorf(nestor.CodeNotFound, "there is no type %q; there are: %s", next.role, strings.Join(o.Roles.Names(), ", "))
		}
		return next, nil
	case controltool.ReplyToAgent, controltool.ReactivateAgent:
		field := "content"
		if c.Name == controltool.ReactivateAgent {
			field = "instruction"
		}
		in, err := controltool.Decode(c.Arguments, "subAgentId", field)
		if err != nil {
			return next, err
		}
		next.agent, next.content = in["subAgentId"], in[field]
		return next, t.reachable(next.agent)
	}
	return next, nestor.Errorf(nestor.CodeNotFound, "there is no tool %s", c.Name)
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
func (o *Orchestrator) carryOut(tx store.Tx, t *turn, next order, i int) (note string, err error) {
	if next.agent != "" {
		_, err := lifecycle.Deliver(tx, o.Roles, chatdoc.AgentPath(t.path, next.agent), t.job.DeriveID("message", strconv.Itoa(i)),
			lifecycle.Said{Content: next.content, Name: lifecycle.OrchestratorName, Person: true, Askers: t.askers, Run: t.job.Run})
		if errors.Is(err, lifecycle.ErrCancelled) {
			return "\n\n(The agent was cancelled meanwhile, so nothing was passed on.)", nil
		}
		return "", err
	}
	_, err = tx.Create(chatdoc.TaskPath(t.path, t.job.DeriveID("task", strconv.Itoa(i))), nestor.Task{
		Type: nestor.TaskAgent, Name: "agent:" + next.role, Instruction: next.instruction, Status: nestor.TaskPending,
		TriggerMessageID: t.dialogue.Newest(), AskedBy: t.askers,
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
			lines = append(lines, fmt.Sprintf("I started an agent (%s): %s", o.role, wording.Excerpt(wording.OneLine(o.instruction), 120)))
		}
	}
	return strings.Join(slices.Compact(lines), "\n\n")
}
