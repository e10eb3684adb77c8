package agent

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// chatOf is the chat that a document lies in or is.
func chatOf(p nestor.Path) nestor.Path {
	end := 0
	for range 4 {
		next := strings.IndexByte(string(p[end:]), '/')
		if next < 0 {
			return p
		}
		end += next + 1
	}
	return p[:end-1]
}

// agentOf is the agent that a message or a call belongs to, or p if that is one.
func agentOf(p nestor.Path) nestor.Path {
	if store.SubAgents.Has(p) {
		return p
	}
	return p.Parent()
}

func taskPath(chat nestor.Path, id string) nestor.Path  { return chat.Child("tasks", id) }
func agentPath(chat nestor.Path, id string) nestor.Path { return chat.Child("sub-agents", id) }

// get decodes the document at p.
func get[T any](r store.Reader, p nestor.Path) (T, error) {
	d, err := r.Get(p)
	if err != nil {
		var none T
		return none, err
	}
	return nestor.As[T](d)
}

// save writes a document that the transaction has read, or makes it.
func save(tx store.Tx, p nestor.Path, v any) error {
	_, err := tx.Put(p, v, store.AnyVersion)
	return err
}

// exists reports whether there is a document at p.
func exists(r store.Reader, p nestor.Path) (bool, error) {
	_, err := r.Get(p)
	if errors.Is(err, nestor.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// all decodes the documents that q asks for, all pages of them.
func all[T any](r store.Reader, q store.Query) ([]T, error) {
	var list []T
	q.Limit = store.MaxLimit
	for {
		page, err := r.Query(q)
		if err != nil {
			return nil, err
		}
		list = slices.Grow(list, len(page.Items))
		for _, d := range page.Items {
			v, err := nestor.As[T](d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return list, nil
		}
	}
}

func messagesOf(parent nestor.Path) store.Query {
	return store.Query{Collection: string(parent) + "/messages"}
}

func callsOf(agent nestor.Path) store.Query {
	return store.Query{Collection: string(agent) + "/tool-calls"}
}

func tasksOf(chat nestor.Path) store.Query {
	return store.Query{Collection: string(chat) + "/tasks"}
}

// encode is the JSON of a value that always has one: texts, and what is made of
// them.
func encode(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

func now() int64 { return nestor.Millis(time.Now()) }
