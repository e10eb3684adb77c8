package analyst

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/store"
)

// Task is something to do and where it was found.
type Task struct {
	record.ExtractedTask
	DocumentID, DocumentTitle string
}

// known are all tasks of a user.
type known struct {
	tasks []Task // in the order of their documents
	byID  map[string]int
	// unfinished: a document has not been processed yet.
	unfinished bool
}

// readTasks reads the tasks of a user. A task is done if its text says so or its
// state does.
func readTasks(r store.Reader, userID string) (*known, error) {
	done := map[string]bool{}
	err := each(r, store.Query{Flat: record.TaskStates.Name, Where: store.Where("userId", store.Eq, userID)}, func(s record.TaskState) {
		done[s.ID] = s.Done
	})
	if err != nil {
		return nil, err
	}
	k := &known{byID: map[string]int{}}
	err = each(r, store.Query{Collection: string(record.Of(userID)) + "/processed-documents"}, func(d record.SourceDocument) {
		k.unfinished = k.unfinished || d.Status == record.DocumentQueued || d.Status == record.DocumentProcessing
		if d.StructuredOutput == nil {
			return
		}
		for _, t := range d.StructuredOutput.Tasks {
			if _, twice := k.byID[t.ID]; twice || t.ID == "" {
				continue
			}
			if said, ok := done[t.ID]; ok {
				t.Done = said
			}
			k.byID[t.ID] = len(k.tasks)
			k.tasks = append(k.tasks, Task{t, d.ID, d.Title})
		}
	})
	return k, err
}

func (k *known) has(id string) bool {
	_, ok := k.byID[id]
	return ok
}

func (k *known) task(id string) Task { return k.tasks[k.byID[id]] }

// open are the tasks that are not done.
func (k *known) open() (open []Task) {
	for _, t := range k.tasks {
		if !t.Done {
			open = append(open, t)
		}
	}
	return open
}

// sort divides ids into those of tasks, each once, and the others.
func (k *known) sort(ids []string) (tasks, unknown []string) {
	seen := map[string]bool{}
	unknown = []string{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		if k.has(id) {
			tasks = append(tasks, id)
		} else {
			unknown = append(unknown, id)
		}
	}
	return tasks, unknown
}

// readRelationships reads those of a user whose tasks both exist.
func readRelationships(r store.Reader, userID string, k *known) (found []record.TaskRelationship, err error) {
	err = each(r, store.Query{Collection: string(record.Of(userID)) + "/task-relationships"}, func(rel record.TaskRelationship) {
		if k.has(rel.SourceTaskID) && k.has(rel.TargetTaskID) {
			found = append(found, rel)
		}
	})
	return found, err
}

// each reads all pages of a query.
func each[T any](r store.Reader, q store.Query, fn func(T)) error {
	q.Limit = store.MaxLimit
	for {
		page, err := r.Query(q)
		if err != nil {
			return err
		}
		for _, d := range page.Items {
			v, err := nestor.As[T](d)
			if err != nil {
				return err
			}
			fn(v)
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return nil
		}
	}
}
