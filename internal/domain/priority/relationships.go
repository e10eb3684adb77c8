package priority

import (
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/domain/priority/tasks"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// Relationship is what one task is to another: the source depends on the target.
type Relationship struct {
	ID              string                  `json:"id"`
	UserID          string                  `json:"user_id"`
	SourceTaskID    string                  `json:"source_task_id"`
	TargetTaskID    string                  `json:"target_task_id"`
	Type            record.RelationshipType `json:"type"`
	Confidence      float64                 `json:"confidence"`
	DetectionMethod record.DetectionMethod  `json:"detection_method"`
	Origin          record.Origin           `json:"origin"`
	Reasoning       string                  `json:"reasoning,omitempty"`
	CreatedAt       string                  `json:"created_at"`
	UpdatedAt       string                  `json:"updated_at"`
}

func showRelationship(r *record.TaskRelationship) Relationship {
	return Relationship{
		ID: r.ID, UserID: r.UserID, SourceTaskID: r.SourceTaskID, TargetTaskID: r.TargetTaskID, Type: r.Type, Confidence: r.Confidence,
		DetectionMethod: r.DetectionMethod, Origin: r.Origin, Reasoning: r.Reasoning, CreatedAt: iso(r.CreatedAt), UpdatedAt: iso(r.UpdatedAt),
	}
}

type relationshipFields struct {
	SourceTaskID string                  `json:"source_task_id"`
	TargetTaskID string                  `json:"target_task_id"`
	Type         record.RelationshipType `json:"type"`
}

func (f *relationshipFields) check() error {
	switch {
	case f.SourceTaskID == "":
		return refuse("source_task_id", "is missing: it is the task that depends on the other")
	case f.TargetTaskID == "":
		return refuse("target_task_id", "is missing: it is the task that comes first")
	case f.SourceTaskID == f.TargetTaskID:
		return refuse("target_task_id", "is the source itself: no task depends on itself")
	case !slices.Contains([]record.RelationshipType{record.Prerequisite, record.Blocks, record.Related}, f.Type):
		return refuse("type", "is prerequisite, blocks or related, not %q", f.Type)
	}
	return nil
}

// postRelationship writes what a person says. One that was detected before becomes
// the person's, so that nothing else changes it.
func (p *Priority) postRelationship(r *httpapi.Request) (any, error) {
	var said relationshipFields
	if err := decode(r, &said); err != nil {
		return nil, err
	}
	if err := said.check(); err != nil {
		return nil, err
	}
	at := record.RelationshipAt(r.UserID(), said.SourceTaskID, said.TargetTaskID, said.Type)
	var d *nestor.Document
	err := r.Act(at, func(tx store.Tx) error {
		if err := checkKnown(tx, r.UserID(), &said); err != nil {
			return err
		}
		var err error
		d, err = tx.Put(at, record.TaskRelationship{
			UserID: r.UserID(), SourceTaskID: said.SourceTaskID, TargetTaskID: said.TargetTaskID, Type: said.Type, Confidence: 1,
			DetectionMethod: record.StoredRelationship, Origin: record.OriginManual,
		}, store.AnyVersion)
		return err
	})
	if err != nil {
		return nil, err
	}
	v, err := nestor.As[record.TaskRelationship](d)
	return showRelationship(&v), err
}

// checkKnown refuses tasks that are not the user's own.
func checkKnown(tx store.Reader, userID string, said *relationshipFields) error {
	known, err := tasks.Read(tx, userID)
	switch {
	case err != nil:
		return err
	case !known.Has(said.SourceTaskID):
		return refuse("source_task_id", "is no task of your documents")
	case !known.Has(said.TargetTaskID):
		return refuse("target_task_id", "is no task of your documents")
	}
	return nil
}

// listRelationships lists those whose tasks are both there.
func (p *Priority) listRelationships(r *httpapi.Request) (any, error) {
	of := r.URL.Query().Get("task_id")
	answer := httpapi.List[Relationship]{Items: []Relationship{}}
	err := r.View(func(docs store.Reader) error {
		known, err := tasks.Read(docs, r.UserID())
		if err != nil {
			return err
		}
		all, err := known.Relationships(docs, r.UserID())
		answer.Items = answer.Items[:0]
		for i := range all {
			if one := &all[i]; of == "" || of == one.SourceTaskID || of == one.TargetTaskID {
				answer.Items = append(answer.Items, showRelationship(one))
			}
		}
		return err
	})
	return answer, err
}

func (p *Priority) deleteRelationship(r *httpapi.Request) (any, error) {
	return nil, remove(r, ownOf(r).Child("task-relationships", r.PathValue("relationship")))
}
