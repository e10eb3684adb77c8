package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// Orchestrator talks to people and delegates.
type Orchestrator struct {
	Store      store.Documents
	Roles      *Roles
	Asker      *Asker
	Billing    *Billing
	Interrupts *interrupts
}

// turn is what the orchestrator knows when it answers.
type turn struct {
	job      *nestor.Job
	path     nestor.Path // of the chat
	chat     nestor.Chat
	dialogue *dialogue
	tasks    []nestor.Task
	// askers are who said what is answered. The last of them pays: scopes has
	// their budget.
	askers nestor.Askers
	scopes []budget.Scope
}

func (t *turn) messagePath() nestor.Path { return t.path.Child("messages", t.job.DeriveID("answer")) }

// orchestrate answers everything the user said that is not answered yet, in
// one message. Of two messages in quick succession the first job to run
// answers both, and the other finds nothing to do; an answer that was under
// way when the second came is given up in favour of one that sees both.
func (a *Orchestrator) orchestrate(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	path := chatOf(job.Change.Path)
	ctx, work := a.Interrupts.begin(ctx, path)
	defer work.done()
	t, err := a.readTurn(ctx, job, path)
	if err != nil || t == nil || len(t.dialogue.open) == 0 {
		return nil, err
	}
	open := t.dialogue.open
	work.seen(open[len(open)-1].Seq)
	p := a.orchestratorPrompt(t)
	p.turns = append(p.turns, t.dialogue.asked(stateBlock(t.tasks)+"\n# Message\n")...)
	p.tools = orchestratorControls(a.Roles)
	plan, r, err := a.delegate(ctx, t, p)
	var no *refusal
	switch {
	case err != nil && interrupted(ctx):
		return t.interrupted(a, err), nil
	case errors.As(err, &no):
		return t.declined(a, no), nil
	case errors.Is(err, nestor.ErrOverBudget):
		return instead(job, t.scopes, t.apologise(err)), nil
	case err != nil:
		return nil, err
	}
	return a.answerUser(t, r, plan), nil
}

// readTurn returns nil if the chat is gone, or the job has written its message.
func (a *Orchestrator) readTurn(ctx context.Context, job *nestor.Job, path nestor.Path) (t *turn, err error) {
	err = a.Store.View(ctx, func(r store.Reader) error {
		t = nil
		chat, err := store.Find[nestor.Chat](r, path)
		if err != nil || chat == nil {
			return err
		}
		t = &turn{job: job, path: path, chat: *chat}
		if written, err := exists(r, t.messagePath()); err != nil || written {
			t = nil
			return err
		}
		if t.dialogue, err = readDialogue(r, path); err != nil {
			return err
		}
		if t.tasks, err = readState(r, path); err != nil {
			return err
		}
		return a.bill(r, t, t.dialogue.authors(path))
	})
	return t, err
}

// bill says for whom a turn is, and whose budgets bound it.
func (a *Orchestrator) bill(r store.Reader, t *turn, askers nestor.Askers) error {
	scopes, err := a.Billing.allOf(r, t.path, "", askers.Or(t.path.UserID()).Payer())
	t.askers, t.scopes = askers, scopes
	return err
}

// orchestratorPrompt is the chat's history below instructions that stay the
// same from call to call, so that a provider can keep them.
func (a *Orchestrator) orchestratorPrompt(t *turn) prompt {
	connection := t.chat.ModelConnectionID
	if own := a.Roles.Orchestrator.ModelConnectionID; own != "" {
		connection = own
	}
	return prompt{
		job: t.job, connection: connection, system: a.Roles.Orchestrator.Instructions, turns: t.dialogue.turns(),
		maxTokens: a.Roles.Orchestrator.MaxTokens, scopes: t.scopes, draft: feed.Draft{Path: t.messagePath()},
		keep: func(ctx context.Context, s *condense.Summary, meta *nestor.MessageMetadata) error {
			return a.keepChatSummary(ctx, t, s, meta)
		},
	}
}

// keepChatSummary stores a summary as a message of the chat. The messages that
// it covers stay.
func (a *Orchestrator) keepChatSummary(ctx context.Context, t *turn, s *condense.Summary, meta *nestor.MessageMetadata) error {
	chat := t.path
	path := chat.Child("messages", nestor.DeriveID("summary", s.Through))
	known := slices.ContainsFunc(t.dialogue.history, func(m nestor.Message) bool { return m.ID == path.ID() })
	return a.Store.Update(ctx, func(tx store.Tx) error {
		if err := unmade(tx, path, known); err != nil {
			return err
		}
		if err := settleSummary(tx, t.job, t.scopes, meta); err != nil {
			return err
		}
		if err := save(tx, path, nestor.Message{
			Role: nestor.RoleSystem, Type: nestor.MessageSummary, Content: s.Text, RepliesTo: s.Through,
			IsLLMMessage: new(true), Metadata: meta,
		}); err != nil {
			return err
		}
		return charge(tx, chat, t.askers, budget.Used{Model: s.Model, Usage: *meta.Usage, CostMicros: meta.CostMicros, Calls: s.Calls})
	})
}

// maxRounds is how often the model may correct calls that made no sense.
const maxRounds = 4

// delegate asks the model until all of its calls make sense. Nothing is carried
// out before that, and then everything is.
func (a *Orchestrator) delegate(ctx context.Context, t *turn, p prompt) ([]order, *reply, error) {
	var plan []order
	var sum *reply
	for range maxRounds {
		r, err := a.Asker.generate(ctx, p)
		if sum != nil && errors.Is(err, nestor.ErrOverBudget) {
			break // what makes no sense is left out
		}
		var no *refusal
		if errors.As(err, &no) {
			no.reply = joined(sum, no.reply)
		}
		var part *partial
		if errors.As(err, &part) {
			part.reply = joined(sum, part.reply)
		} else if err != nil && sum != nil && interrupted(ctx) {
			return nil, nil, &partial{sum}
		}
		if err != nil {
			return nil, nil, err
		}
		spoke, said := r.text != "", llm.Message{Role: llm.RoleAssistant, Parts: partsOf(r)}
		sum = joined(sum, r)
		result := llm.Message{Role: llm.RoleTool}
		wrong := false
		for i := range r.calls {
			c := &r.calls[i]
			content := "Accepted."
			o, err := a.understand(t, c)
			if err != nil {
				content, wrong = err.Error(), true
			} else {
				plan = append(plan, o)
			}
			result.Parts = append(result.Parts, llm.ToolResult{CallID: c.ID, Name: c.Name, Content: content, IsError: err != nil})
		}
		if !wrong {
			break
		}
		p.before = budget.Amount{Tokens: sum.used.Usage.Tokens(), Micros: sum.used.CostMicros}
		if p.writer = r.draft; spoke {
			r.draft.Text("\n\n")
		}
		p.turns = append(p.turns,
			condense.Turn{ID: "round", Message: said},
			condense.Turn{ID: "round", Message: result})
	}
	if sum.text == "" {
		sum.text = acknowledgement(plan)
	}
	return plan, sum, nil
}

func partsOf(r *reply) []llm.Part {
	return assistantTurn(r.text, requests(r.calls, func(i int) string { return r.calls[i].ID }), r.meta).Parts
}

// joined is two replies of one turn as one.
func joined(first, second *reply) *reply {
	if first == nil {
		return second
	}
	second.text = strings.TrimSpace(first.text + "\n\n" + second.text)
	second.took += first.took
	second.used.Calls += first.used.Calls
	second.used.Usage = *second.used.Usage.Add(&first.used.Usage)
	second.used.CostMicros += first.used.CostMicros
	second.meta.Usage, second.meta.CostMicros = &second.used.Usage, second.used.CostMicros
	second.meta.DurationMS = second.took.Milliseconds()
	return second
}

// answerUser writes the answer and carries out what the orchestrator ordered,
// in one transaction.
func (a *Orchestrator) answerUser(t *turn, r *reply, plan []order) worker.Effect {
	return func(tx store.Tx) error {
		if err := a.pay(tx, t, r); err != nil {
			return err
		}
		d, err := readDialogue(tx, t.path)
		if err != nil {
			return err
		}
		if !d.asks(t.dialogue) { // the user said more, or stopped it: the next job answers, if any is to
			return t.keepPartial(tx, r)
		}
		message := nestor.Message{
			Role: nestor.RoleAssistant, Type: nestor.MessageText, Content: r.text, IsLLMMessage: new(true),
			RepliesTo: d.newest(), Answers: d.older(), Metadata: r.meta,
		}
		for i, o := range plan {
			note, err := a.carryOut(tx, t, o, i)
			if err != nil {
				return err
			}
			message.Content += note
			message.ToolCalls = appendRequest(message.ToolCalls, t.job.DeriveID("call", strconv.Itoa(i)), o.call)
		}
		_, err = tx.Create(t.messagePath(), message)
		return err
	}
}

// pay settles the budget and adds what the answer took to the totals.
func (a *Orchestrator) pay(tx store.Tx, t *turn, r *reply) error {
	if err := budget.Settle(tx, t.job.ID, t.scopes, budget.Amount{Tokens: r.used.Usage.Tokens(), Micros: r.used.CostMicros}); err != nil {
		return err
	}
	if err := a.Billing.releaseOthers(tx, t.job, t.askers); err != nil {
		return err
	}
	return charge(tx, t.path, t.askers, r.used)
}

// apologise tells the user why there is no answer.
func (t *turn) apologise(cause error) worker.Effect {
	return t.apologiseAt(t.path.Child("messages", t.job.DeriveID("failure")), cause)
}

func (t *turn) apologiseAt(message nestor.Path, cause error) worker.Effect {
	return func(tx store.Tx) error {
		if written, err := exists(tx, message); err != nil || written {
			return err
		}
		return save(tx, message, nestor.Message{
			Role: nestor.RoleSystem, Type: nestor.MessageError, RepliesTo: t.dialogue.newest(),
			Content: fmt.Sprintf("This could not be answered: %s", reason(t.job, cause)), Metadata: unsaid(cause),
		})
	}
}

func (a *Orchestrator) orchestrateFailed(job *nestor.Job, cause error) worker.Effect {
	return func(tx store.Tx) error {
		path := chatOf(job.Change.Path)
		d, err := readDialogue(tx, path)
		if err != nil {
			return err
		}
		return (&turn{job: job, path: path, dialogue: d}).apologise(cause)(tx)
	}
}
