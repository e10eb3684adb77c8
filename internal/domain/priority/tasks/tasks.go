// Package tasks reads the tasks of users. Tasks stand in the documents that they were
// found in, and what is known about them besides lies below; this package puts both
// together, for routes, plans, tools and vectors alike.
package tasks

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

// In are the tasks that stand in a document, each once.
func In(documentID, title string, found *record.StructuredOutput) (all []Task) {
	if found == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, t := range found.Tasks {
		if t.ID == "" || seen[t.ID] {
			continue
		}
		seen[t.ID] = true
		all = append(all, Task{t, documentID, title})
	}
	return all
}

// List is all tasks of a user. Done is what a person marked, and else what the text
// says.
type List struct {
	All []Task // in the order of their documents
	// States are what is known about tasks beyond their texts, by their ids.
	States map[string]*record.TaskState
	// Documents are all that the user has, with and without tasks.
	Documents []Document
	// Unfinished: a document has not been processed yet.
	Unfinished bool

	at map[string]int // in All, by id
}

// Document is where tasks may come from.
type Document struct {
	ID string
	// Size is how many bytes its text has.
	Size int
}

// documentsPage is how many documents are read at a time: they are large.
const documentsPage = 20

// Read reads the tasks of a user.
func Read(r store.Reader, userID string) (*List, error) {
	l := &List{States: map[string]*record.TaskState{}, at: map[string]int{}}
	err := store.Each(r, store.Query{Flat: record.TaskStates.Name, Where: store.Where("userId", store.Eq, userID)},
		func(_ nestor.Path, s *record.TaskState) { l.States[s.ID] = s })
	if err != nil {
		return nil, err
	}
	err = store.Each(r, store.Query{Collection: record.DocumentsOf(userID), Limit: documentsPage}, func(_ nestor.Path, d *record.SourceDocument) {
		l.Documents = append(l.Documents, Document{d.ID, len(d.Content)})
		l.Unfinished = l.Unfinished || d.Status == record.DocumentQueued || d.Status == record.DocumentProcessing
		for _, t := range In(d.ID, d.Title, d.StructuredOutput) {
			if s := l.States[t.ID]; s != nil {
				t.Done = s.Done
			}
			l.at[t.ID] = len(l.All)
			l.All = append(l.All, t)
		}
	})
	return l, err
}

// Has reports whether the user has a task.
func (l *List) Has(id string) bool {
	_, ok := l.at[id]
	return ok
}

// Task is one that the user has.
func (l *List) Task(id string) Task { return l.All[l.at[id]] }

// Open are the tasks that are not done.
func (l *List) Open() (open []Task) {
	for _, t := range l.All {
		if !t.Done {
			open = append(open, t)
		}
	}
	return open
}

// Sort divides ids into those of tasks, each once, and the others.
func (l *List) Sort(ids []string) (tasks, unknown []string) {
	seen := map[string]bool{}
	unknown = []string{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		if l.Has(id) {
			tasks = append(tasks, id)
		} else {
			unknown = append(unknown, id)
		}
	}
	return tasks, unknown
}

// Relationships reads those of a user whose tasks are both there. What else is stored
// counts again when the text of a task comes back.
func (l *List) Relationships(r store.Reader, userID string) (found []record.TaskRelationship, err error) {
	err = store.Each(r, store.Query{Collection: record.RelationshipsOf(userID)}, func(_ nestor.Path, rel *record.TaskRelationship) {
		if l.Has(rel.SourceTaskID) && l.Has(rel.TargetTaskID) {
			found = append(found, *rel)
		}
	})
	return found, err
}
