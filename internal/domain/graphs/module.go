// Package graphs is the domain of agent graphs: its part of the API. It puts the rooms
// below it together: what a graph is and whose turn it is (graph), what is stored
// (record), how executions run (engine) and what nodes do (nodes).
package graphs

import (
	"context"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/nodes"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool/secret"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/usersecret"
	"github.com/nestorhq/nestor/internal/worker"
)

// kept is how long executions are kept after they ended.
const kept = 30 * 24 * time.Hour

// Options configure the domain.
type Options struct {
	// AllowPrivate lets http-request nodes reach any address. Defaults to public ones
	// only.
	AllowPrivate bool
	// Key returns what seals the secrets of users, once the module is opened.
	Key func() *access.Key
	// Services is a file of node types that are services. Defaults to none.
	Services string
	// Env looks up the variables of the environment that the file names.
	Env secret.Env
	// StopAgent ends a task of an agent for a user.
	StopAgent func(ctx context.Context, task nestor.Path, by string) error
	// PauseAgent and ResumeAgent let the agent of a task rest and go on.
	PauseAgent, ResumeAgent func(ctx context.Context, task nestor.Path, by string) error
}

// Module is the domain of agent graphs.
func Module(opts Options) module.Of[*Graphs] {
	return module.Of[*Graphs]{
		Name:        "graphs",
		Collections: record.Collections,
		Keep:        map[string]time.Duration{record.Executions.Name: kept, record.Progresses.Name: kept, record.Resolutions.Name: kept},
		Reactions:   engine.Reactions,
		Handlers: []module.Handler[*Graphs]{{
			Stage: trigger.Stage{Name: engine.Stage, Key: "node:{path}"},
			Run: func(g *Graphs, ctx context.Context, job *nestor.Job) (worker.Effect, error) {
				return g.engine.Resolve(ctx, job)
			},
			Exhausted: func(g *Graphs, job *nestor.Job, cause error) worker.Effect { return g.engine.GiveUp(job, cause) },
		}, {
			Stage: trigger.Stage{Name: engine.AgentEndedStage, Key: "node-agent:{path}"},
			Run: func(g *Graphs, ctx context.Context, job *nestor.Job) (worker.Effect, error) {
				return g.engine.AgentEnded(ctx, job)
			},
		}, {
			Stage: trigger.Stage{Name: engine.StopAgentStage, Key: "node-agent-stop:{path}"},
			Run: func(g *Graphs, ctx context.Context, job *nestor.Job) (worker.Effect, error) {
				return g.engine.AgentUnwanted(ctx, job)
			},
		}, {
			Stage: trigger.Stage{Name: engine.PauseAgentStage, Key: "node-agent-pause:{path}"},
			Run: func(g *Graphs, ctx context.Context, job *nestor.Job) (worker.Effect, error) {
				return g.engine.AgentPaused(ctx, job)
			},
		}, {
			Stage: trigger.Stage{Name: engine.SubGraphEndedStage, Key: "node-graph:{path}"},
			Run: func(g *Graphs, ctx context.Context, job *nestor.Job) (worker.Effect, error) {
				return g.engine.SubGraphEnded(ctx, job)
			},
		}, {
			Stage: trigger.Stage{Name: engine.StopSubGraphStage, Key: "node-graph-stop:{path}"},
			Run: func(g *Graphs, ctx context.Context, job *nestor.Job) (worker.Effect, error) {
				return g.engine.SubGraphUnwanted(ctx, job)
			},
		}},
		Tag:          httpapi.Tag{Name: "Graphs", Description: "Agent graphs, their executions, and the secrets that they use."},
		Routes:       routes(),
		Schemas:      schemas(),
		Participants: (*Graphs).participants,
		Committed:    func(g *Graphs, c store.Commit) { g.engine.Committed(c) },
		Interrupts:   engine.Interrupts,
		Open: func(_ context.Context, host module.Host) (*Graphs, error) {
			types := nodes.All(nodes.Options{AllowPrivate: opts.AllowPrivate})
			registered := host.NodeTypes
			if opts.Services != "" {
				services, err := nodes.LoadServices(opts.Services, opts.Env, opts.AllowPrivate)
				if err != nil {
					return nil, err
				}
				registered = append(slices.Clone(registered), services...)
			}
			for _, t := range registered {
				made, err := engine.Registered(*t)
				if err != nil {
					return nil, err
				}
				types = append(types, made)
			}
			secrets := &usersecret.Secrets{Store: host.Store, Key: opts.Key()}
			e, err := engine.New(engine.Options{
				Store: host.Store, Models: host.Models, Tools: host.Tools, Running: host.Running, UserBudget: host.UserBudget, Logger: host.Logger,
				StopAgent: opts.StopAgent, PauseAgent: opts.PauseAgent, ResumeAgent: opts.ResumeAgent, Secrets: secrets.Open,
			}, types...)
			return &Graphs{e, secrets, host.Feed}, err
		},
	}
}

// Cancel ends an execution, if it runs or is paused.
func (g *Graphs) Cancel(tx store.Tx, execution nestor.Path) error {
	_, err := g.engine.Stop(tx, execution)
	return err
}

// Graphs is what the handlers and routes of the module work with.
type Graphs struct {
	engine  *engine.Engine
	secrets *usersecret.Secrets
	feed    *feed.Feed
}
