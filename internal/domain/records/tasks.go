package records

import (
	"cmp"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/domain/records/thread"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// taskThread reads the conversation of the agent that carries out a task, up to a
// message. A task that is a call of a tool is that call and what came of it.
func (Records) taskThread(r *httpapi.Request) (any, error) {
	chat, err := chatNamed(r)
	if err != nil {
		return nil, err
	}
	at, id := r.URL.Query().Get("at"), r.PathValue("task")
	if err := nestor.CheckID(id); err != nil {
		return nil, err
	}
	told := Conversation{ChatID: chat.ID(), TaskID: id}
	return &told, r.View(func(docs store.Reader) error {
		told.At, told.Turns, told.bytes = "", []thread.Turn{}, 0
		d, err := docs.Get(chat.Child("tasks", id))
		if err != nil {
			return err
		}
		task, err := nestor.As[nestor.Task](d)
		if err != nil {
			return err
		}
		if task.SubAgentID == "" { // nobody has begun yet
			return told.until(at, func(func(string) error) error { return nil })
		}
		agent := chat.Child("sub-agents", task.SubAgentID)
		calls, err := told.calls(docs, agent)
		if err != nil {
			return err
		}
		if task.Type == nestor.TaskTool {
			return told.until(at, func(fn func(string) error) error { return told.sayCalls(calls, fn) })
		}
		status := map[string]nestor.ToolCallStatus{}
		for _, c := range calls {
			status[c.ID] = c.Status
		}
		messages, err := readAll[nestor.SubAgentMessage](docs, string(agent)+"/messages", told.hold)
		if err != nil {
			return err
		}
		slices.SortFunc(messages, func(a, b nestor.SubAgentMessage) int { return cmp.Compare(a.CreatedSeq, b.CreatedSeq) })
		return told.until(at, func(fn func(string) error) error {
			for i := range messages {
				told.sayInside(&messages[i], status)
				if err := fn(messages[i].ID); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func (c *Conversation) calls(docs store.Reader, agent nestor.Path) ([]nestor.ToolCall, error) {
	return readAll[nestor.ToolCall](docs, string(agent)+"/tool-calls", c.hold)
}

// sayInside adds what a message inside of an agent says. The agent's instructions,
// errors and summaries are no part of the conversation.
func (c *Conversation) sayInside(m *nestor.SubAgentMessage, status map[string]nestor.ToolCallStatus) {
	switch {
	case m.Role == nestor.RoleSystem || isAside(m.Type):
	case m.Role == nestor.RoleTool:
		output, failed := m.Outcome()
		how := cmp.Or(status[m.ToolCallID], nestor.ToolCallSuccess)
		if failed && how == nestor.ToolCallSuccess {
			how = nestor.ToolCallFailed
		}
		c.add(m.Meta, string(m.Role), []record.MessagePartial{response(m.ToolCallID, how, output)})
	case m.Role == nestor.RoleUser:
		c.add(m.Meta, cmp.Or(m.AuthorID, m.Name, string(m.Role)), textOf(m.Content))
	default:
		c.add(m.Meta, string(m.Role), append(textOf(m.Content), requestsOf(m.ToolCalls)...))
	}
}

// sayCalls adds the calls of a task that has no model. A retry has made several.
func (c *Conversation) sayCalls(calls []nestor.ToolCall, fn func(id string) error) error {
	for _, call := range calls {
		c.add(call.Meta, string(nestor.RoleUser), []record.MessagePartial{request(call.ID, call.ToolName, call.Args)})
		if call.Status.Ended() {
			c.add(call.Meta, string(nestor.RoleTool), []record.MessagePartial{response(call.ID, call.Status, cmp.Or(call.Result, call.Error))})
		}
		if err := fn(call.ID); err != nil {
			return err
		}
	}
	return nil
}

func response(callID string, how nestor.ToolCallStatus, output string) record.MessagePartial {
	return record.MessagePartial{Type: record.ToolResponsePartial, Payload: record.PartialPayload{
		CallID: callID, Status: statusOf(how), Output: &output,
	}}
}

// statusOf is how a call went, in the words of threads.
func statusOf(s nestor.ToolCallStatus) record.CallStatus {
	switch s {
	case nestor.ToolCallAwaitingApproval:
		return "pending"
	case nestor.ToolCallSkipped:
		return "cancelled"
	case nestor.ToolCallUnknown:
		return "failed"
	}
	return record.CallStatus(s)
}

// readAll decodes all documents of a collection.
func readAll[T any](docs store.Reader, collection string, hold func(*nestor.Document) error) (all []T, err error) {
	for q := (store.Query{Collection: collection, Limit: store.MaxLimit}); ; {
		page, err := docs.Query(q)
		if err != nil {
			return nil, err
		}
		for _, d := range page.Items {
			if err := hold(d); err != nil {
				return nil, err
			}
			v, err := nestor.As[T](d)
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return all, nil
		}
	}
}
