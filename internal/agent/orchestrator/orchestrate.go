package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/ask"
	"github.com/nestorhq/nestor/internal/agent/billing"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// Orchestrator talks to people and delegates.
type Orchestrator struct {
	Store      store.Documents
	Roles      *role.Roles
	Asker      *ask.Asker
	Billing    *billing.Billing
	Interrupts *interrupt.Running
}

// turn is what the orchestrator knows when it answers.
type turn struct {
	job      *nestor.Job
	path     nestor.Path // of the chat
	chat     nestor.Chat
	dialogue *conversation.Dialogue
	tasks    []nestor.Task
	// askers are who said what is answered. The last of them pays: scopes has
	// their budget.
	askers nestor.Askers
	scopes []budget.Scope
	// unpaid says why nobody pays for the turn, nil if somebody does.
	unpaid error
}

func (t *turn) messagePath() nestor.Path { return t.path.Child("messages", t.job.DeriveID("answer")) }

// Orchestrate answers everything the user said that is not answered yet, in
// one message. Of two messages in quick succession the first job to run
// answers both, and the other finds nothing to do; an answer that was under
// way when the second came is given up in favour of one that sees both.
func (o *Orchestrator) Orchestrate(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	path := chatdoc.ChatOf(job.Change.Path)
	ctx, work := o.Interrupts.Begin(ctx, path)
	defer work.Done()
	t, err := o.readTurn(ctx, job, path)
	if err != nil || t == nil || len(t.dialogue.Open) == 0 {
		return nil, err
	}
	open := t.dialogue.Open
	work.Seen(open[len(open)-1].Seq)
	plan, r, err := o.reply(ctx, t)
	if err != nil {
		return ask.Unanswered{
			Job: job, Scopes: t.scopes, OverBudget: t.apologise,
			Interrupted: func(r *ask.Reply) worker.Effect { return t.interrupted(o, r) },
			Declined:    func(no *ask.Refusal) worker.Effect { return t.declined(o, no) },
		}.Effect(ctx, err)
	}
	return o.answerUser(t, r, plan), nil
}

// reply asks the orchestrator's model, which may delegate, or the bare model that is
// the participant of the chat.
func (o *Orchestrator) reply(ctx context.Context, t *turn) ([]order, *ask.Reply, error) {
	p := o.orchestratorPrompt(t)
	if kind, id := nestor.ParseParticipant(t.chat.Participant); kind == nestor.KindModel {
		p.Connection, p.System, p.MaxTokens = id, t.chat.SystemPrompt, 0
		p.Turns = append(p.Turns, t.dialogue.Asked("")...)
		r, err := o.Asker.Ask(ctx, p)
		if err == nil && r.Text == "" {
			r.Drop()
			err = nestor.Errorf(nestor.CodeUnavailable, "the model gave an empty reply")
		}
		return nil, r, err
	}
	p.Turns = append(p.Turns, t.dialogue.Asked(stateBlock(t.tasks, t.chat.ForkedFrom != nil)+"\n# Message\n")...)
	p.Tools = controltool.OfOrchestrator(o.Roles)
	return o.delegate(ctx, t, p)
}

// readTurn returns nil if the chat is gone, or the job has written its message.
func (o *Orchestrator) readTurn(ctx context.Context, job *nestor.Job, path nestor.Path) (t *turn, err error) {
	err = o.Store.View(ctx, func(r store.Reader) error {
		t = nil
		chat, err := store.Find[nestor.Chat](r, path)
		if err != nil || chat == nil {
			return err
		}
		t = &turn{job: job, path: path, chat: *chat}
		if written, err := chatdoc.Exists(r, t.messagePath()); err != nil || written {
			t = nil
			return err
		}
		if t.dialogue, err = conversation.ReadDialogue(r, path); err != nil {
			return err
		}
		if t.tasks, err = readState(r, path); err != nil {
			return err
		}
		return o.bill(r, t, t.dialogue.Authors(path))
	})
	return t, err
}

// bill says for whom a turn is, and whose budgets bound it.
func (o *Orchestrator) bill(r store.Reader, t *turn, askers nestor.Askers) error {
	scopes, err := o.Billing.AllOf(r, t.path, "", askers.Or(t.path.UserID()).Payer())
	if err == nil {
		t.unpaid, err = billing.UnpaidAt(r, t.path, askers)
	}
	t.askers, t.scopes = askers, scopes
	return err
}

// orchestratorPrompt is the chat's history below instructions that stay the
// same from call to call, so that a provider can keep them.
func (o *Orchestrator) orchestratorPrompt(t *turn) ask.Prompt {
	connection := t.chat.ModelConnectionID
	if own := o.Roles.Orchestrator.ModelConnectionID; own != "" {
		connection = own
	}
	system := o.Roles.Orchestrator.Instructions
	if t.chat.SystemPrompt != "" {
		system += "\n\n" + t.chat.SystemPrompt
	}
	return ask.Prompt{
		Job: t.job, Connection: connection, System: system, Turns: t.dialogue.Turns(),
		MaxTokens: o.Roles.Orchestrator.MaxTokens, Scopes: t.scopes, Unpaid: t.unpaid, Draft: feed.Draft{Path: t.messagePath()},
		Keep: func(ctx context.Context, s *condense.Summary, meta *nestor.MessageMetadata) error {
			return o.keepChatSummary(ctx, t, s, meta)
		},
	}
}

// keepChatSummary stores a summary as a message of the chat. The messages that
// it covers stay.
func (o *Orchestrator) keepChatSummary(ctx context.Context, t *turn, s *condense.Summary, meta *nestor.MessageMetadata) error {
	chat := t.path
	path := chat.Child("messages", nestor.DeriveID("summary", s.Through))
	known := slices.ContainsFunc(t.dialogue.History, func(m nestor.Message) bool { return m.ID == path.ID() })
	return o.Store.Update(ctx, func(tx store.Tx) error {
		if err := ask.Unmade(tx, path, known); err != nil {
			return err
		}
		if err := ask.SettleSummary(tx, t.job, t.scopes, meta); err != nil {
			return err
		}
		if err := chatdoc.Save(tx, path, nestor.Message{
			Role: nestor.RoleSystem, Type: nestor.MessageSummary, Content: s.Text, RepliesTo: s.Through,
			IsLLMMessage: new(true), Metadata: meta,
		}); err != nil {
			return err
		}
		return billing.Charge(tx, chat, t.askers, budget.Used{Model: s.Model, Usage: *meta.Usage, CostMicros: meta.CostMicros, Calls: s.Calls, Role: nestor.KindOrchestrator})
	})
}

// maxRounds is how often the model may correct calls that made no sense.
const maxRounds = 4

// delegate asks the model until all of its calls make sense. Nothing is carried
// out before that, and then everything is.
func (o *Orchestrator) delegate(ctx context.Context, t *turn, p ask.Prompt) ([]order, *ask.Reply, error) {
	var plan []order
	var sum *ask.Reply
	for range maxRounds {
		r, err := o.Asker.Ask(ctx, p)
		if sum != nil && errors.Is(err, nestor.ErrOverBudget) {
			break // what makes no sense is left out
		}
		var no *ask.Refusal
		if errors.As(err, &no) {
			no.Reply = joined(sum, no.Reply)
		}
		var part *ask.Partial
		if errors.As(err, &part) {
			part.Reply = joined(sum, part.Reply)
		} else if err != nil && sum != nil && interrupt.Happened(ctx) {
			return nil, nil, &ask.Partial{Reply: sum}
		}
		if err != nil {
			return nil, nil, err
		}
		said := llm.Message{Role: llm.RoleAssistant, Parts: partsOf(r)}
		sum = joined(sum, r)
		result := llm.Message{Role: llm.RoleTool}
		wrong := false
		for i := range r.Calls {
			c := &r.Calls[i]
			content := "Accepted."
			next, err := o.understand(t, c)
			if err != nil {
				content, wrong = err.Error(), true
			} else {
				plan = append(plan, next)
			}
			result.Parts = append(result.Parts, llm.ToolResult{CallID: c.ID, Name: c.Name, Content: content, IsError: err != nil})
		}
		if !wrong {
			break
		}
		p.Before = sum.Used.Amount()
		if p.Writer = r.Draft; sum.Text != "" {
			p.Gap = betweenReplies
		}
		p.Turns = append(p.Turns,
			condense.Turn{ID: "round", Message: said},
			condense.Turn{ID: "round", Message: result})
	}
	if sum.Text == "" {
		sum.Text = acknowledgement(plan)
	}
	return plan, sum, nil
}

func partsOf(r *ask.Reply) []llm.Part {
	return conversation.AssistantTurn(r.Text, conversation.Requests(r.Calls, func(i int) string { return r.Calls[i].ID }), r.Meta).Parts
}

// betweenReplies stands between the texts of replies that are one.
const betweenReplies = "\n\n"

// joined is two replies of one turn as one.
func joined(first, second *ask.Reply) *ask.Reply {
	if first == nil {
		return second
	}
	second.Text = strings.TrimSpace(first.Text + betweenReplies + second.Text)
	second.Took += first.Took
	second.Used.Calls += first.Used.Calls
	second.Used.Usage = *second.Used.Usage.Add(&first.Used.Usage)
	second.Used.CostMicros += first.Used.CostMicros
	second.Meta.Usage, second.Meta.CostMicros = &second.Used.Usage, second.Used.CostMicros
	second.Meta.DurationMS, second.Meta.FirstMS = second.Took.Milliseconds(), first.Meta.FirstMS
	return second
}

// answerUser writes the answer and carries out what the orchestrator ordered,
// in one transaction.
func (o *Orchestrator) answerUser(t *turn, r *ask.Reply, plan []order) worker.Effect {
	return func(tx store.Tx) error {
		d, err := conversation.ReadDialogue(tx, t.path)
		if err != nil {
			return err
		}
		if !d.Asks(t.dialogue) { // the user said more, or stopped it: the next job answers, if any is to
			return t.keepPartial(tx, o, r)
		}
		if err := o.pay(tx, t, r); err != nil {
			return err
		}
		message := nestor.Message{
			Role: nestor.RoleAssistant, Type: nestor.MessageText, Content: r.Text, IsLLMMessage: new(true),
			RepliesTo: d.Newest(), Answers: d.Older(), Metadata: r.Meta,
		}
		if len(plan) > 0 {
			if err := lifecycle.Together(tx, t.job.Run, d.Open); err != nil {
				return err
			}
		}
		for i, next := range plan {
			note, err := o.carryOut(tx, t, next, i)
			if err != nil {
				return err
			}
			message.Content += note
			message.ToolCalls = conversation.AppendRequest(message.ToolCalls, t.job.DeriveID("call", strconv.Itoa(i)), next.call)
		}
		_, err = tx.Create(t.messagePath(), message)
		return err
	}
}

// pay settles the budget and adds what the answer took to the totals. A message
// tells the same.
func (o *Orchestrator) pay(tx store.Tx, t *turn, r *ask.Reply) error {
	if err := o.Billing.Settle(tx, t.job, t.scopes, t.askers, r.Used); err != nil {
		return err
	}
	return billing.Charge(tx, t.path, t.askers, r.Used.As(nestor.KindOrchestrator))
}

// payUnsaid pays for a reply of which no message tells.
func (o *Orchestrator) payUnsaid(tx store.Tx, t *turn, r *ask.Reply) error {
	if err := o.Billing.Settle(tx, t.job, t.scopes, t.askers, r.Used); err != nil {
		return err
	}
	return billing.ChargeUnsaid(tx, t.path, t.job.Run, t.askers, r.Used.As(nestor.KindOrchestrator))
}

// apologise tells the user why there is no answer.
func (t *turn) apologise(cause error) worker.Effect {
	return t.apologiseAt(t.path.Child("messages", t.job.DeriveID("failure")), cause)
}

func (t *turn) apologiseAt(message nestor.Path, cause error) worker.Effect {
	return func(tx store.Tx) error {
		if written, err := chatdoc.Exists(tx, message); err != nil || written {
			return err
		}
		return chatdoc.Save(tx, message, nestor.Message{
			Role: nestor.RoleSystem, Type: nestor.MessageError, RepliesTo: t.dialogue.Newest(),
			Content: fmt.Sprintf("This could not be answered: %s", wording.Reason(t.job, cause)), Metadata: ask.Unsaid(cause),
		})
	}
}

// OrchestrateFailed tells the user why there is no answer.
func (o *Orchestrator) OrchestrateFailed(job *nestor.Job, cause error) worker.Effect {
	return func(tx store.Tx) error {
		path := chatdoc.ChatOf(job.Change.Path)
		d, err := conversation.ReadDialogue(tx, path)
		if err != nil {
			return err
		}
		return (&turn{job: job, path: path, dialogue: d}).apologise(cause)(tx)
	}
}
