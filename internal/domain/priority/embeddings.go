package priority

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// vectorReactions let vectors follow their tasks.
var vectorReactions = []nestor.Trigger{{
	ID:         "on-tasks-found",
	Collection: "users/*/processed-documents",
	Condition:  "event.document.data.status == 'completed'",
	Action:     "POST /webhook/embed-tasks",
}, {
	// Another model is to make the vectors of a user.
	ID:         "on-vectors-wanted",
	Collection: "users/*/task-vectors",
	Action:     "POST /webhook/embed-tasks",
}}

// vectorHandlers make vectors, of one document or one user at a time.
var vectorHandlers = []module.Handler[*Priority]{{
	Stage: trigger.Stage{Name: "embed-tasks", Key: "vectors:{path}", Coalesce: true},
	Run: func(p *Priority, ctx context.Context, job *nestor.Job) (worker.Effect, error) {
		return p.library.EmbedTasks(ctx, job)
	},
	Exhausted: func(p *Priority, job *nestor.Job, cause error) worker.Effect { return p.library.EmbedFailed(job, cause) },
}}
