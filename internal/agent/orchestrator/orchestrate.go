package orchestrator

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/ask"
	"github.com/nestorhq/nestor/internal/agent/billing"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/agent/toolrun"
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
	Toolbox    *toolrun.Toolbox
	// Files keeps what tools return. May be nil.
	Files *toolrun.Files
}

// Orchestrate answers everything the user said that is not answered yet, in
// one message. Of two messages in quick succession the first job to run
// answers both, and the other finds nothing to do; an answer that was under
// way when the second came is given up in favour of one that sees both.
func (o *Orchestrator) Orchestrate(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	ctx, work := o.Interrupts.Begin(ctx, chatdoc.ChatOf(job.Change.Path))
	defer work.Done()
	t, err := o.readTurn(ctx, job, answer)
	if err != nil || t == nil || len(t.dialogue.Open) == 0 {
		return nil, err
	}
	work.Seen(t.dialogue.Seen())
	if kind, id := nestor.ParseParticipant(t.chat.Participant); kind == nestor.KindModel {
		return o.answerBare(ctx, t, id)
	}
	return o.take(ctx, t)
}

// answerBare has the model answer that is the participant of the chat, without
// instructions or tools of ours.
func (o *Orchestrator) answerBare(ctx context.Context, t *turn, connection string) (worker.Effect, error) {
	p := o.prompt(t)
	p.Connection, p.System, p.MaxTokens = connection, t.chat.SystemPrompt, 0
	p.Turns = append(t.dialogue.Turns(), t.dialogue.Asked("")...)
	r, err := o.Asker.Ask(ctx, p)
	if err != nil {
		return o.untaken(t).Effect(ctx, err)
	}
	return o.answerUser(t, r, nil), nil
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
		if r.Text == "" && len(plan) == 0 {
			return t.addNothing(tx, r)
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
			note, err := o.carryOut(tx, t, plan, i)
			if err != nil {
				return err
			}
			message.Content += note
			message.ToolCalls = conversation.AppendRequest(message.ToolCalls, t.callID(i), next.call)
		}
		_, err = tx.Create(t.messagePath(), message)
		return err
	}
}

// addNothing ends a turn without a word, since the results say it all.
func (t *turn) addNothing(tx store.Tx, r *ask.Reply) error {
	r.Drop()
	message := nestor.Message{Role: nestor.RoleAssistant, Type: nestor.MessageToolCall, IsLLMMessage: new(true), Metadata: r.Meta}
	message.ToolCalls = conversation.AppendRequest(nil, t.callID(0), llm.ToolCall{Name: controltool.NothingToAdd, Arguments: "{}"})
	if _, err := tx.Create(t.messagePath(), message); err != nil {
		return err
	}
	return chatdoc.Save(tx, t.path.Child("messages", nestor.DeriveID("result", t.callID(0))), nestor.Message{
		Role: nestor.RoleTool, Type: nestor.MessageToolResult, Content: nothingAdded, ToolCallID: t.callID(0), IsLLMMessage: new(true),
	})
}

const nothingAdded = "Nothing is added."

// addsNothing reports whether a message ends a turn without a word.
func addsNothing(m *nestor.Message) bool {
	return len(m.ToolCalls) == 1 && m.ToolCalls[0].Function.Name == controltool.NothingToAdd
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
