package priority

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/tasks"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// PlannableTask is a task that was found in a document, with what is known of it.
type PlannableTask struct {
	ID            string  `json:"id"`
	Text          string  `json:"text"`
	DocumentID    string  `json:"document_id"`
	DocumentTitle string  `json:"document_title"`
	EffortHours   float64 `json:"effort_hours"`
	Done          bool    `json:"done"`
	// DueDate and NotBefore are days, such as 2027-03-03, if the text names them.
	DueDate   string `json:"due_date,omitempty"`
	NotBefore string `json:"not_before,omitempty"`
	// ChatID and AgentTaskID are where agents work on it, and Status and Result
	// what came of it.
	ChatID      string `json:"chat_id,omitempty"`
	AgentTaskID string `json:"agent_task_id,omitempty"`
	Status      string `json:"status,omitempty"`
	Result      string `json:"result,omitempty"`
}

func (p *Priority) listTasks(r *httpapi.Request) (any, error) {
	in := r.URL.Query().Get("document_id")
	if in != "" {
		if err := nestor.CheckID(in); err != nil {
			return nil, refuse("document_id", "is not an id: %v", err)
		}
	}
	answer := httpapi.List[PlannableTask]{Items: []PlannableTask{}}
	err := r.View(func(docs store.Reader) error {
		if in != "" {
			if _, err := docs.Get(ownOf(r).Child("processed-documents", in)); err != nil {
				return err
			}
		}
		all, err := tasks.Read(docs, r.UserID())
		if err != nil {
			return err
		}
		answer.Items = answer.Items[:0]
		for _, t := range all.All {
			if in == "" || in == t.DocumentID {
				answer.Items = append(answer.Items, plannable(all, t))
			}
		}
		return nil
	})
	return answer, err
}

// plannable is a task with what is known of it.
func plannable(all *tasks.List, t tasks.Task) PlannableTask {
	shown := PlannableTask{ID: t.ID, Text: t.Text, DocumentID: t.DocumentID, DocumentTitle: t.DocumentTitle, EffortHours: t.EffortHours, Done: t.Done, DueDate: t.DueDate, NotBefore: t.NotBefore}
	if s := all.States[t.ID]; s != nil {
		shown.ChatID, shown.AgentTaskID, shown.Status, shown.Result = s.ChatID, s.AgentTaskID, s.Status, s.Result
	}
	return shown
}
