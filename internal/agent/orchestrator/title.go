package orchestrator

import (
	"context"
	_ "embed"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/ask"
	"github.com/nestorhq/nestor/internal/agent/billing"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// Title names a chat after its first message, once. A title that the user gave
// stays.
func (o *Orchestrator) Title(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	t, said, err := o.readUntitled(ctx, job)
	if err != nil || t == nil {
		return nil, err
	}
	r, err := o.Asker.Ask(ctx, ask.Prompt{
		Job: job, Connection: t.chat.ModelConnectionID, System: titlePrompt, MaxTokens: 200, Scopes: t.scopes, Unpaid: t.unpaid,
		Turns: []condense.Turn{{ID: "message", Message: conversation.UserTurn(wording.Excerpt(said, 2_000))}},
	})
	if err != nil {
		return t.instead(o, setTitle(t.path, firstWords(said))).Effect(ctx, err)
	}
	name := cleanTitle(r.Text)
	if name == "" {
		name = firstWords(said)
	}
	return func(tx store.Tx) error {
		if err := o.payUnsaid(tx, t, r); err != nil {
			return err
		}
		return setTitle(t.path, name)(tx)
	}, nil
}

// readUntitled returns nil for a chat that has a title.
func (o *Orchestrator) readUntitled(ctx context.Context, job *nestor.Job) (t *turn, said string, err error) {
	path := chatdoc.ChatOf(job.Change.Path)
	err = o.Store.View(ctx, func(r store.Reader) error {
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
		return o.bill(r, t, billing.AuthorOf(message))
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
		return chatdoc.Save(tx, chat, c)
	}
}

// TitleFailed takes the first words, so that the chat has a name.
func (o *Orchestrator) TitleFailed(job *nestor.Job, _ error) worker.Effect {
	return func(tx store.Tx) error {
		message, err := store.Find[nestor.Message](tx, job.Change.Path)
		if err != nil || message == nil {
			return err
		}
		return setTitle(chatdoc.ChatOf(job.Change.Path), firstWords(message.Content))(tx)
	}
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
	return wording.Excerpt(strings.Join(words[:min(len(words), titleWords)], " "), titleLength)
}

//go:embed title.md
var titlePrompt string
