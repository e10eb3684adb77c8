package agent

import (
	"context"
	_ "embed"
	"errors"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

//go:embed prompts/title.md
var titlePrompt string

// title names a chat after its first message, once. A title that the user gave
// stays.
func (a *Orchestrator) title(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	t, said, err := a.readUntitled(ctx, job)
	if err != nil || t == nil {
		return nil, err
	}
	r, err := a.Asker.generate(ctx, prompt{
		job: job, connection: t.chat.ModelConnectionID, system: titlePrompt, maxTokens: 200, scopes: t.scopes,
		turns: []condense.Turn{{ID: "message", Message: userTurn(excerpt(said, 2_000))}},
	})
	var no *refusal
	switch {
	case errors.As(err, &no):
		return t.without(a, no.reply, setTitle(t.path, firstWords(said))), nil
	case errors.Is(err, nestor.ErrOverBudget):
		return instead(job, t.scopes, setTitle(t.path, firstWords(said))), nil
	case err != nil:
		return nil, err
	}
	name := cleanTitle(r.text)
	if name == "" {
		name = firstWords(said)
	}
	return func(tx store.Tx) error {
		if err := a.pay(tx, t, r); err != nil {
			return err
		}
		return setTitle(t.path, name)(tx)
	}, nil
}

// readUntitled returns nil for a chat that has a title.
func (a *Orchestrator) readUntitled(ctx context.Context, job *nestor.Job) (t *turn, said string, err error) {
	path := chatOf(job.Change.Path)
	err = a.Store.View(ctx, func(r store.Reader) error {
		t = nil
		chat, err := store.Find[nestor.Chat](r, path)
		if err != nil || chat == nil || chat.Title != "" || chat.TitleGenerated {
			return err
		}
		message, err := store.Find[nestor.Message](r, job.Change.Path)
		if err != nil || message == nil {
			return err
		}
		t, said = &turn{job: job, path: path, chat: *chat}, message.Content
		return a.bill(r, t, authorOf(message))
	})
	return t, said, err
}

func setTitle(chat nestor.Path, title string) worker.Effect {
	return func(tx store.Tx) error {
		c, err := store.Find[nestor.Chat](tx, chat)
		if err != nil || c == nil || c.Title != "" || c.TitleGenerated {
			return err
		}
		c.Title, c.TitleGenerated = title, true
		return save(tx, chat, c)
	}
}

// titleFailed takes the first words, so that the chat has a name.
func (a *Orchestrator) titleFailed(job *nestor.Job, _ error) worker.Effect {
	return func(tx store.Tx) error {
		message, err := store.Find[nestor.Message](tx, job.Change.Path)
		if err != nil || message == nil {
			return err
		}
		return setTitle(chatOf(job.Change.Path), firstWords(message.Content))(tx)
	}
}

// authorOf is who wrote a message, nobody if there is none.
func authorOf(m *nestor.Message) nestor.Askers {
	if m == nil || m.AuthorID == "" {
		return nil
	}
	return nestor.Askers{m.AuthorID}
}

const (
	titleWords  = 5
	titleLength = 60
)

// cleanTitle keeps what a model should have said: the first line, without marks
// around it, at most five words.
func cleanTitle(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return firstWords(strings.Trim(s, " \t\"'`*#.:“”„‘’«»"))
}

func firstWords(s string) string {
	words := strings.Fields(s)
	return excerpt(strings.Join(words[:min(len(words), titleWords)], " "), titleLength)
}
