package chatdoc

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Get decodes the document at p.
func Get[T any](r store.Reader, p nestor.Path) (T, error) {
	d, err := r.Get(p)
	if err != nil {
		var none T
		return none, err
	}
	return nestor.As[T](d)
}

// Save writes a document that the transaction has read, or makes it.
func Save(tx store.Tx, p nestor.Path, v any) error {
	_, err := tx.Put(p, v, store.AnyVersion)
	return err
}

// Exists reports whether there is a document at p.
func Exists(r store.Reader, p nestor.Path) (bool, error) {
	_, err := r.Get(p)
	if errors.Is(err, nestor.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// All decodes the documents that q asks for, all pages of them.
func All[T any](r store.Reader, q store.Query) ([]T, error) {
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

// FindAgent returns nil for a task that has none yet.
func FindAgent(r store.Reader, chat nestor.Path, task *nestor.Task) (*nestor.SubAgent, error) {
	if task.SubAgentID == "" {
		return nil, nil
	}
	return store.Find[nestor.SubAgent](r, AgentPath(chat, task.SubAgentID))
}

// Encode is the JSON of a value that always has one: texts, and what is made of
// them.
func Encode(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

// Now is the time as documents have it.
func Now() int64 { return nestor.Millis(time.Now()) }
