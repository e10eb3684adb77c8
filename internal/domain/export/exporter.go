package export

import (
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// form is a kind of file. What is told comes in this order: the chat, its messages, its
// tasks, and each agent with its messages and calls.
type form interface {
	begin(*nestor.Chat) error
	message(*nestor.Message) error
	task(*nestor.Task) error
	agent(*nestor.SubAgent) error
	agentMessage(*nestor.SubAgentMessage) error
	call(*nestor.ToolCall) error
	end() error
}

// pages reads what the caller may read.
type pages interface {
	View(func(store.Reader) error) error
	ViewChat(chat nestor.Path, fn func(httpapi.Said) error) error
}

func reader(r *httpapi.Request) pages { return r }

// pageSize is how many documents are read at a time. Each may be large.
const pageSize = 50

type exporter struct {
	docs pages
	chat nestor.Chat
	path nestor.Path
	out  form
}

func (e *exporter) write(agents bool) error {
	if err := e.out.begin(&e.chat); err != nil {
		return err
	}
	if err := e.shared(); err != nil {
		return err
	}
	if err := each(e.docs, string(e.path)+"/messages", e.out.message); err != nil {
		return err
	}
	if agents {
		if err := e.agents(); err != nil {
			return err
		}
	}
	return e.out.end()
}

// errOwn ends the reading of what a chat shares.
var errOwn = errors.New("the chat's own messages begin")

// shared writes what a fork shares with the chat that it came from.
func (e *exporter) shared() error {
	if e.chat.ForkedFrom == nil {
		return nil
	}
	var said []nestor.Message
	err := e.docs.ViewChat(e.path, func(all httpapi.Said) error {
		said = nil
		return all(func(d *nestor.Document) error {
			if d.Path.Parent() == e.path && store.Messages.Has(d.Path) {
				return errOwn
			}
			m, err := nestor.As[nestor.Message](d)
			said = append(said, m)
			return err
		})
	})
	if err != nil && !errors.Is(err, errOwn) {
		return err
	}
	for i := range said {
		if err := e.out.message(&said[i]); err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) agents() error {
	if err := each(e.docs, string(e.path)+"/tasks", e.out.task); err != nil {
		return err
	}
	return each(e.docs, string(e.path)+"/sub-agents", func(a *nestor.SubAgent) error {
		if err := e.out.agent(a); err != nil {
			return err
		}
		at := string(e.path.Child("sub-agents", a.ID))
		if err := each(e.docs, at+"/messages", e.out.agentMessage); err != nil {
			return err
		}
		return each(e.docs, at+"/tool-calls", e.out.call)
	})
}

// each calls fn with all documents of a collection, in the order of their creation. No
// transaction is open while fn runs.
func each[T any](docs pages, collection string, fn func(*T) error) error {
	for q := (store.Query{Collection: collection, Limit: pageSize}); ; {
		var page store.Page
		if err := docs.View(func(r store.Reader) (err error) {
			page, err = r.Query(q)
			return err
		}); nestor.CodeOf(err) == nestor.CodeForbidden {
			return nil // none of them is for the caller
		} else if err != nil {
			return err
		}
		for _, d := range page.Items {
			v, err := nestor.As[T](d)
			if err == nil {
				err = fn(&v)
			}
			if err != nil {
				return err
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return nil
		}
	}
}
