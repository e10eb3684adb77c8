package remote

import (
	"context"
	"strconv"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
)

// noteAt is where it is written what is known of the remote task of an agent.
func noteAt(agent nestor.Path) nestor.Path { return agent.Child("remote-tasks", "current") }

// prepare reads what is known of the remote task and, if there is something to send,
// writes down what: before it is sent.
func (x *exchange) prepare(ctx context.Context) error {
	x.accepted = make(chan struct{})
	var known *nestor.RemoteTask
	if err := x.agents.store.View(ctx, func(r store.Reader) (err error) {
		known, err = store.Find[nestor.RemoteTask](r, noteAt(x.Agent))
		return err
	}); err != nil {
		return err
	}
	if known != nil {
		x.note = *known
	}
	if x.note.SentUpTo == x.Newest && !ended(x.note.State) {
		if x.note.Accepted {
			close(x.accepted)
		}
		return nil // an earlier attempt at the step sent it, or was about to
	}
	next := nestor.RemoteTask{SentUpTo: x.Newest, SentAfter: x.note.SentUpTo, ContextID: x.note.ContextID, Attempt: x.note.Attempt}
	switch {
	case x.note.SentUpTo == x.Newest: // somebody has it tried again
		next.SentAfter, next.Attempt = x.note.SentAfter, x.note.Attempt+1
	case x.note.State == string(a2a.TaskStateInputRequired) || x.note.State == string(a2a.TaskStateWorking):
		next.TaskID = x.note.TaskID
	}
	next.MessageID = nestor.DeriveID("a2a", string(x.Agent), x.Newest, strconv.Itoa(next.Attempt))
	return x.keep(ctx, func(n *nestor.RemoteTask) { *n = next })
}

// ended reports whether a remote task was given up: what is said next begins another one.
func ended(state string) bool { return state == string(a2a.TaskStateCanceled) }

// keep changes what is known of the remote task.
func (x *exchange) keep(ctx context.Context, change func(*nestor.RemoteTask)) error {
	change(&x.note)
	return x.agents.store.Update(ctx, func(tx store.Tx) error {
		if agent, err := store.FindDocument(tx, x.Agent); err != nil || agent == nil {
			return err // it was deleted
		}
		_, err := tx.Put(noteAt(x.Agent), x.note, store.AnyVersion)
		return err
	})
}

// unsent is what was said to the agent since the remote one was sent something.
func (x *exchange) unsent() string {
	from := 0
	for i, turn := range x.Turns {
		if turn.ID == x.note.SentAfter || turn.Message.Role == llm.RoleAssistant {
			from = i + 1
		}
	}
	var texts []string
	for _, said := range x.said[min(from, len(x.said)):] {
		if said.Role != llm.RoleUser {
			continue
		}
		for _, part := range said.Parts {
			if text, ok := part.(llm.Text); ok && text.Text != "" {
				texts = append(texts, text.Text)
			}
		}
	}
	return strings.Join(texts, "\n\n")
}
