package agent

import (
	"errors"
	"slices"
	"strings"

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
