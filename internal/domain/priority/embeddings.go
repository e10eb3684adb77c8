package priority

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/library"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/worker"
)

// vectorReactions and vectorHandlers let vectors follow their tasks.
var vectorReactions = library.Reactions

var vectorHandlers = []module.Handler[*Priority]{{
	Stage: library.Stage,
	Run: func(p *Priority, ctx context.Context, job *nestor.Job) (worker.Effect, error) {
		return p.library.EmbedTasks(ctx, job)
	},
	Exhausted: func(p *Priority, job *nestor.Job, cause error) worker.Effect {
		return p.library.EmbedFailed(job, cause)
	},
}}
