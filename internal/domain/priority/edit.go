package priority

import (
	"context"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/plan"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/domain/priority/tasks"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

const reasonNotCurrent = "NOT_CURRENT"

// EditedPlan is a plan after a change, and what could not be as it was wished.
type EditedPlan struct {
	record.PrioritizedTaskPlan
	Notices []string `json:"notices"`
}

// patchPlan changes the current plan as its user asks, and computes its waves again.
// What is done is noted about the task, so that the next analysis knows it, too.
func (p *Priority) patchPlan(r *httpapi.Request) (any, error) {
	var edit plan.Edit
	if err := decode(r, &edit); err != nil {
		return nil, err
	}
	at := sessionAt(r)
	var answer EditedPlan
	err := r.Act(at, func(tx store.Tx) error {
		b, err := readBoard(tx, at)
		if err != nil {
			return err
		}
		made, notices, err := plan.Apply(b.session.PrioritizedPlan, edit, b.tasks, b.limits)
		if err != nil {
			return err
		}
		for done, ids := range map[bool][]string{true: edit.Done, false: edit.Undo} {
			for _, id := range ids {
				if err := b.note(tx, id, func(s *record.TaskState) { s.Done = done }); err != nil {
					return err
				}
			}
		}
		answer = EditedPlan{*made, append([]string{}, notices...)}
		return b.save(tx, made)
	})
	return answer, err
}

// board is the current plan of a user and all that it is about.
type board struct {
	path    nestor.Path
	session *record.AgentSession
	known   map[string]PlannableTask
	tasks   []plan.Task
	limits  plan.Limits
	outcome *record.Outcome // nil: it was deleted
}

// readBoard refuses a session whose plan is not the current one.
func readBoard(r store.Reader, session nestor.Path) (*board, error) {
	s, err := read[record.AgentSession](r, session)
	if err != nil {
		return nil, err
	}
	if s.Slot != record.SlotCurrent || s.PrioritizedPlan == nil {
		return nil, httpapi.Because(reasonNotCurrent, nestor.Errorf(nestor.CodeConflict, "this is not the current plan: that of the last analysis that succeeded is"))
	}
	b := &board{path: session, session: s, known: map[string]PlannableTask{}}
	all, err := tasks.Read(r, session.UserID())
	if err != nil {
		return nil, err
	}
	for _, t := range all.All {
		b.known[t.ID] = plannable(all, t)
		b.tasks = append(b.tasks, plan.TaskOf(&t.ExtractedTask))
	}
	b.outcome, err = store.Find[record.Outcome](r, record.Of(session.UserID()).Child("outcomes", s.OutcomeID))
	b.limits = plan.LimitsOf(b.outcome, time.Now())
	return b, err
}

// note changes what is known about a task.
func (b *board) note(tx store.Tx, taskID string, change func(*record.TaskState)) error {
	t := b.known[taskID]
	at := record.Of(b.path.UserID()).Child("processed-documents", t.DocumentID).Child("task-states", t.ID)
	s, err := store.Find[record.TaskState](tx, at)
	if err != nil {
		return err
	}
	if s == nil {
		s = &record.TaskState{UserID: b.path.UserID(), DocumentID: t.DocumentID, Done: t.Done}
	}
	change(s)
	_, err = tx.Put(at, s, store.AnyVersion)
	return err
}

// save writes the plan if it is another.
func (b *board) save(tx store.Tx, made *record.PrioritizedTaskPlan) error {
	if same(made, b.session.PrioritizedPlan) {
		return nil
	}
	b.session.PrioritizedPlan = made
	_, err := tx.Put(b.path, b.session, store.AnyVersion)
	return err
}

// replan brings the current plan up to date after a document or a relationship
// changed. A plan whose tasks are all gone goes with them.
func (p *Priority) replan(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	return func(tx store.Tx) error {
		at, err := currentSession(tx, job.Change.Path.UserID())
		if err != nil || at == "" {
			return err
		}
		b, err := readBoard(tx, at)
		if err != nil {
			return err
		}
		now := *b.session.PrioritizedPlan
		if !slices.ContainsFunc(now.OrderedTaskIDs, func(id string) bool { return b.known[id].ID != "" }) {
			return tx.Delete(at, store.AnyVersion)
		}
		if record.Relationships.Has(job.Change.Path) {
			if err := relate(tx, &now, &job.Change); err != nil {
				return err
			}
		}
		made, _, err := plan.Recompute(&now, b.tasks, b.limits)
		if err != nil {
			return err
		}
		return b.save(tx, made)
	}, nil
}

// relate replaces a relationship, in a plan, by what it is now.
func relate(r store.Reader, p *record.PrioritizedTaskPlan, c *nestor.Change) error {
	now, err := store.Find[record.TaskRelationship](r, c.Path)
	if err != nil {
		return err
	}
	was := now
	if c.Before != nil {
		before, err := nestor.As[record.TaskRelationship](c.Before)
		if err != nil {
			return err
		}
		was = &before
	}
	if was == nil {
		return nil
	}
	without := func(deps []record.TaskDependency) []record.TaskDependency {
		return slices.DeleteFunc(slices.Clone(deps), func(d record.TaskDependency) bool {
			return d.SourceTaskID == was.SourceTaskID && d.TargetTaskID == was.TargetTaskID && d.RelationshipType == was.Type
		})
	}
	p.Dependencies, p.BrokenCycles = without(p.Dependencies), without(p.BrokenCycles)
	if now != nil {
		p.Dependencies = append([]record.TaskDependency{now.Dependency()}, p.Dependencies...)
	}
	return nil
}

// currentSession is the session whose plan is current, "" if there is none.
func currentSession(r store.Reader, userID string) (nestor.Path, error) {
	page, err := r.Query(store.Query{
		Collection: record.SessionsOf(userID), Where: store.Where("slot", store.Eq, record.SlotCurrent), Limit: 1,
	})
	if err != nil || len(page.Items) == 0 {
		return "", err
	}
	return page.Items[0].Path, nil
}
