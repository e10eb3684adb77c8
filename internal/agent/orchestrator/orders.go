package orchestrator

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/control"
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
	// task to create, with the results that its agent gets, or
	task    nestor.Task
	context []nestor.Task
	// agent and what to tell it; if cancelled is set, the agent's task is not wanted any more.
	agent, content, cancelled string
}

// understand checks a call. Its error is for the model.
func (o *Orchestrator) understand(t *turn, c *llm.ToolCall) (order, error) {
	next := order{call: *c}
	switch c.Name {
	case controltool.CreateAgent:
		in, err := controltool.Decode(c.Arguments, "instruction")
		if err != nil {
			return next, err
		}
		role := strings.ToLower(in["type"])
		if _, ok := o.Roles.Roles[role]; !ok {
			return next, nestor.Errorf(nestor.CodeNotFound, "there is no type %q; there are: %s", role, strings.Join(o.Roles.Names(), ", "))
		}
		if err := controltool.CheckForm(in); err != nil {
			return next, err
		}
		next.task = nestor.Task{
			Type: nestor.TaskAgent, Name: "agent:" + role, Title: wording.Excerpt(wording.OneLine(in["title"]), 80), Instruction: in["instruction"],
			Status: nestor.TaskPending, AskedBy: t.askers, ResultSchema: controltool.FormIn(in),
		}
		if d := nestor.Delivery(strings.ToLower(in["deliver"])); d == nestor.DeliverAnswer || d == nestor.DeliverReturn {
			next.task.Deliver = d
		}
		for _, handle := range strings.FieldsFunc(in["context"], func(r rune) bool { return r == ',' || r == ' ' }) {
			k, err := t.find(handle)
			if err != nil || k.Result == "" {
				t.follows = true
				return next, nestor.Errorf(nestor.CodeInvalid, "context: there is no result of %s yet. Create this agent when you are called again with it, which you are if the other agent has deliver \"return\"", handle)
			}
			next.context = append(next.context, k.Task)
		}
		return next, nil
	case controltool.ReplyToAgent, controltool.ReactivateAgent:
		field := "content"
		if c.Name == controltool.ReactivateAgent {
			field = "instruction"
		}
		in, err := controltool.Decode(c.Arguments, field)
		if err != nil {
			return next, err
		}
		next.content = in[field]
		next.agent, err = t.reachable(in)
		return next, err
	case controltool.CancelAgent:
		in, err := controltool.Decode(c.Arguments, "agent")
		if err != nil {
			return next, err
		}
		k, err := t.find(in["agent"])
		if err == nil && k.Status.Ended() {
			err = nestor.Errorf(nestor.CodeInvalid, "%s has ended already: it is %s", k.handle, k.Status)
		}
		if err == nil {
			next.cancelled = k.ID
		}
		return next, err
	}
	return next, nestor.Errorf(nestor.CodeNotFound, "there is no tool %s", c.Name)
}

// reachable is the agent that a call names, if it can be spoken to.
func (t *turn) reachable(in map[string]string) (string, error) {
	handle := in["agent"]
	if handle == "" {
		handle = in["subAgentId"]
	}
	if handle == "" {
		return "", nestor.Errorf(nestor.CodeInvalid, "agent is missing: give a handle of the state, such as A1")
	}
	k, err := t.find(handle)
	switch {
	case err != nil:
		return "", err
	case k.Type == nestor.TaskTool || k.SubAgentID == "":
		return "", nestor.Errorf(nestor.CodeInvalid, "%s cannot be spoken to", k.handle)
	case k.Status == nestor.TaskCancelled:
		return "", nestor.Errorf(nestor.CodeForbidden, "agent %s was cancelled: create another one", k.handle)
	}
	return k.SubAgentID, nil
}

// find is the task that a model means by a handle, or by an id of its own or of its agent. One
// wrong character in an id does not matter.
func (t *turn) find(handle string) (*known, error) {
	handle = strings.Trim(strings.TrimSpace(handle), `"'#.`)
	var near []*known
	for i := range t.tasks {
		k := &t.tasks[i]
		if strings.EqualFold(k.handle, handle) || strings.EqualFold(wording.Title(&k.Task), handle) || k.ID == handle || k.SubAgentID == handle && handle != "" {
			return k, nil
		}
		if oneOff(k.ID, handle) || oneOff(k.SubAgentID, handle) {
			near = append(near, k)
		}
	}
	if len(near) == 1 {
		return near[0], nil
	}
	if !hasAgents(t.tasks) {
		return nil, nestor.Errorf(nestor.CodeNotFound, "there is no agent %q; there are none yet", handle)
	}
	var there []string
	for i := range t.tasks {
		there = append(there, fmt.Sprintf("%s (%s)", t.tasks[i].handle, wording.Title(&t.tasks[i].Task)))
	}
	return nil, nestor.Errorf(nestor.CodeNotFound, "there is no agent %q; there are: %s", handle, strings.Join(there, ", "))
}

// oneOff reports whether two ids of the same length differ in one character.
func oneOff(a, b string) bool {
	if len(a) != len(b) || len(a) < 8 {
		return false
	}
	wrong := 0
	for i := range len(a) {
		if a[i] != b[i] {
			wrong++
		}
	}
	return wrong == 1
}

// hasAgents reports whether there is an agent that can be spoken to.
func hasAgents(tasks []known) bool {
	return slices.ContainsFunc(tasks, func(k known) bool { return k.Type != nestor.TaskTool && !k.Standing })
}

func (t *turn) callID(i int) string { return t.job.DeriveID("call", strconv.Itoa(i)) }

// carryOut does what was ordered. Between the model's view and now an agent may
// have moved on; whatever it does now, it gets the message. Only one that was
// cancelled does not: then the note says so.
func (o *Orchestrator) carryOut(tx store.Tx, t *turn, plan []order, i int) (note string, err error) {
	next := plan[i]
	newest := t.dialogue.NewestOfPerson()
	if next.cancelled != "" {
		return "", control.CancelTask(tx, chatdoc.TaskPath(t.path, next.cancelled), "the "+lifecycle.OrchestratorName)
	}
	if next.agent != "" {
		_, err := lifecycle.Deliver(tx, o.Roles, chatdoc.AgentPath(t.path, next.agent), t.job.DeriveID("message", strconv.Itoa(i)), lifecycle.Said{
			Content: next.content, Name: lifecycle.OrchestratorName, Person: true, Askers: t.askers, Run: t.job.Run,
		})
		if errors.Is(err, lifecycle.ErrCancelled) {
			return "\n\n(The agent was cancelled meanwhile, so nothing was passed on.)", nil
		}
		return "", err
	}
	task := next.task
	task.TriggerMessageID = newest
	if task.Title == "" {
		task.Title = wording.Title(&task)
	}
	if task.Deliver == "" {
		task.Deliver = nestor.DeliverAnswer
		if created(plan) > 1 || t.follows {
			task.Deliver = nestor.DeliverReturn
		}
	}
	for _, c := range next.context {
		task.Instruction += fmt.Sprintf("\n\n# Result of “%s”\n%s", wording.Title(&c), wording.Excerpt(c.Result, mostPassedOn))
	}
	_, err = tx.Create(chatdoc.TaskPath(t.path, t.job.DeriveID("task", strconv.Itoa(i))), task)
	return "", err
}

// mostPassedOn bounds what an agent is given of a result, in characters.
const mostPassedOn = 40_000

// created counts the tasks that a plan creates.
func created(plan []order) (n int) {
	for _, next := range plan {
		if next.agent == "" && next.cancelled == "" {
			n++
		}
	}
	return n
}
