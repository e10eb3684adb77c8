package priority

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
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
	var found []PlannableTask
	err := r.View(func(docs store.Reader) (err error) {
		if in != "" {
			if _, err := docs.Get(ownOf(r).Child("processed-documents", in)); err != nil {
				return err
			}
		}
		found, err = readTasks(docs, r.UserID(), in)
		return err
	})
	return httpapi.List[PlannableTask]{Items: found}, err
}

// readTasks reads the tasks of a user, or of one document, in the order of the
// documents. What a person marked counts, and else what the text says.
func readTasks(r store.Reader, userID, documentID string) ([]PlannableTask, error) {
	states, err := readStates(r, userID)
	if err != nil {
		return nil, err
	}
	found := []PlannableTask{}
	err = each(r, store.Query{Collection: string(record.Of(userID)) + "/processed-documents"}, func(_ nestor.Path, d *record.SourceDocument) {
		if d.StructuredOutput == nil || documentID != "" && d.ID != documentID {
			return
		}
		for _, t := range d.StructuredOutput.Tasks {
			task := PlannableTask{ID: t.ID, Text: t.Text, DocumentID: d.ID, DocumentTitle: d.Title, EffortHours: t.EffortHours, Done: t.Done}
			if s, ok := states[t.ID]; ok {
				task.Done, task.ChatID, task.AgentTaskID, task.Status, task.Result = s.Done, s.ChatID, s.AgentTaskID, s.Status, s.Result
			}
			found = append(found, task)
		}
	})
	return found, err
}

// readStates are what is known about the tasks of a user, by their ids.
func readStates(r store.Reader, userID string) (map[string]*record.TaskState, error) {
	states := map[string]*record.TaskState{}
	err := each(r, store.Query{Flat: record.TaskStates.Name, Where: store.Where("userId", store.Eq, userID)}, func(_ nestor.Path, s *record.TaskState) {
		states[s.ID] = s
	})
	return states, err
}
