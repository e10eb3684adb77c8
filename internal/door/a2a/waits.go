package a2a

import (
	"encoding/json"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// need is something that a run waits for: the answer to a question of the agent of the
// task at path, or a decision about the call at path.
type need struct {
	path     nestor.Path
	question string
	standing bool
	call     *nestor.ToolCall
}

type needs []need

// needs are what a run waits for, questions first.
func (h *handler) needs(run *nestor.Run) (all needs, err error) {
	err = h.r.View(func(docs store.Reader) error {
		all, err = needsOf(docs, run)
		return err
	})
	return all, err
}

func needsOf(docs store.Reader, run *nestor.Run) (all needs, err error) {
	var calls needs
	for _, below := range run.WaitingFor {
		at := run.Of(below)
		if !store.Tasks.Has(at) {
			continue
		}
		task, err := store.Find[nestor.Task](docs, at)
		if err != nil {
			return nil, err
		}
		if task == nil || task.SubAgentID == "" {
			continue
		}
		if task.Question != "" && task.Status == nestor.TaskWaiting {
			all = append(all, need{path: at, question: task.Question, standing: task.Standing})
			continue
		}
		agent := at.Parent().Child("sub-agents", task.SubAgentID)
		q := store.Query{Collection: string(agent) + "/tool-calls", Where: store.Where("status", store.In, []nestor.ToolCallStatus{nestor.ToolCallAwaitingApproval, nestor.ToolCallUnknown})}
		if err := store.Each(docs, q, func(p nestor.Path, c *nestor.ToolCall) {
			calls = append(calls, need{path: p, call: c})
		}); err != nil {
			return nil, err
		}
	}
	return append(all, calls...), nil
}

// The fields of data by which a message says which question it answers, or what is to be
// done about which call.
const (
	fieldTask, fieldCall            = "taskId", "callId"
	fieldAction, fieldReason        = "action", "reason"
	fieldQuestions, fieldApprovals  = "questions", "approvals"
	fieldQuestion, fieldTool        = "question", "tool"
	fieldArgs, fieldActions, needed = "args", "actions", "nestor"
)

// message tells a client what is needed, in words and as data.
func (n needs) message(task *a2a.Task) *a2a.Message {
	var texts []string
	questions, approvals := []any{}, []any{}
	for _, one := range n {
		if one.call == nil {
			texts = append(texts, one.question)
			questions = append(questions, map[string]any{fieldTask: one.path.ID(), fieldQuestion: one.question})
			continue
		}
		actions := []string{string(nestor.Approve), string(nestor.Deny)}
		text := "May the tool " + one.call.ToolName + " be called? Answer approve or deny."
		if one.call.Status == nestor.ToolCallUnknown {
			actions = []string{string(nestor.RetryCall), string(nestor.MarkDone), string(nestor.SkipCall)}
			text = "It is not known whether the call of " + one.call.ToolName + " took effect. Answer retry, done or skip."
		}
		var args any
		_ = json.Unmarshal(one.call.Args, &args) // nil if there are none
		texts = append(texts, text)
		approvals = append(approvals, map[string]any{fieldCall: one.call.ID, fieldTool: one.call.ToolName, fieldArgs: args, fieldActions: actions})
	}
	if len(texts) == 0 {
		texts = append(texts, "The task is paused.")
	}
	return messageAbout(task, "waits", strings.Join(texts, "\n\n"), a2a.DataPart{Data: map[string]any{needed: map[string]any{
		fieldQuestions: questions, fieldApprovals: approvals,
	}}})
}

// question is the question that a message answers, nil if there is none.
func (n needs) question(m *a2a.Message) *need {
	named, _ := dataOf(m)[fieldTask].(string)
	for i := range n {
		if n[i].call == nil && (named == "" || n[i].path.ID() == named) {
			return &n[i]
		}
	}
	return nil
}

// decision is what a message decides about which call, if the run waits for a decision:
// by data, or, where nothing else is asked, by the name of an action as text, with a
// reason behind it.
func (n needs) decision(m *a2a.Message) (*need, nestor.Decision, error) {
	data := dataOf(m)
	named, _ := data[fieldCall].(string)
	action, _ := data[fieldAction].(string)
	reason, _ := data[fieldReason].(string)
	if named == "" && n.question(m) != nil {
		return nil, nestor.Decision{}, nil
	}
	var found *need
	for i := range n {
		if n[i].call != nil && (named == "" || n[i].call.ID == named) {
			found = &n[i]
			break
		}
	}
	switch {
	case found == nil && named != "":
		return nil, nestor.Decision{}, nestor.Errorf(nestor.CodeInvalid, "no call %.100q waits for a decision", named)
	case found == nil:
		return nil, nestor.Decision{}, nil
	}
	if action == "" {
		action, reason, _ = strings.Cut(strings.TrimSpace(textOf(m)), " ")
		action = strings.ToLower(strings.Trim(action, ".,:;!"))
	}
	d := nestor.Decision{Action: nestor.DecisionAction(action), Reason: strings.TrimSpace(reason)}
	if args, ok := data[fieldArgs]; ok {
		encoded, err := json.Marshal(args)
		if err != nil {
			return nil, d, err
		}
		d.Args = encoded
	}
	return found, d, nil
}

// dataOf is what a message says as data, of all its parts.
func dataOf(m *a2a.Message) map[string]any {
	all := map[string]any{}
	for _, part := range m.Parts {
		if data, ok := part.(a2a.DataPart); ok {
			for field, value := range data.Data {
				all[field] = value
			}
		}
	}
	return all
}
