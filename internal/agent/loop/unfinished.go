package loop

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/ask"
	"github.com/nestorhq/nestor/internal/agent/billing"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// interrupted ends a step that nobody waits for any more.
func (l *Loop) interrupted(s *step, r *ask.Reply) worker.Effect {
	return func(tx store.Tx) error {
		agent, _, err := s.current(tx)
		if err != nil {
			return err
		}
		return l.keepPartial(tx, s, agent, r)
	}
}

// keepPartial writes what an agent that ended meanwhile said in its last step,
// and what the step used. Nothing else is written of an agent after its end.
func (l *Loop) keepPartial(tx store.Tx, s *step, agent *nestor.SubAgent, r *ask.Reply) error {
	r.Cut()
	if err := l.settle(tx, s, r); err != nil {
		return err
	}
	if agent == nil || r.Text == "" {
		r.Drop()
		return billing.ChargeUnsaid(tx, s.chat, s.job.Run, s.payers, r.Used.As(s.agent.Role))
	}
	ended := *s
	ended.agent = *agent
	if err := ended.tell(tx, r, r.Text); err != nil {
		return err
	}
	said := nestor.SubAgentMessage{Role: nestor.RoleAssistant, Content: r.Text, RepliesTo: s.newest, Metadata: r.Meta}
	if agent.Status != nestor.SubAgentCancelled && agent.Restarts == s.agent.Restarts {
		// The task has been or will be reported with what the agent used until then.
		said.Metadata = &nestor.MessageMetadata{Model: r.Meta.Model, DurationMS: r.Meta.DurationMS, FinishReason: r.Meta.FinishReason}
		if _, err := tx.Create(s.messagePath(), said); err != nil {
			return err
		}
		return billing.ChargeUnsaid(tx, s.chat, s.job.Run, s.payers, r.Used.As(s.agent.Role))
	}
	if _, err := tx.Create(s.messagePath(), said); err != nil {
		return err
	}
	task, err := chatdoc.Get[nestor.Task](tx, chatdoc.TaskPath(s.chat, agent.TaskID))
	if err != nil {
		return err
	}
	ended.count(r)
	ended.agent.Work = ended.agent.Work.WithReply(said.Metadata)
	used := billing.RollUp(&ended.agent, &task)
	used.Calls = r.Used.Calls
	if err := chatdoc.Save(tx, s.path, ended.agent); err != nil {
		return err
	}
	if err := chatdoc.Save(tx, chatdoc.TaskPath(s.chat, task.ID), task); err != nil {
		return err
	}
	return billing.Charge(tx, s.chat, s.payers, used)
}

// declined fails an agent whose model declined.
func (l *Loop) declined(s *step, no *ask.Refusal) worker.Effect {
	return func(tx store.Tx) error {
		agent, _, err := s.current(tx)
		if err != nil {
			return err
		}
		if agent == nil || agent.Status != nestor.SubAgentActive {
			no.Reply.Drop()
			if err := l.settle(tx, s, no.Reply); err != nil {
				return err
			}
			return billing.ChargeUnsaid(tx, s.chat, s.job.Run, s.payers, no.Reply.Used.As(s.agent.Role))
		}
		s := *s
		s.agent = *agent
		s.count(no.Reply)
		if err := l.settle(tx, &s, no.Reply); err != nil {
			return err
		}
		if no.Reply.Text == "" {
			no.Reply.Drop()
		} else if _, err := tx.Create(s.messagePath(), nestor.SubAgentMessage{
			Role: nestor.RoleAssistant, Content: no.Reply.Text, RepliesTo: s.newest, Metadata: no.Reply.Meta,
		}); err != nil {
			return err
		} else if err := s.tell(tx, no.Reply, no.Reply.Text); err != nil {
			return err
		} else {
			s.agent.Work = s.agent.Work.WithReply(no.Reply.Meta)
		}
		return endFailed(tx, s.job, s.path, &s.agent, no)
	}
}
