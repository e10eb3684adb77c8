package orchestrator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/ask"
	"github.com/nestorhq/nestor/internal/agent/billing"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// turn is what the orchestrator knows when it speaks: because people said something,
// because agents have ended, or because one asks.
type turn struct {
	job      *nestor.Job
	path     nestor.Path // of the chat
	chat     nestor.Chat
	dialogue *conversation.Dialogue
	tasks    []known
	// follows: an agent was ordered that needs the result of another one first.
	follows bool
	// event is what the turn is about, if it is not what people said.
	event string
	// of tells the messages of this turn from others of its job, and reply counts
	// them: each reply that calls tools is one, and the last is the answer.
	of    string
	reply int
	// askers are those for whom it is. The last of them pays: scopes has their budget.
	askers nestor.Askers
	scopes []budget.Scope
	// unpaid says why nobody pays for the turn, nil if somebody does.
	unpaid error
	now    time.Time
}

// The turns of a job.
const (
	answer     = "answer"
	conclusion = "conclusion"
)

func (t *turn) messagePath() nestor.Path {
	of := []string{cmp.Or(t.of, answer)}
	if t.reply > 0 {
		of = append(of, strconv.Itoa(t.reply))
	}
	return t.path.Child("messages", t.job.DeriveID(of...))
}

// readTurn returns nil if the chat is gone, or the job has said what it has to.
func (o *Orchestrator) readTurn(ctx context.Context, job *nestor.Job, of string) (t *turn, err error) {
	path := chatdoc.ChatOf(job.Change.Path)
	err = o.Store.View(ctx, func(r store.Reader) error {
		t = nil
		chat, err := store.Find[nestor.Chat](r, path)
		if err != nil || chat == nil {
			return err
		}
		next := &turn{job: job, path: path, chat: *chat, of: of, now: time.Now()}
		for {
			said, err := store.Find[nestor.Message](r, next.messagePath())
			if err != nil {
				return err
			}
			if said == nil {
				break
			}
			if said.Type != nestor.MessageToolCall || addsNothing(said) {
				return nil
			}
			next.reply++
		}
		if next.dialogue, err = conversation.ReadDialogue(r, path); err != nil {
			return err
		}
		if next.tasks, err = readState(r, path); err != nil {
			return err
		}
		t = next
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

// take makes the turn: the model is asked until it has an answer, which is written
// together with all that it orders.
func (o *Orchestrator) take(ctx context.Context, t *turn) (worker.Effect, error) {
	plan, r, err := o.converse(ctx, t, o.prompt(t))
	var vain *unable
	if errors.As(err, &vain) {
		return t.gaveUp(o, vain), nil
	}
	if err != nil {
		return o.untaken(t).Effect(ctx, err)
	}
	return o.answerUser(t, r, plan), nil
}

// prompt is the chat's history below instructions that stay the same from call to
// call, so that a provider can keep them. What changes comes last.
func (o *Orchestrator) prompt(t *turn) ask.Prompt {
	system := o.Roles.Orchestrator.Instructions
	if t.chat.SystemPrompt != "" {
		system += "\n\n" + t.chat.SystemPrompt
	}
	state := stateBlock(t.tasks, t.chat.ForkedFrom != nil, t.now)
	if t.event != "" {
		state += "\n# Event\n" + t.event
	}
	turns := t.dialogue.Turns()
	if len(t.dialogue.Open) == 0 {
		turns = append(turns, condense.Turn{ID: "event", Message: conversation.UserTurn(state)})
	} else {
		turns = append(turns, t.dialogue.Asked(state+"\n# Message\n")...)
	}
	return ask.Prompt{
		Job: t.job, Connection: cmp.Or(o.Roles.Orchestrator.ModelConnectionID, t.chat.ModelConnectionID), System: system, Turns: turns,
		MaxTokens: o.Roles.Orchestrator.MaxTokens, Scopes: t.scopes, Unpaid: t.unpaid, Draft: feed.Draft{Path: t.messagePath()}, MayBeEmpty: t.of == conclusion,
		Keep: func(ctx context.Context, s *condense.Summary, meta *nestor.MessageMetadata) error {
			return o.keepChatSummary(ctx, t, s, meta)
		},
	}
}

// offer are the tools that the model may call.
func (o *Orchestrator) offer(ctx context.Context, t *turn) []llm.Tool {
	control := controltool.OfOrchestrator(o.Roles, hasAgents(t.tasks))
	if t.of == conclusion {
		control = append(control, controltool.Nothing())
	}
	return o.Toolbox.OfOrchestrator(ctx).OfferWith(control)
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
	id := t.job.DeriveID("failure")
	if t.of == conclusion {
		id = t.job.DeriveID("unconcluded")
	}
	return t.apologiseAt(t.path.Child("messages", id), cause)
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
