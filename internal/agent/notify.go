package agent

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

//go:embed prompts/question.md
var questionPrompt string

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
	return q.path.Child("messages", nestor.DeriveID("question", q.agent.ID, q.agent.QuestionCallID))
}

// asking is the agent as it is now, nil if it does not wait for the answer to
// this question any more.
func (q *inquiry) asking(r store.Reader) (*nestor.SubAgent, error) {
	agent, err := store.Find[nestor.SubAgent](r, agentPath(q.path, q.agent.ID))
	if err != nil || agent == nil || agent.Status != nestor.SubAgentWaiting || agent.QuestionCallID != q.agent.QuestionCallID {
		return nil, err
	}
	return agent, nil
}

// notify deals with the question of an agent: the orchestrator answers it from
// what the user said before, telling the user so and why, or asks the user.
func (a *Orchestrator) notify(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	ctx, work := a.Interrupts.begin(ctx, job.Change.Path)
	defer work.done()
	q, err := a.readInquiry(ctx, job)
	if err != nil || q == nil {
		return nil, err
	}
	work.seen(q.task.Seq)
	if q.autoAnswers(&q.agent) >= maxAutoAnswers {
		return q.askUser(q.task.Question, nil), nil
	}
	p := a.orchestratorPrompt(&q.turn)
	p.turns = append(p.turns, q.dialogue.asked("")...) // said, even if not answered yet
	p.turns = append(p.turns, condense.Turn{ID: "question", Message: userTurn("# Question\n" + taskLine(q.task, len(q.task.Question)))})
	p.system, p.tools = questionPrompt, []llm.Tool{autoReply()}
	p.draft = feed.Draft{Path: q.messagePath(), TaskID: q.task.ID}
	r, err := a.Asker.generate(ctx, p)
	var no *refusal
	var part *partial
	switch {
	case errors.As(err, &part):
		return q.without(a, part.reply, func(store.Tx) error { return nil }), nil // it is answered; half a question helps nobody
	case err != nil && interrupted(ctx):
		return unused(job, q.scopes), nil
	case errors.As(err, &no):
		return q.without(a, no.reply, q.askUser(q.task.Question, nil)), nil
	case errors.Is(err, nestor.ErrOverBudget):
		return instead(job, q.scopes, q.askUser(q.task.Question, nil)), nil
	case err != nil:
		return nil, err
	}
	return a.settleInquiry(q, r), nil
}

// readInquiry returns nil if the agent does not wait any more, or the user was
// asked already.
func (a *Orchestrator) readInquiry(ctx context.Context, job *nestor.Job) (q *inquiry, err error) {
	t, err := a.readTurn(ctx, job, chatOf(job.Change.Path))
	if err != nil || t == nil {
		return nil, err
	}
	err = a.Store.View(ctx, func(r store.Reader) error {
		q = nil
		task, err := store.Find[nestor.Task](r, job.Change.Path)
		if err != nil || task == nil || task.Status != nestor.TaskWaiting {
			return err
		}
		agent, err := get[nestor.SubAgent](r, agentPath(t.path, task.SubAgentID))
		if err != nil {
			return err
		}
		q = &inquiry{turn: *t, task: *task, agent: agent}
		if err := a.bill(r, &q.turn, agent.AskedBy); err != nil {
			return err
		}
		if written, err := exists(r, q.messagePath()); err != nil || written {
			q = nil
			return err
		}
		return nil
	})
	return q, err
}

// settleInquiry writes the answer to the agent, or the question to the user.
func (a *Orchestrator) settleInquiry(q *inquiry, r *reply) worker.Effect {
	var in map[string]string
	for _, c := range r.calls {
		if c.Name == replyToAgentTool && in == nil {
			in, _ = decode(c.Arguments, "content")
		}
	}
	return func(tx store.Tx) error {
		if err := a.pay(tx, &q.turn, r); err != nil {
			return err
		}
		agent, err := q.asking(tx)
		if err != nil {
			return err
		}
		if agent == nil {
			r.drop()
			return nil // somebody was faster
		}
		switch {
		case in == nil:
			return q.askUser(r.text, r.meta)(tx)
		case !q.dialogue.holds(in["basedOn"]):
			return q.askUser(q.task.Question, r.meta)(tx) // the user did not say so
		}
		agent.AutoAnswers, agent.AutoAnsweredAfter = q.autoAnswers(agent)+1, q.dialogue.newestOfPerson()
		if err := save(tx, agentPath(q.path, agent.ID), agent); err != nil {
			return err
		}
		if _, err := deliver(tx, a.Roles, agentPath(q.path, agent.ID), q.job.DeriveID("message"), said{content: in["content"], name: orchestratorName}); err != nil {
			return err
		}
		return save(tx, q.messagePath(), nestor.Message{
			Role: nestor.RoleAssistant, Type: nestor.MessageText, TaskID: q.task.ID, IsLLMMessage: new(true), Metadata: r.meta,
			Content: provenance(q.task.Question, r.text, in["content"], in["basedOn"]),
		})
	}
}

// autoAnswers is how often the agent was answered since a person spoke.
func (q *inquiry) autoAnswers(agent *nestor.SubAgent) int {
	if newest := q.dialogue.newestOfPerson(); newest != "" && newest != agent.AutoAnsweredAfter {
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

// askUser puts the agent's question to the user.
func (q *inquiry) askUser(content string, meta *nestor.MessageMetadata) worker.Effect {
	if content == "" {
		content = q.task.Question
	}
	return func(tx store.Tx) error {
		if agent, err := q.asking(tx); err != nil || agent == nil {
			return err
		}
		return save(tx, q.messagePath(), nestor.Message{
			Role: nestor.RoleAssistant, Type: nestor.MessageText, TaskID: q.task.ID, IsLLMMessage: new(true), Metadata: meta, Content: content,
		})
	}
}

// notifyFailed asks the user in the agent's own words.
func (a *Orchestrator) notifyFailed(job *nestor.Job, _ error) worker.Effect {
	path := chatOf(job.Change.Path)
	return func(tx store.Tx) error {
		task, err := store.Find[nestor.Task](tx, job.Change.Path)
		if err != nil || task == nil || task.Status != nestor.TaskWaiting {
			return err
		}
		agent, err := get[nestor.SubAgent](tx, agentPath(path, task.SubAgentID))
		if err != nil {
			return err
		}
		return (&inquiry{turn: turn{job: job, path: path}, task: *task, agent: agent}).askUser(task.Question, nil)(tx)
	}
}
