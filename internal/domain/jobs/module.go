// Package jobs is the domain of what the runtime is doing: triggers, and the jobs
// that they cause. It has their part of the API and of the metrics, and the handler
// that tells in the log that a trigger fired. How they work is in the packages
// trigger and worker.
package jobs

import (
	"context"
	"reflect"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// Module is the domain of triggers and jobs.
var Module = module.Of[*Jobs]{
	Name:     "jobs",
	Handlers: []module.Handler[*Jobs]{{Stage: trigger.Stage{Name: trigger.Log}, Run: (*Jobs).tell}},
	Tag:      httpapi.Tag{Name: "Jobs", Description: "Triggers say what a change of a document causes; jobs are the work that came of it. For administrators."},
	Routes:   routes(),
	Schemas: openapi.Schemas{Types: map[string]reflect.Type{
		"Trigger": reflect.TypeFor[trigger.Info](),
		"Change":  reflect.TypeFor[nestor.Change](),
	}},
	Metrics: func(j *Jobs) []prometheus.Collector {
		return []prometheus.Collector{&jobCounts{j.store}, &triggerCounts{j.triggers}}
	},
	Open: func(_ context.Context, host module.Host) (*Jobs, error) {
		return &Jobs{store: host.Store, triggers: host.Triggers, log: host.Logger}, nil
	},
}

// tell tells that a trigger fired.
func (j *Jobs) tell(_ context.Context, about *nestor.Job) (worker.Effect, error) {
	j.log.Info("trigger fired", "trigger", about.Trigger, "event", about.Change.Type, "path", about.Change.Path, "seq", about.Change.Seq)
	return nil, nil
}
