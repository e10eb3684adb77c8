package orchestrator

import (
	"context"
	"fmt"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/ask"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// maxAutoAnswers is how often an agent is answered without a person, whatever
// it asks, until a person speaks again.
const maxAutoAnswers = 2

// inquiry is what the orchestrator knows when an agent asks.
type inquiry struct {
	turn
	task  nestor.Task
	agent nestor.SubAgent
}

// messagePath is one for each question: however many jobs find it, it is dealt
// with once.
func (q *inquiry) messagePath() nestor.Path {
	if q.agent.QuestionCallID == "" {
		return q.turn.messagePath()
	}
	return chatdoc.QuestionPath(q.path, q.agent.ID, q.agent.QuestionCallID)
}

// asking is the agent as it is now, nil if it does not wait for the answer to
// this question any more.
func (q *inquiry) asking(r store.Reader) (*nestor.SubAgent, error) {
	agent, err := store.Find[nestor.SubAgent](r, chatdoc.AgentPath(q.path, q.agent.ID))
	if err != nil || agent == nil || agent.Status != nestor.SubAgentWaiting || agent.QuestionCallID != q.agent.QuestionCallID {
		return nil, err
	}
	return agent, nil
}

// Notify deals with the question of an agent: the orchestrator answers it from
// what the user said before, telling the user so and why, or the user is asked, in the
// agent's words. If the user said nothing but what led to the task, nobody but the user can
// know, and no model is asked.
func (o *Orchestrator) Notify(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	ctx, work := o.Interrupts.Begin(ctx, job.Change.Path)
	defer work.Done()
	q, err := o.readInquiry(ctx, job)
	if err != nil || q == nil {
		return nil, err
	}
	work.Seen(q.task.Seq)
	if q.task.Standing {
		return o.standingQuestion(q), nil
	}
	kind, _ := nestor.ParseParticipant(q.chat.Participant)
	if kind != nestor.KindOrchestrator || !q.dialogue.SaysMoreThan(q.task.TriggerMessageID) || q.autoAnswers(&q.agent) >= maxAutoAnswers {
		return q.askUser(nil), nil
	}
	p := o.prompt(&q.turn)
	p.Tools = []llm.Tool{controltool.AutoReply()}
	p.Turns = append(p.Turns, q.turnAbout())
	p.Draft = feed.Draft{}
	r, err := o.Asker.Ask(ctx, p)
	if err != nil {
		u := q.instead(o, q.askUser(nil))
		u.Interrupted = func(r *ask.Reply) worker.Effect {
			return q.without(o, r, func(store.Tx) error { return nil }) // it is answered; half a question helps nobody
		}
		return u.Effect(ctx, err)
	}
	return o.answerAgent(q, r), nil
}

// turnAbout tells the model what is asked, and what to do about it.
func (q *inquiry) turnAbout() condense.Turn {
	handle := "An agent"
	for i := range q.tasks {
		if q.tasks[i].ID == q.task.ID {
			handle = q.tasks[i].handle
		}
	}
	return condense.Turn{ID: "question", Message: conversation.UserTurn(fmt.Sprintf("# Event: question of an agent\n%s (“%s”) asks: %s\n\nIf the user clearly said what settles this, call %s with the answer, and in basedOn the words of the user "+
		"that it is based on, exactly as written. Otherwise reply with the word ASK: then the user is asked. Do not guess.",
		handle, wording.Title(&q.task), q.task.Question, controltool.ReplyToAgent))}
}

// readInquiry returns nil if the agent does not wait any more, or the user was
// asked already.
func (o *Orchestrator) readInquiry(ctx context.Context, job *nestor.Job) (q *inquiry, err error) {
	t, err := o.readTurn(ctx, job, answer)
	if err != nil || t == nil {
		return nil, err
	}
	err = o.Store.View(ctx, func(r store.Reader) error {
		q = nil
		task, err := store.Find[nestor.Task](r, job.Change.Path)
		if err != nil || task == nil || task.Status != nestor.TaskWaiting {
			return err
		}
		agent, err := chatdoc.Get[nestor.SubAgent](r, chatdoc.AgentPath(t.path, task.SubAgentID))
		if err != nil {
			return err
		}
		q = &inquiry{turn: *t, task: *task, agent: agent}
		if err := o.bill(r, &q.turn, agent.AskedBy); err != nil {
			return err
		}
		if written, err := chatdoc.Exists(r, q.messagePath()); err != nil || written {
			q = nil
			return err
		}
		return nil
	})
	return q, err
}

// answerAgent writes the answer to the agent, or else the question to the user.
func (o *Orchestrator) answerAgent(q *inquiry, r *ask.Reply) worker.Effect {
	var in map[string]string
	for _, c := range r.Calls {
		if c.Name == controltool.ReplyToAgent && in == nil {
			in, _ = controltool.Decode(c.Arguments, "content")
		}
	}
	return func(tx store.Tx) error {
		agent, err := q.asking(tx)
		if err != nil {
			return err
		}
		if agent == nil {
			r.Drop()
			return o.payUnsaid(tx, &q.turn, r) // somebody was faster
		}
		if err := o.pay(tx, &q.turn, r); err != nil {
			return err
		}
		switch {
		case in == nil || !q.dialogue.Holds(in["basedOn"]): // or the user did not say so
			return q.askUser(r.Meta)(tx)
		}
		agent.AutoAnswers, agent.AutoAnsweredAfter = q.autoAnswers(agent)+1, q.dialogue.NewestOfPerson()
		if err := chatdoc.Save(tx, chatdoc.AgentPath(q.path, agent.ID), agent); err != nil {
			return err
		}
		if _, err := lifecycle.Deliver(tx, o.Roles, chatdoc.AgentPath(q.path, agent.ID), q.job.DeriveID("message"), lifecycle.Said{Content: in["content"], Name: lifecycle.OrchestratorName}); err != nil {
			return err
		}
		return chatdoc.Save(tx, q.messagePath(), nestor.Message{
			Role: nestor.RoleAssistant, Type: nestor.MessageText, TaskID: q.task.ID, IsLLMMessage: new(true), Metadata: r.Meta,
			Content: provenance(q.task.Question, r.Text, in["content"], in["basedOn"]),
		})
	}
}

// autoAnswers is how often the agent was answered since a person spoke.
func (q *inquiry) autoAnswers(agent *nestor.SubAgent) int {
	if newest := q.dialogue.NewestOfPerson(); newest != "" && newest != agent.AutoAnsweredAfter {
		return 0
	}
	return agent.AutoAnswers
}

// provenance tells the user what was answered in their name, and on what basis.
func provenance(question, said, answer, basis string) string {
	basis = strings.Trim(basis, ` "'“”„‘’`)
	if said != "" && strings.Contains(said, answer) && strings.Contains(said, basis) {
		return said
	}
	note := fmt.Sprintf("The agent asked: “%s” I answered: “%s”, because you said: “%s”", question, answer, basis)
	if said != "" {
		note = said + "\n\n" + note
	}
	return note
}

// askUser puts the agent's question to the user, in its words.
func (q *inquiry) askUser(meta *nestor.MessageMetadata) worker.Effect {
	return func(tx store.Tx) error {
		if agent, err := q.asking(tx); err != nil || agent == nil {
			return err
		}
		return chatdoc.Save(tx, q.messagePath(), nestor.Message{
			Role: nestor.RoleAssistant, Type: nestor.MessageText, TaskID: q.task.ID, QuestionID: q.agent.QuestionCallID, IsLLMMessage: new(true), Metadata: meta, Content: q.task.Question,
		})
	}
}

// NotifyFailed asks the user in the agent's own words.
func (o *Orchestrator) NotifyFailed(job *nestor.Job, _ error) worker.Effect {
	path := chatdoc.ChatOf(job.Change.Path)
	return func(tx store.Tx) error {
		task, err := store.Find[nestor.Task](tx, job.Change.Path)
		if err != nil || task == nil || task.Status != nestor.TaskWaiting {
			return err
		}
		agent, err := chatdoc.Get[nestor.SubAgent](tx, chatdoc.AgentPath(path, task.SubAgentID))
		if err != nil {
			return err
		}
		q := &inquiry{turn: turn{job: job, path: path}, task: *task, agent: agent}
		if task.Standing {
			return o.standingQuestion(q)(tx)
		}
		return q.askUser(nil)(tx)
	}
}
