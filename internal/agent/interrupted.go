package agent

import (
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// partial is the error of a reply that was interrupted after the provider had
// produced some of it. What was said stays visible, and is paid for.
type partial struct{ reply *reply }

func (p *partial) Error() string { return "the reply was interrupted" }

// Unwrap gives the code.
func (p *partial) Unwrap() error { return errInterrupted }

// cut makes the beginning of a reply of what there is. Its calls are not made,
// and reasoning is of no use without its end: providers refuse it.
func (r *reply) cut() {
	r.calls = nil
	if r.meta == nil { // only a summary was being made
		r.meta = &nestor.MessageMetadata{Model: r.used.Model, Usage: &r.used.Usage, CostMicros: r.used.CostMicros}
	}
	r.meta.FinishReason, r.meta.Reasoning = nestor.FinishInterrupted, nil
}

// isInterrupted reports whether a message is the beginning of a reply.
func isInterrupted(m *nestor.MessageMetadata) bool {
	return m != nil && m.FinishReason == nestor.FinishInterrupted
}

// interruptedMark is what the model is shown below its own words that were
// interrupted.
const interruptedMark = "\n\n[You were interrupted here. What you were about to say or do did not happen.]"

// produced is what the provider made of an interrupted reply. Whatever it did
// not report is estimated: providers report at the end.
func (a *Asker) produced(model string, req *llm.Request, part *llm.Reply) bool {
	if len(part.Message.Parts) == 0 && part.Usage == (llm.Usage{}) {
		return false // it may not even have been asked
	}
	if part.Usage.Input == 0 {
		part.Usage.Input, part.Usage.Estimated = int64(a.meter.Request(model, req)), true
	}
	if said := int64(a.meter.Message(model, part.Message)); len(part.Message.Parts) > 0 && said > part.Usage.Output {
		part.Usage.Output, part.Usage.Estimated = said, true
	}
	return true
}

// interrupted ends a turn that nobody waits for any more.
func (t *turn) interrupted(a *Orchestrator, err error) worker.Effect {
	var p *partial
	if !errors.As(err, &p) {
		return unused(t.job, t.scopes)
	}
	return func(tx store.Tx) error {
		if err := a.pay(tx, t, p.reply); err != nil {
			return err
		}
		return t.keepPartial(tx, p.reply)
	}
}

// keepPartial writes what was said of an answer. It settles nothing: the
// messages that it replies to stay open.
func (t *turn) keepPartial(tx store.Tx, r *reply) error {
	r.cut()
	there, err := exists(tx, t.path)
	if err != nil {
		return err
	}
	if r.text == "" || !there {
		r.drop()
		return nil
	}
	_, err = tx.Create(t.messagePath(), nestor.Message{
		Role: nestor.RoleAssistant, Type: nestor.MessageText, Content: r.text, IsLLMMessage: new(true),
		RepliesTo: t.dialogue.newest(), Metadata: r.meta,
	})
	return err
}

// interrupted ends a step that nobody waits for any more.
func (a *Loop) interrupted(s *step, err error) worker.Effect {
	var p *partial
	if !errors.As(err, &p) {
		return unused(s.job, s.scopes)
	}
	return func(tx store.Tx) error {
		agent, err := s.current(tx)
		if err != nil {
			return err
		}
		return a.keepPartial(tx, s, agent, p.reply)
	}
}

// keepPartial writes what an agent said in a step that has no effect: it ended
// meanwhile. That is the one thing that is written of an agent after its end,
// with what it used.
func (a *Loop) keepPartial(tx store.Tx, s *step, agent *nestor.SubAgent, r *reply) error {
	r.cut()
	if err := a.settle(tx, s, r); err != nil {
		return err
	}
	if agent == nil || r.text == "" {
		r.drop()
		return charge(tx, s.chat, s.payers, r.used)
	}
	said := nestor.SubAgentMessage{Role: nestor.RoleAssistant, Content: r.text, RepliesTo: s.newest, Metadata: r.meta}
	if agent.Status != nestor.SubAgentCancelled {
		// Its task is or will be reported, with what it used until then.
		said.Metadata = &nestor.MessageMetadata{Model: r.meta.Model, DurationMS: r.meta.DurationMS, FinishReason: r.meta.FinishReason}
		if _, err := tx.Create(s.messagePath(), said); err != nil {
			return err
		}
		return charge(tx, s.chat, s.payers, r.used)
	}
	if _, err := tx.Create(s.messagePath(), said); err != nil {
		return err
	}
	task, err := get[nestor.Task](tx, taskPath(s.chat, agent.TaskID))
	if err != nil {
		return err
	}
	ended := *s
	ended.agent = *agent
	ended.count(r)
	used := rollUp(&ended.agent, &task)
	used.Calls = r.used.Calls
	if err := save(tx, s.path, ended.agent); err != nil {
		return err
	}
	if err := save(tx, taskPath(s.chat, task.ID), task); err != nil {
		return err
	}
	return charge(tx, s.chat, s.payers, used)
}

// plus adds what other calls used.
func plus(u, other budget.Used) budget.Used {
	u.Calls += other.Calls
	u.Usage = *u.Usage.Add(&other.Usage)
	u.CostMicros += other.CostMicros
	return u
}
