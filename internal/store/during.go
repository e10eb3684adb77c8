package store

import (
	"context"

	"github.com/nestorhq/nestor"
)

type during struct{}

// During marks what the handler of a job does. Its [Documents.Update] then writes only
// while the job is ours, as [Queue.Complete] does: a node that was taken for gone and
// wakes up writes nothing beside the node that runs the job now.
func During(ctx context.Context, job *nestor.Job) context.Context {
	return context.WithValue(ctx, during{}, job)
}

// JobOf is the job of [During], nil if there is none.
func JobOf(ctx context.Context) *nestor.Job {
	job, _ := ctx.Value(during{}).(*nestor.Job)
	return job
}
