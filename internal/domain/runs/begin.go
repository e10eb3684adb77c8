package runs

import (
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	graphs "github.com/nestorhq/nestor/internal/domain/graphs/record"
	priority "github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/store"
)

// Store has the store begin and check runs.
var Store = &store.Runs{Check: checkTrigger, Begin: Begin, Joins: joins}

// joins is the task of a new agent: the agent works for its run.
func joins(p nestor.Path, fields map[string]any) nestor.Path {
	task, _ := fields["taskId"].(string)
	if !store.SubAgents.Has(p) || nestor.CheckID(task) != nil {
		return ""
	}
	return p.Parent().Child("tasks", task)
}

// Begin is what is written of a run that a new document begins, nil if it begins none.
func Begin(p nestor.Path, fields map[string]any) *nestor.Run {
	run := &nestor.Run{Status: nestor.RunRunning, Root: below(p), BeganAt: nestor.Millis(time.Now())}
	switch {
	case store.Messages.Has(p):
		if fields["role"] != string(nestor.RoleUser) {
			return nil
		}
		run.Kind, run.ChatID = nestor.RunOfMessage, p.Parent().ID()
		run.By, _ = fields["authorId"].(string)
	case store.Tasks.Has(p):
		run.Kind, run.ChatID = nestor.RunOfTask, p.Parent().ID()
		if askers, ok := fields["askedBy"].([]any); ok && len(askers) > 0 {
			run.By, _ = askers[len(askers)-1].(string)
		}
	case graphs.Executions.Has(p):
		run.Kind = nestor.RunOfGraph
	case priority.Sessions.Has(p):
		run.Kind = nestor.RunOfPrioritisation
	default:
		return nil
	}
	if run.By == p.UserID() {
		run.By = ""
	}
	return run
}

// below is a path below the user.
func below(p nestor.Path) nestor.Path {
	return nestor.Path(strings.TrimPrefix(string(p), p.Tenant()+"/"))
}
