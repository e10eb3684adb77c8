package agent

import (
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

func isControl(name string) bool {
	return name == createAgentTool || name == finalAnswerTool || name == askUserTool
}

// control carries out a control call of an agent. final_answer and ask_user
// come here only when their arguments made no sense.
func (a *Agents) control(job *nestor.Job, r *run) worker.Effect {
	in, err := decode(argumentText(r.call.Args), map[string][]string{
		createAgentTool: {"type", "instruction"}, finalAnswerTool: {"answer"}, askUserTool: {"question"},
	}[r.call.ToolName]...)
	switch {
	case err != nil:
	case r.call.ToolName == createAgentTool:
		err = r.role.allowed(in["type"], r.agent.Depth)
	default:
		err = nestor.Errorf(nestor.CodeInvalid, "the arguments are ambiguous")
	}
	if err != nil {
		return r.finish(nestor.ToolCallFailed, err.Error())
	}
	return r.createAgent(job, in["type"], in["instruction"])
}

// createAgent gives a part of the work to another agent. The call stays open
// until that one's task ends; see end.
func (r *run) createAgent(job *nestor.Job, role, instruction string) worker.Effect {
	return func(tx store.Tx) error {
		call, err := r.current(tx)
		if err != nil || call == nil || call.TaskID != "" {
			return err
		}
		chat := chatOf(r.path)
		parent, err := get[nestor.Task](tx, taskPath(chat, r.agent.TaskID))
		if err != nil {
			return err
		}
		agent, err := get[nestor.SubAgent](tx, r.agentPath()) // as it is now: others may have spoken to it
		if err != nil {
			return err
		}
		call.Status, call.TaskID, call.StartedAt = nestor.ToolCallRunning, job.DeriveID("task"), now()
		if err := save(tx, r.path, call); err != nil {
			return err
		}
		_, err = tx.Create(taskPath(chat, call.TaskID), nestor.Task{
			Type: nestor.TaskAgent, Name: "agent:" + strings.ToLower(role), Instruction: instruction, Status: nestor.TaskPending,
			TriggerMessageID: parent.TriggerMessageID, ParentAgentID: r.agent.ID, ParentCallID: call.ID, Depth: parent.Depth + 1,
			AskedBy: agent.AskedBy,
		})
		return err
	}
}
