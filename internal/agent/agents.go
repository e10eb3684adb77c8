package agent

import (
	"cmp"
	"context"
	"log/slog"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/ask"
	"github.com/nestorhq/nestor/internal/agent/billing"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/control"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
	"github.com/nestorhq/nestor/internal/agent/loop"
	"github.com/nestorhq/nestor/internal/agent/memory"
	"github.com/nestorhq/nestor/internal/agent/orchestrator"
	"github.com/nestorhq/nestor/internal/agent/participant"
	"github.com/nestorhq/nestor/internal/agent/remote"
	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/agent/toolrun"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/file"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// Options are what agents work with.
type Options struct {
	Store store.Documents
	// Models opens the model behind a connection of a user; "" is the default.
	Models Models
	// Tools are what agents can call.
	Tools Tools
	// Feed shows what is being written and tells of cancellations on other
	// nodes. Without one nothing streams, and what is cancelled there ends with
	// its next commit.
	Feed *feed.Feed
	// Roles of agents. Defaults to [role.Default].
	Roles *role.Roles
	// Remote has the agents whose work is done elsewhere. Nil if there are none.
	Remote func() *remote.Agents
	// Running has the work that [Interrupts] stop. Defaults to work that nobody stops.
	Running *interrupt.Running
	// Participants are those of modules that chats can talk to. Defaults to none.
	Participants func() []module.Participants
	// Local reports whether agents may run local tools by themselves, without a job
	// for each call. They may not if a program in place of the tool runner is to
	// see calls before they run. Defaults to yes.
	Local func() bool
	// Files keeps what people attach and tools return. Without it nobody sees any.
	Files *file.Library
	// Room reports why no model should be called for the document at a path. Defaults to
	// room for all.
	Room func(nestor.Path) error
	// UserBudget what each user may use in all. Defaults to no bound.
	UserBudget nestor.Budget
	// ContextTokens is the size from which a conversation is condensed.
	// Defaults to 120,000 or 80% of the model's window, whichever is less.
	ContextTokens int
	// Logger defaults to slog.Default().
	Logger *slog.Logger
}

// Models opens models, and Tools makes the tools of one run.
type (
	Models = module.Models
	Tools  = module.Tools
)

// Agents holds the handlers and the controls. It is safe for concurrent use.
type Agents struct {
	*orchestrator.Orchestrator
	*loop.Loop
	*toolrun.Runner
	*control.Control
	// Participants are whom chats can talk to.
	Participants *participant.Set

	handover *participant.Handover
	log      *slog.Logger
	store    store.Documents
	billing  *billing.Billing
	memory   *memory.Memory
}

// New makes the agents.
func New(opts Options) *Agents {
	if opts.Roles == nil {
		opts.Roles = role.Default()
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	asker := &ask.Asker{Store: opts.Store, Models: opts.Models, Feed: opts.Feed, Room: opts.Room, ContextTokens: opts.ContextTokens}
	var kept *toolrun.Files
	if opts.Files != nil {
		asker.Files, asker.InFlight, kept = opts.Files, ask.NewInFlight(), &toolrun.Files{Library: opts.Files, Log: opts.Logger}
	}
	billing := &billing.Billing{UserBudget: opts.UserBudget}
	box := &toolrun.Toolbox{Tools: opts.Tools, Roles: opts.Roles}
	everybody := &participant.Set{Roles: opts.Roles, Others: opts.Participants}
	running, known := cmp.Or(opts.Running, &interrupt.Running{}), memory.New(opts.Store)
	return &Agents{
		Orchestrator: &orchestrator.Orchestrator{Store: opts.Store, Roles: opts.Roles, Asker: asker, Billing: billing, Interrupts: running, Toolbox: box, Files: kept},
		Loop: &loop.Loop{
			Store: opts.Store, Roles: opts.Roles, Asker: asker, Billing: billing, Interrupts: running, Memory: known,
			Toolbox: box, Local: opts.Local, Files: kept, Remote: opts.Remote,
		},
		Runner:  &toolrun.Runner{Store: opts.Store, Roles: opts.Roles, Toolbox: box, Interrupts: running, Feed: opts.Feed, Files: kept},
		Control: &control.Control{Store: opts.Store, Roles: opts.Roles, StopOthers: everybody.Stop},

		Participants: everybody, handover: &participant.Handover{Store: opts.Store, Set: everybody},
		log: opts.Logger, store: opts.Store, billing: billing, memory: known,
	}
}

// Reserves reports whether agents have a control tool of this name.
func (*Agents) Reserves(tool string) bool { return slices.Contains(controltool.Names(), tool) }

// Answer has the participant of a chat answer what a person said there.
func (a *Agents) Answer(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	effect, handed, err := a.handover.HandOver(ctx, job)
	if handed || err != nil {
		return effect, err
	}
	return a.Orchestrate(ctx, job)
}

// AnswerFailed tells the chat why there is no answer.
func (a *Agents) AnswerFailed(job *nestor.Job, cause error) worker.Effect {
	return func(tx store.Tx) error {
		chat, err := store.Find[nestor.Chat](tx, chatdoc.ChatOf(job.Change.Path))
		if err != nil || chat == nil {
			return err
		}
		if kind, _ := nestor.ParseParticipant(chat.Participant); kind == nestor.KindOrchestrator || kind == nestor.KindModel {
			return a.OrchestrateFailed(job, cause)(tx)
		}
		return a.handover.Failed(job, cause)(tx)
	}
}

// ToolCallTold tells the chat of a standing agent what came of a call that a program
// in place of the tool runner ran.
func (a *Agents) ToolCallTold(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	return func(tx store.Tx) error {
		call, err := store.Find[nestor.ToolCall](tx, job.Change.Path)
		if err != nil || call == nil || !call.Untold || !call.Status.Ended() {
			return err
		}
		if err := lifecycle.TellResult(tx, job.Change.Path.Parent(), call); err != nil {
			return err
		}
		return chatdoc.Save(tx, job.Change.Path, call)
	}, nil
}

// Handlers do the work of the stages, by name.
func (a *Agents) Handlers() map[string]worker.Handler { return module.Handlers(a, handlers) }

// Committed tells of a commit of this process. Whoever runs the handlers
// registers it with the store, before the worker.
func (a *Agents) Committed(c store.Commit) { a.memory.Follow(c) }

// Call is the model call that a job of this process makes now, false if it makes none.
func (a *Agents) Call(job string) (ask.Call, bool) { return a.Orchestrator.Asker.Call(job) }
