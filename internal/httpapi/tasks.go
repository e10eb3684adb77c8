package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

// taskFields are what clients decide about a task.
type taskFields struct {
	// Type is agent or tool. Defaults to what the name says.
	Type nestor.TaskType `json:"type,omitempty"`
	Name string          `json:"name"`
	// Title says in a few words what it is about. Defaults to the begin of the instruction.
	Title string `json:"title,omitempty"`
	// Instruction is for agents; for a tool it is the arguments, if there are no
	// others.
	Instruction string          `json:"instruction,omitempty"`
	Args        json.RawMessage `json:"args,omitempty"`
	// ResultSchema is a JSON Schema. The result of the agent is JSON that fits it.
	ResultSchema     json.RawMessage `json:"resultSchema,omitempty"`
	TriggerMessageID string          `json:"triggerMessageId,omitempty"`
	Budget           *nestor.Budget  `json:"budget,omitempty"`
	// Report false leaves it to whoever made the task to read its result: the chat is not
	// told.
	Report *bool `json:"report,omitempty"`
}

type newTask struct {
	ID string `json:"id,omitempty"`
	taskFields
}

func (s *server) postTask(r *http.Request) (response, error) {
	p, err := chatPath(r)
	if err != nil {
		return response{}, err
	}
	var req newTask
	if err := web.Read(r, &req); err != nil {
		return response{}, err
	}
	task, err := req.task()
	if err != nil {
		return response{}, err
	}
	if task.Type == nestor.TaskTool || task.ResultSchema != nil {
		agents, _, err := s.agents(r)
		if err != nil {
			return response{}, err
		}
		if err := agents.CheckTask(r.Context(), &task); err != nil {
			return response{}, err
		}
	}
	return s.awaited(r, p, func() (response, error) {
		return s.create(r, creation{
			collection: string(p) + "/tasks", below: p, acting: true, id: req.ID, sent: req.taskFields,
			body: func(tx store.Tx, _ nestor.Path) (any, error) { return task, checkTrigger(tx, p, task.TriggerMessageID) },
		})
	})
}

// task makes the task that a client asks for.
func (f *taskFields) task() (nestor.Task, error) {
	for _, raw := range []*json.RawMessage{&f.Args, &f.ResultSchema} {
		if string(*raw) == "null" {
			*raw = nil
		}
	}
	task := nestor.Task{
		Status: nestor.TaskPending, Name: f.Name, Instruction: f.Instruction, Args: f.Args,
		TriggerMessageID: f.TriggerMessageID, Budget: f.Budget, Title: f.Title, ResultSchema: f.ResultSchema,
	}
	if f.Report != nil && !*f.Report {
		task.Deliver = nestor.DeliverNone
	}
	if len([]rune(f.Title)) > maxTitle {
		return task, nestor.Errorf(nestor.CodeInvalid, "title has at most %d characters", maxTitle).With("field", "title")
	}
	kind, of, _ := strings.Cut(f.Name, ":")
	if task.Type = nestor.TaskType(kind); task.Type != nestor.TaskAgent && task.Type != nestor.TaskTool || of == "" {
		return task, nestor.Errorf(nestor.CodeInvalid,
			"name is agent: and a role, such as agent:general, or tool: and a tool, such as tool:calculator, not %.100q", f.Name)
	}
	if f.Type != "" && f.Type != task.Type {
		return task, nestor.Errorf(nestor.CodeInvalid, "type is %.100q, but the name is that of type %s", f.Type, task.Type)
	}
	if task.Type == nestor.TaskAgent {
		if err := checkText("instruction", f.Instruction); err != nil {
			return task, err
		}
		if f.Args != nil {
			return task, nestor.Errorf(nestor.CodeInvalid, "args are for tools: an agent has an instruction")
		}
	} else if f.ResultSchema != nil {
		return task, nestor.Errorf(nestor.CodeInvalid, "resultSchema is for agents: a tool returns what it does").With("field", "resultSchema")
	}
	return task, f.Budget.Check()
}

const maxTitle = 200

// checkTrigger refuses the id of a message that is not in the chat.
func checkTrigger(r store.Reader, chat nestor.Path, message string) error {
	if message == "" {
		return nil
	}
	if err := nestor.CheckID(message); err != nil {
		return nestor.Errorf(nestor.CodeInvalid, "triggerMessageId: %w", err)
	}
	_, err := r.Get(chat.Child("messages", message))
	if errors.Is(err, nestor.ErrNotFound) {
		return nestor.Errorf(nestor.CodeInvalid, "triggerMessageId: there is no message %s in this chat", message)
	}
	return err
}
