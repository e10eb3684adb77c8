package loop

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/ask"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// StepFailed fails an agent whose next step cannot be made.
func (l *Loop) StepFailed(job *nestor.Job, cause error) worker.Effect {
	return failAgent(job, chatdoc.AgentOf(job.Change.Path), cause)
}

// fail ends the agent and its task for a reason.
func (s *step) fail(cause error) worker.Effect { return failAgent(s.job, s.path, cause) }

func failAgent(job *nestor.Job, path nestor.Path, cause error) worker.Effect {
	return func(tx store.Tx) error {
		agent, err := store.Find[nestor.SubAgent](tx, path)
		if err != nil || agent == nil || agent.Status != nestor.SubAgentActive {
			return err
		}
		return endFailed(tx, job, path, agent, cause)
	}
}

// endFailed fails an agent as it stands in the transaction, and its task.
func endFailed(tx store.Tx, job *nestor.Job, path nestor.Path, agent *nestor.SubAgent, cause error) error {
	chat := chatdoc.ChatOf(path)
	task, err := chatdoc.Get[nestor.Task](tx, chatdoc.TaskPath(chat, agent.TaskID))
	if err != nil {
		return err
	}
	meta := ask.Unsaid(cause)
	agent.Work = agent.Work.WithReply(meta)
	if err := chatdoc.Save(tx, path.Child("messages", job.DeriveID("failure")), nestor.SubAgentMessage{
		Role: nestor.RoleSystem, Type: nestor.MessageError, Content: wording.Reason(job, cause), Metadata: meta,
	}); err != nil {
		return err
	}
	return lifecycle.End(tx, chat, agent, &task, nestor.TaskFailed, wording.Reason(job, cause))
}
