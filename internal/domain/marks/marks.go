// Package marks is the domain of marks: what one person keeps about a chat for
// themselves. Whether it is pinned, in which folder it lies and how far it was seen is
// nobody else's, also of a chat that several people share, so none of it stands in the
// chat.
package marks

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// ChatMark is what a person keeps about a chat, stored below the person at
// chat-marks/{id}. Its id is that of the chat.
type ChatMark struct {
	nestor.Meta
	UserID string `json:"userId,omitempty"`
	// OwnerID is whose chat it is.
	OwnerID string `json:"ownerId"`
	Pinned  bool   `json:"pinned,omitempty"`
	// Folder is where the person put the chat.
	Folder string `json:"folder,omitempty"`
	// SeenAt is up to when the person has seen what happened in the chat, in Unix
	// milliseconds of the server.
	SeenAt int64 `json:"seenAt,omitempty"`
}

// Collection has the marks of all people. The server alone writes them, so that there
// are none of chats that a person may not read.
var Collection = func() *store.Collection {
	c := store.NewCollection[ChatMark]("chat_marks", nil, "users/{userId}/chat-marks/{id}",
		store.Column[string]("ownerId").Chars(1, nestor.MaxIDLength), store.Column[string]("folder").Chars(0, maxFolder))
	c.ServerWrites = true
	c.Indexes = [][]string{{"ownerId"}}
	return c
}()

// maxFolder is how many characters the name of a folder has at most.
const maxFolder = 100

const forgetStage = "forget-marks"

// Module is the domain of marks.
var Module = module.Of[Marks]{
	Name:        "marks",
	Collections: []*store.Collection{Collection},
	Reactions: []nestor.Trigger{{
		ID: "chat-of-marks-deleted", Collection: "users/*/orch-chats", Events: []nestor.ChangeType{nestor.Delete}, Action: "POST /webhook/" + forgetStage,
	}},
	Handlers: []module.Handler[Marks]{
		{Stage: trigger.Stage{Name: forgetStage, Key: "marks-of:{path}"}, Run: Marks.forget},
	},
	Tag: httpapi.Chats,
	Routes: []module.Route[Marks]{{Do: Marks.patch, Route: httpapi.Route{
		Pattern: "PATCH /api/v1/chats/{chat}/mark", ID: "markChat", Summary: "Pin a chat, put it into a folder, or say how far it was seen, for oneself",
		Description: "Nobody else sees it, also where several people share the chat. What is left out stays, and seenAt only ever rises.",
		Body:        newMark{}, Answer: ChatMark{}, Example: `{"pinned":true,"folder":"Sums","seenAt":1767225600000}`, Query: []httpapi.Parameter{httpapi.UserParameter},
	}}},
	Open: func(context.Context, module.Host) (Marks, error) { return Marks{}, nil },
}

// Marks has the handlers and routes of the module as its methods.
type Marks struct{}

// newMark is what a person says about a chat. What they do not say stays as it is.
type newMark struct {
	Pinned *bool `json:"pinned,omitempty"`
	// Folder is removed by an empty text.
	Folder *string `json:"folder,omitempty"`
	// SeenAt only ever rises: a device that was away does not take back what was seen on
	// another.
	SeenAt *int64 `json:"seenAt,omitempty"`
}

func (c *newMark) check() error {
	if c.Folder != nil {
		*c.Folder = strings.Join(strings.Fields(*c.Folder), " ")
		if utf8.RuneCountInString(*c.Folder) > maxFolder {
			return nestor.Errorf(nestor.CodeInvalid, "the name of a folder has at most %d characters", maxFolder).With("field", "folder")
		}
	}
	if c.SeenAt != nil && *c.SeenAt < 0 {
		return nestor.Errorf(nestor.CodeInvalid, "seenAt is a time in Unix milliseconds").With("field", "seenAt")
	}
	return nil
}

func (c *newMark) apply(m ChatMark) ChatMark {
	if c.Pinned != nil {
		m.Pinned = *c.Pinned
	}
	if c.Folder != nil {
		m.Folder = *c.Folder
	}
	if c.SeenAt != nil {
		m.SeenAt = max(m.SeenAt, *c.SeenAt)
	}
	return m
}

// patch changes the mark of the caller, whoever's the chat is. What changes nothing
// writes nothing.
func (Marks) patch(r *httpapi.Request) (any, error) {
	var said newMark
	if err := r.Decode(&said); err != nil {
		return nil, err
	}
	if err := said.check(); err != nil {
		return nil, err
	}
	chat, err := r.Chat()
	if err != nil {
		return nil, err
	}
	if _, err := r.Get(chat); err != nil {
		return nil, err
	}
	p, err := nestor.ParsePath("users/" + r.UserID() + "/chat-marks/" + chat.ID())
	if err != nil {
		return nil, err
	}
	return r.WriteRecord(p, func(tx store.Tx) (*nestor.Document, error) {
		d, err := store.FindDocument(tx, p)
		if err != nil {
			return nil, err
		}
		var before ChatMark
		if d != nil {
			if before, err = nestor.As[ChatMark](d); err != nil {
				return nil, err
			}
		}
		after := said.apply(before)
		if after.OwnerID = chat.UserID(); d != nil && after == before {
			return d, nil
		}
		return tx.Put(p, after, store.AnyVersion)
	})
}

// forget deletes everybody's marks of a chat that was deleted.
func (Marks) forget(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	chat := job.Change.Path
	return func(tx store.Tx) error {
		page, err := tx.Query(store.Query{Flat: Collection.Name, Limit: store.MaxLimit, Where: &store.Filter{And: []store.Filter{
			*store.Where("ownerId", store.Eq, chat.UserID()), *store.Where("id", store.Eq, chat.ID()),
		}}})
		if err != nil {
			return err
		}
		for _, d := range page.Items {
			if err := tx.Delete(d.Path, store.AnyVersion); err != nil {
				return err
			}
		}
		return nil
	}, nil
}
