package runs

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	graphs "github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/store"
)

// ListedRun is a run in a list.
type ListedRun struct {
	nestor.Run
	// About is what began the run: the first words of the message or the task, or the name
	// of the graph. It is left out if the caller may not read that, or if it is gone.
	About string `json:"about,omitempty"`
}

// aboutLength is how many characters are told of what a run is about.
const aboutLength = 160

// aboutAtOnce is how many runs one query looks up.
const aboutAtOnce = 100

// tellAbout says of runs what they are about, as far as docs tells it. It asks a few times
// for all of them.
func tellAbout(docs store.Reader, user string, all []ListedRun) error {
	for some := range slices.Chunk(all, aboutAtOnce) {
		for _, of := range []struct {
			kind nestor.RunKind
			flat *store.Collection
			text func(*beginning) string
		}{
			{nestor.RunOfMessage, store.Messages, func(b *beginning) string { return b.Content }},
			{nestor.RunOfTask, store.Tasks, (*beginning).task},
			{nestor.RunOfGraph, graphs.Executions, func(b *beginning) string { return b.Name }},
		} {
			if err := lookUp(docs, user, some, of.kind, of.flat, of.text); err != nil {
				return err
			}
		}
	}
	return nil
}

// beginning is what a document that begins a run may say.
type beginning struct {
	ChatID      string `json:"chatId"`
	Content     string `json:"content"`
	Instruction string `json:"instruction"`
	Name        string `json:"name"`
	// Args are what a task of a tool calls it with.
	Args json.RawMessage `json:"args"`
}

// task is what a task is about: its instruction or, for a tool, the call.
func (b *beginning) task() string {
	if b.Instruction != "" {
		return b.Instruction
	}
	return strings.TrimPrefix(b.Name, "tool:") + " " + string(b.Args)
}

// lookUp says what runs of a kind are about. A message of the same id may be in several
// chats, so the chat counts, too.
func lookUp(docs store.Reader, user string, some []ListedRun, kind nestor.RunKind, flat *store.Collection, text func(*beginning) string) error {
	ids, chats := []string{}, []string{}
	for i := range some {
		if some[i].Kind == kind {
			ids = append(ids, some[i].Root.ID())
			if chat := some[i].ChatID; chat != "" && !slices.Contains(chats, chat) {
				chats = append(chats, chat)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	where := []store.Filter{*store.Where("userId", store.Eq, user), *store.Where("id", store.In, ids)}
	if len(chats) > 0 {
		where = append(where, *store.Where("chatId", store.In, chats))
	}
	q := store.Query{Flat: flat.Name, Where: &store.Filter{And: where}, Limit: store.MaxLimit}
	for {
		page, err := docs.Query(q)
		if nestor.CodeOf(err) == nestor.CodeForbidden {
			return nil
		}
		if err != nil {
			return err
		}
		for _, d := range page.Items {
			b, err := nestor.As[beginning](d)
			if err != nil {
				return err
			}
			for i := range some {
				if run := &some[i]; run.Kind == kind && run.Of(run.Root) == d.Path {
					run.About = excerpt(text(&b), aboutLength)
				}
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return nil
		}
	}
}

// excerpt is the beginning of a text, in a line of so many characters at most.
func excerpt(text string, most int) string {
	// The first bytes will do: a message may be long, and its line breaks become spaces.
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text[:min(len(text), 8*most)], "")), " ")
	n := 0
	for i := range text {
		if n++; n > most {
			return strings.TrimSpace(text[:i]) + "…"
		}
	}
	return text
}
