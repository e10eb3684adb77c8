package agent

import (
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// refusal is the error of a model that declined to answer, or whose provider
// stopped it. What it had said stays visible, and is paid for.
type refusal struct {
	reply  *reply
	detail string
}

func (r *refusal) Error() string {
	if r.detail == "" {
		return "the model declined to answer and gave no reason"
	}
	return "the model declined to answer: " + excerpt(oneLine(storable(r.detail)), 600)
}

// Unwrap gives the code: to ask again in the same words is useless.
func (r *refusal) Unwrap() error { return nestor.Errorf(nestor.CodeForbidden, "%s", r.Error()) }

// unsaid is what a refusal took that came without a word, for the message that
// tells of it. Nil for every other failure.
func unsaid(cause error) *nestor.MessageMetadata {
	var no *refusal
	if errors.As(cause, &no) && no.reply.text == "" {
		return no.reply.meta
	}
	return nil
}

// declined fails an agent whose model declined.
func (a *Loop) declined(s *step, no *refusal) worker.Effect {
	return func(tx store.Tx) error {
		agent, err := s.current(tx)
		if err != nil {
			return err
		}
		if agent == nil || agent.Status != nestor.SubAgentActive {
			no.reply.drop()
			if err := a.settle(tx, s, no.reply); err != nil {
				return err
			}
			return charge(tx, s.chat, s.payers, no.reply.used)
		}
		s := *s
		s.agent = *agent
		s.count(no.reply)
		if err := a.settle(tx, &s, no.reply); err != nil {
			return err
		}
		if no.reply.text == "" {
			no.reply.drop()
		} else if _, err := tx.Create(s.messagePath(), nestor.SubAgentMessage{
			Role: nestor.RoleAssistant, Content: no.reply.text, RepliesTo: s.newest, Metadata: no.reply.meta,
		}); err != nil {
			return err
		}
		return endFailed(tx, s.job, s.path, &s.agent, no)
	}
}

// declined tells the user why there is no answer, below what was said of one.
func (t *turn) declined(a *Orchestrator, no *refusal) worker.Effect {
	return func(tx store.Tx) error {
		if err := a.pay(tx, t, no.reply); err != nil {
			return err
		}
		d, err := readDialogue(tx, t.path)
		if err != nil {
			return err
		}
		if !d.asks(t.dialogue) {
			no.reply.drop()
			return nil // the next job answers
		}
		if no.reply.text == "" {
			return t.apologiseAt(t.messagePath(), no)(tx)
		}
		if _, err := tx.Create(t.messagePath(), nestor.Message{
			Role: nestor.RoleAssistant, Type: nestor.MessageText, Content: no.reply.text, Metadata: no.reply.meta,
		}); err != nil {
			return err
		}
		return t.apologise(no)(tx)
	}
}

// without does something in place of what a model did not word.
func (t *turn) without(a *Orchestrator, unsaid *reply, instead worker.Effect) worker.Effect {
	unsaid.drop()
	return func(tx store.Tx) error {
		if err := a.pay(tx, t, unsaid); err != nil {
			return err
		}
		return instead(tx)
	}
}
