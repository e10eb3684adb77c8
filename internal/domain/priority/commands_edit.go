package priority

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/plan"
)

// The lists of an edit that take ids as they are typed.
func done(e *plan.Edit, ids []string)  { e.Done = ids }
func undo(e *plan.Edit, ids []string)  { e.Undo = ids }
func unpin(e *plan.Edit, ids []string) { e.Unpin = ids }

// mark does the same to several tasks.
func (s shell) mark(ctx context.Context, how func(*plan.Edit, []string)) error {
	if len(s.Args) == 0 {
		return nestor.Errorf(nestor.CodeInvalid, "name a task by the start of its id, as nestor plan show prints it")
	}
	return s.edit(ctx, func(names *taskNames) (e plan.Edit, err error) {
		ids := make([]string, len(s.Args))
		for i, start := range s.Args {
			if ids[i], err = names.find(start); err != nil {
				return e, err
			}
		}
		how(&e, ids)
		return e, nil
	})
}

// move pins a task to a wave.
func (s shell) move(ctx context.Context) error {
	if len(s.Args) != 2 {
		return nestor.Errorf(nestor.CodeInvalid, "name a task by the start of its id, and the number of a wave")
	}
	wave, err := strconv.Atoi(s.Args[1])
	if err != nil {
		return nestor.Errorf(nestor.CodeInvalid, "%q is not the number of a wave", s.Args[1])
	}
	return s.edit(ctx, func(names *taskNames) (plan.Edit, error) {
		id, err := names.find(s.Args[0])
		return plan.Edit{Pin: map[string]int{id: wave}}, err
	})
}

// give hands a wave to agents.
func (s shell) give(ctx context.Context) error {
	if len(s.Args) != 1 {
		return nestor.Errorf(nestor.CodeInvalid, "name one wave by its number")
	}
	a, err := s.planned(ctx)
	if err != nil {
		return err
	}
	handed, err := call[HandedWave](ctx, s, http.MethodPost, sessionRoute(a.ID)+"/waves/"+url.PathEscape(s.Args[0])+"/run", nil)
	if err != nil {
		return err
	}
	s.say("Agents have %s, in a chat: nestor chat --chat %s", count(len(handed.Tasks), "task"), handed.ChatID)
	return nil
}

// planned is the session that has the current plan.
func (s shell) planned(ctx context.Context) (*LatestAnalysis, error) {
	a, err := s.latest(ctx)
	if err == nil && a.PrioritizedPlan == nil {
		err = errNoPlan
	}
	return a, err
}

// edit changes the current plan and prints it.
func (s shell) edit(ctx context.Context, how func(*taskNames) (plan.Edit, error)) error {
	a, err := s.planned(ctx)
	if err != nil {
		return err
	}
	tasks, err := s.allTasks(ctx)
	if err != nil {
		return err
	}
	names := newTaskNames(a.PrioritizedPlan.OrderedTaskIDs, tasks)
	e, err := how(names)
	if err != nil {
		return err
	}
	edited, err := call[EditedPlan](ctx, s, http.MethodPatch, sessionRoute(a.ID)+"/plan", e)
	if err != nil {
		return err
	}
	s.printPlan(&edited.PrioritizedTaskPlan, names)
	s.printNotices(edited.Notices)
	return nil
}
