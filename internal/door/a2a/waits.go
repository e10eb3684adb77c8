package a2a

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs/need"
	"github.com/nestorhq/nestor/internal/store"
)

// needs are what a run waits for, questions first.
type needs []need.Need

func (h *handler) needs(run *nestor.Run) (all needs, err error) {
	err = h.r.View(func(docs store.Reader) error {
		all, err = needsOf(docs, run)
		return err
	})
	return all, err
}

func needsOf(docs store.Reader, run *nestor.Run) (needs, error) {
	all, err := need.Of(docs, run)
	all = slices.DeleteFunc(all, func(n need.Need) bool { return n.Kind == need.Resume })
	slices.SortStableFunc(all, func(a, b need.Need) int { return rank(a) - rank(b) })
	return all, err
}

func rank(n need.Need) int {
	if n.Kind == need.Answer {
		return 0
	}
	return 1
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

// asked is what is asked about a call of a tool.
var asked = map[need.Kind]string{
	need.Approval: "May the tool %s be called? Answer approve or deny.",
	need.Unknown:  "It is not known whether the call of %s took effect. Answer retry, done or skip.",
	need.Result:   "The tool %s is run by the client of the chat. Answer result or fail, and the text of it.",
}

// message tells a client what is needed, in words and as data.
func (n needs) message(task *a2a.Task) *a2a.Message {
	var texts []string
	questions, approvals := []any{}, []any{}
	for _, one := range n {
		if one.Kind == need.Answer {
			texts = append(texts, one.Question)
			questions = append(questions, map[string]any{fieldTask: one.At.ID(), fieldQuestion: one.Question})
			continue
		}
		var args any
		_ = json.Unmarshal(one.Call.Args, &args) // nil if there are none
		texts = append(texts, fmt.Sprintf(asked[one.Kind], one.Call.ToolName))
		approvals = append(approvals, map[string]any{fieldCall: one.Call.ID, fieldTool: one.Call.ToolName, fieldArgs: args, fieldActions: one.Kind.Decisions()})
	}
	if len(texts) == 0 {
		texts = append(texts, "The task is paused.")
	}
	return messageAbout(task, "waits", strings.Join(texts, "\n\n"), a2a.DataPart{Data: map[string]any{needed: map[string]any{
		fieldQuestions: questions, fieldApprovals: approvals,
	}}})
}

// question is the question that a message answers, nil if there is none.
func (n needs) question(m *a2a.Message) *need.Need {
	named, _ := dataOf(m)[fieldTask].(string)
	for i := range n {
		if n[i].Kind == need.Answer && (named == "" || n[i].At.ID() == named) {
			return &n[i]
		}
	}
	return nil
}

// decision is what a message decides about which call, if the run waits for a decision:
// by data, or, where nothing else is asked, by the name of an action as text, with a
// reason behind it.
func (n needs) decision(m *a2a.Message) (*need.Need, nestor.Decision, error) {
	data := dataOf(m)
	named, _ := data[fieldCall].(string)
	action, _ := data[fieldAction].(string)
	reason, _ := data[fieldReason].(string)
	if named == "" && n.question(m) != nil {
		return nil, nestor.Decision{}, nil
	}
	var found *need.Need
	for i := range n {
		if n[i].Call != nil && (named == "" || n[i].Call.ID == named) {
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
