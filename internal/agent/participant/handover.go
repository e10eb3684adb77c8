package participant

import (
	"context"
	"errors"
	"fmt"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// Handover gives messages of people to the participants of their chats.
type Handover struct {
	Store store.Documents
	*Set
}

// handed is what a message is handed over with.
type handed struct {
	job      *nestor.Job
	path     nestor.Path // of the chat
	chat     nestor.Chat
	dialogue *conversation.Dialogue
}

// HandOver gives a message to the participant of its chat. It reports false if the
// orchestrator or a model answers.
func (h *Handover) HandOver(ctx context.Context, job *nestor.Job) (worker.Effect, bool, error) {
	path := chatdoc.ChatOf(job.Change.Path)
	var chat *nestor.Chat
	if err := h.Store.View(ctx, func(r store.Reader) (err error) {
		chat, err = store.Find[nestor.Chat](r, path)
		return err
	}); err != nil || chat == nil {
		return nil, true, err
	}
	kind, _ := nestor.ParseParticipant(chat.Participant)
	if kind == nestor.KindOrchestrator || kind == nestor.KindModel {
		return nil, false, nil
	}
	return func(tx store.Tx) error {
		now, err := store.Find[nestor.Chat](tx, path)
		if err != nil || now == nil {
			return err
		}
		if now.Participant != chat.Participant {
			return nestor.Errorf(nestor.CodeConflict, "the chat got another participant meanwhile")
		}
		d, err := conversation.ReadDialogue(tx, path)
		if err != nil || len(d.Open) == 0 {
			return err // all is handed over, or answered
		}
		if err := lifecycle.Together(tx, job.Run, d.Open); err != nil {
			return err
		}
		return h.give(tx, &handed{job: job, path: path, chat: *now, dialogue: d})
	}, true, nil
}

func (h *Handover) give(tx store.Tx, to *handed) error {
	kind, id := nestor.ParseParticipant(to.chat.Participant)
	if kind == nestor.KindAgent {
		role, ok := h.Roles.Roles[id]
		if !ok {
			return to.refuse(tx, fmt.Sprintf("there is no role %q any more", id))
		}
		return h.toAgent(tx, to, id, role)
	}
	other := h.other(kind)
	if other == nil || other.Begin == nil {
		return to.refuse(tx, fmt.Sprintf("there is no participant %q", to.chat.Participant))
	}
	history := to.dialogue.History
	for _, m := range to.dialogue.Open {
		execution, err := other.Begin(tx, module.Said{ID: id, Chat: to.path, Message: m, SystemPrompt: to.chat.SystemPrompt, History: history})
		if known(err) {
			err = to.fail(tx, &m, err.Error())
		} else if err == nil {
			err = to.mark(tx, &m, execution)
		}
		if err != nil {
			return err
		}
		history = append(history[:len(history):len(history)], m)
	}
	return nil
}

// known reports whether an error says what is wrong with the participant or the message, as
// opposed to one of the store.
func known(err error) bool {
	return errors.Is(err, nestor.ErrInvalid) || errors.Is(err, nestor.ErrNotFound) || errors.Is(err, nestor.ErrForbidden)
}

// mark writes into a message who has it.
func (t *handed) mark(tx store.Tx, m *nestor.Message, executionID string) error {
	m.HandedTo, m.ExecutionID = t.chat.Participant, executionID
	return chatdoc.Save(tx, t.path.Child("messages", m.ID), m)
}

// refuse tells the chat why nobody answers what is open.
func (t *handed) refuse(tx store.Tx, reason string) error {
	for i := range t.dialogue.Open {
		if err := t.fail(tx, &t.dialogue.Open[i], reason); err != nil {
			return err
		}
	}
	return nil
}

// fail tells the chat why a message is not answered.
func (t *handed) fail(tx store.Tx, m *nestor.Message, reason string) error {
	if err := t.mark(tx, m, ""); err != nil {
		return err
	}
	return chatdoc.Save(tx, t.path.Child("messages", nestor.DeriveID("unanswered", m.ID)), nestor.Message{
		Role: nestor.RoleSystem, Type: nestor.MessageError, RepliesTo: m.ID, Content: "This could not be answered: " + wording.Excerpt(reason, 600),
	})
}

// Failed tells the chat that a message could not be handed over.
func (h *Handover) Failed(job *nestor.Job, cause error) worker.Effect {
	return func(tx store.Tx) error {
		path := chatdoc.ChatOf(job.Change.Path)
		d, err := conversation.ReadDialogue(tx, path)
		if err != nil {
			return err
		}
		chat, err := store.Find[nestor.Chat](tx, path)
		if err != nil || chat == nil {
			return err
		}
		return (&handed{job: job, path: path, chat: *chat, dialogue: d}).refuse(tx, wording.Reason(job, cause))
	}
}
