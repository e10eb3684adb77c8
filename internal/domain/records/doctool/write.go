package doctool

import (
	"context"
	"errors"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/onbehalf"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/domain/records/version"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
)

const writeDescription = `Writes one of the user's text documents, in Markdown: a new one, or with based_on the next version of one, as a whole. All versions are kept. If somebody saved another version meanwhile, the call fails and names it: read it, merge, and write again. It returns the id of the version and a link: give the user the link, as [title](link).`

type writeInput struct {
	Title   string `json:"title,omitempty" jsonschema:"needed for a new document"`
	Content string `json:"content" jsonschema:"the whole text"`
	BasedOn string `json:"based_on,omitempty" jsonschema:"id of the version that you read and changed"`
}

// written is the version that a call made.
type written struct {
	ID       string `json:"id"`
	Document string `json:"document"`
	Title    string `json:"title"`
	Version  int64  `json:"version"`
	// Link is where the user reads it.
	Link string `json:"link"`
}

// rivals is how often a call is tried because others saved at the same moment. The
// second time it finds what they saved, or that it was another run of itself.
const rivals = 3

func writeTool(s store.Documents) *tool.Tool {
	spec := tool.Spec{Name: Write, Description: writeDescription, Effect: tool.Idempotent, Source: source}
	return tool.Func(spec, func(ctx context.Context, call tool.Call, in writeInput) (out written, err error) {
		person, err := onbehalf.Of(ctx, s, call.Scope)
		if err != nil {
			return written{}, err
		}
		for range rivals {
			err = s.Update(ctx, func(tx store.Tx) error {
				by, err := author(tx, person.UserID, call)
				if err != nil {
					return err
				}
				d, err := write(person.Tx(tx), by, call, in)
				if err != nil {
					return err
				}
				v, err := nestor.As[record.TextDocument](d)
				out = written{ID: v.ID, Document: v.FirstID, Title: v.Title, Version: v.Number, Link: "/documents/" + v.FirstID}
				return err
			})
			if !errors.Is(err, nestor.ErrExists) && !errors.Is(err, nestor.ErrConflict) {
				break
			}
		}
		return out, err
	})
}

// write makes the version, or finds that an earlier run of the call has made it.
func write(tx store.Tx, by record.Author, call tool.Call, in writeInput) (*nestor.Document, error) {
	userID := by.UserID
	id := nestor.DeriveID("write_document", call.ChatID, call.SubAgentID, call.IdempotencyKey)
	if d, err := store.FindDocument(tx, at(userID, id)); err != nil || d != nil {
		return d, err
	}
	title := strings.TrimSpace(in.Title)
	if in.BasedOn == "" {
		if title == "" {
			return nil, nestor.Errorf(nestor.CodeInvalid, "a new document needs a title; for the next version of a document give based_on")
		}
		same, err := exactly(tx, userID, title)
		if err != nil {
			return nil, err
		}
		if len(same) > 0 {
			return nil, nestor.Errorf(nestor.CodeConflict,
				"there is a document with the title %q: read it with read_document and give based_on %s, or choose another title", title, same[0].ID)
		}
		return tx.Create(at(userID, id), version.First(at(userID, id), title, in.Content, by))
	}
	if err := nestor.CheckID(in.BasedOn); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "based_on is the id of a version: %w", err)
	}
	next := version.Text{ID: id, Content: in.Content, By: by}
	if title != "" {
		next.Title = &title
	}
	d, err := version.Next(tx, at(userID, in.BasedOn), next)
	switch {
	case errors.Is(err, nestor.ErrNotFound):
		return nil, nestor.Errorf(nestor.CodeNotFound, "there is no version %s: find the document with read_document", in.BasedOn)
	case errors.Is(err, nestor.ErrConflict):
		return nil, newer(err)
	}
	return d, err
}

// newer words the conflict for a model: what it has to read and to base its text on.
func newer(err error) error {
	var known *nestor.Error
	if !errors.As(err, &known) || known.Details["newestId"] == nil {
		return err
	}
	id := known.Details["newestId"]
	return nestor.Errorf(nestor.CodeConflict,
		"somebody saved version %v of this document after the one you read: read it with read_document (id %v), put your changes into its text, and write again with based_on %v", id, id, id)
}

// author is whom a call writes for, with the agent that makes it.
func author(r store.Reader, userID string, call tool.Call) (record.Author, error) {
	by := record.Author{UserID: userID, ChatID: call.ChatID, SubAgentID: call.SubAgentID}
	if call.ChatID == "" || call.SubAgentID == "" {
		return by, nil
	}
	by.ToolCallID = call.ID
	agent, err := store.Find[nestor.SubAgent](r, record.Of(userID).Child("orch-chats", call.ChatID).Child("sub-agents", call.SubAgentID))
	if err != nil || agent == nil {
		return by, err
	}
	by.Role, by.TaskID = agent.Role, agent.TaskID
	return by, nil
}
