package toolrun

import (
	"context"
	"fmt"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/worker"
)

// Runner carries out the calls of agents.
type Runner struct {
	Store      store.Documents
	Roles      *role.Roles
	Toolbox    *Toolbox
	Interrupts *interrupt.Running
	// Files keeps what tools return. May be nil.
	Files *Files
	// Feed shows which calls are under way. Nobody is shown any without one.
	Feed *feed.Feed
}

// run is a tool call and what belongs to it.
type run struct {
	path  nestor.Path // of the call
	agent nestor.SubAgent
	call  nestor.ToolCall
	role  role.Role
	// claimed is when this run claimed the call, if it had to.
	claimed int64
}

func (r *run) agentPath() nestor.Path { return r.path.Parent() }

// RunTool carries out one call. Whatever goes wrong with the call is a result,
// too, which the model sees.
func (runner *Runner) RunTool(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	path := job.Change.Path
	ctx, work := runner.Interrupts.Begin(ctx, path.Parent())
	defer work.Done()
	r, err := runner.readRun(ctx, path)
	if err != nil || r == nil {
		return nil, err
	}
	work.Seen(r.agent.Seq)
	tools := runner.Toolbox.Of(ctx, &r.agent)
	r.understand(tools)
	if controltool.Has(r.call.ToolName) {
		return runner.control(r), nil
	}
	t, known := tools.Lookup(r.call.ToolName)
	if known {
		r.call.Effect = string(t.Effect)
		switch {
		case r.call.Status == nestor.ToolCallRunning && t.Effect == tool.Once:
			return r.unknown(job, ""), nil
		case t.NeedsApproval && !approved(&r.call):
			return r.awaitApproval(job), nil
		case t.Effect == tool.Once:
			switch found, err := runner.claim(ctx, r); {
			case err != nil:
				return nil, err
			case found == nestor.ToolCallRunning:
				return r.unknown(job, ""), nil // claimed since, by a run of this job that had been taken for dead
			case found != nestor.ToolCallPending:
				return nil, nil // somebody ended or decided it
			}
		}
	}
	if r.call.StartedAt = r.claimed; r.claimed == 0 {
		r.call.StartedAt = chatdoc.Now()
	}
	shown := runner.Feed.Begin(feed.Draft{Path: path, TaskID: r.agent.TaskID, SubAgentID: r.agent.ID, RunID: r.agent.RunID})
	defer shown.Done()
	shown.Tool(r.call.ID, r.call.ToolName, "started")
	result := tools.Execute(ctx, tool.Call{
		Scope:          Scope(&r.agent, r.agentPath(), r.askers()),
		ID:             r.call.ID,
		Name:           r.call.ToolName,
		Arguments:      conversation.ArgumentText(r.call.Args),
		IdempotencyKey: r.call.ID,
	})
	if ctx.Err() != nil && !interrupt.Happened(ctx) && result.Code == nestor.CodeCancelled {
		return nil, context.Cause(ctx) // the process stops; the call is made again, or found unknown
	}
	r.call.DurationMS = result.Duration.Milliseconds()
	if result.Status == nestor.ToolCallUnknown {
		return r.unknown(job, result.Error), nil
	}
	files := runner.Files.Keep(ctx, path, &result)
	return r.finish(result.Status, result.Said(), files...), nil
}

// understand takes a call that somebody else's loop left pending as it is meant.
func (r *run) understand(tools *tool.Registry) {
	was := nestor.FunctionCall{Name: r.call.ToolName, Arguments: conversation.ArgumentText(r.call.Args)}
	name, arguments := tools.Meant(was.Name, was.Arguments)
	if name != was.Name || arguments != was.Arguments {
		r.call.Sent = &was
		r.call.ToolName, r.call.Args = name, conversation.Arguments(llm.ToolCall{Name: name, Arguments: arguments})
	}
}

// askers are those for whom the call is made: those who asked when the agent
// wanted it, and those who have spoken to the agent since, as all of them learn
// what came of it.
func (r *run) askers() nestor.Askers {
	askers := r.agent.AskedBy
	for _, id := range r.call.AskedBy {
		askers = askers.Or(r.path.UserID()).Joined(id)
	}
	return askers
}

// readRun returns nil if the call is not to be run now.
func (runner *Runner) readRun(ctx context.Context, path nestor.Path) (r *run, err error) {
	err = runner.Store.View(ctx, func(tx store.Reader) error {
		r = nil
		call, err := store.Find[nestor.ToolCall](tx, path)
		if err != nil || call == nil || call.Held ||
			call.Status != nestor.ToolCallPending && call.Status != nestor.ToolCallRunning {
			return err
		}
		agent, err := chatdoc.Get[nestor.SubAgent](tx, path.Parent())
		if err != nil || agent.Status != nestor.SubAgentActive {
			return err
		}
		r = &run{path: path, agent: agent, call: *call, role: runner.Roles.Roles[agent.Role]}
		return nil
	})
	return r, err
}

// claim records that a call is run whose tool must run once. If the process ends
// during the run, the next attempt finds the claim, and the call is of unknown
// effect. claim returns the status it found: a call that was not pending is not
// claimed.
func (runner *Runner) claim(ctx context.Context, r *run) (found nestor.ToolCallStatus, err error) {
	err = runner.Store.Update(ctx, func(tx store.Tx) error {
		call, err := chatdoc.Get[nestor.ToolCall](tx, r.path)
		if err != nil {
			return err
		}
		if found = call.Status; found != nestor.ToolCallPending {
			return nil
		}
		agent, err := chatdoc.Get[nestor.SubAgent](tx, r.agentPath())
		if err != nil {
			return err
		}
		if agent.Status != nestor.SubAgentActive {
			found = nestor.ToolCallCancelled // it is about to be
			return nil
		}
		r.claimed = max(chatdoc.Now(), call.StartedAt+1) // later than that of any run before
		call.Status, call.StartedAt, call.DurationMS, call.Effect = nestor.ToolCallRunning, r.claimed, 0, r.call.Effect
		return chatdoc.Save(tx, r.path, call)
	})
	return found, err
}

// current reads the call in the transaction that ends it. It is nil when
// somebody ended or decided it meanwhile, or another run claimed it: then that
// counts.
func (r *run) current(tx store.Tx) (*nestor.ToolCall, error) {
	call, err := store.Find[nestor.ToolCall](tx, r.path)
	if err != nil || call == nil || call.Status != nestor.ToolCallPending && call.Status != nestor.ToolCallRunning {
		return nil, err
	}
	if r.claimed != 0 && (call.Status != nestor.ToolCallRunning || call.StartedAt != r.claimed) {
		return nil, nil
	}
	if call.Sent == nil && r.call.Sent != nil {
		call.ToolName, call.Args, call.Sent = r.call.ToolName, r.call.Args, r.call.Sent
	}
	call.Effect, call.StartedAt, call.DurationMS = r.call.Effect, r.call.StartedAt, r.call.DurationMS
	return call, nil
}

func (r *run) finish(status nestor.ToolCallStatus, text string, files ...nestor.Part) worker.Effect {
	return func(tx store.Tx) error {
		call, err := r.current(tx)
		if err != nil || call == nil {
			return err
		}
		return lifecycle.FinishCall(tx, r.agentPath(), call, status, text, files...)
	}
}

// unknown has a person decide about a call that was interrupted, by the end of
// the process or for the reason given.
func (r *run) unknown(job *nestor.Job, why string) worker.Effect {
	if why != "" {
		why = " (" + wording.Excerpt(wording.Storable(why), 300) + ")"
	}
	return r.park(job, nestor.ToolCallUnknown, fmt.Sprintf(
		"A call of **%s** with `%s` was interrupted%s, and nobody knows whether it took effect. Retry it, mark it as done, or skip it.",
		r.call.ToolName, wording.Excerpt(conversation.ArgumentText(r.call.Args), 500), why))
}

// awaitApproval is for a call that somebody else's loop left pending.
func (r *run) awaitApproval(job *nestor.Job) worker.Effect {
	return r.park(job, nestor.ToolCallAwaitingApproval, lifecycle.ApprovalNotice(&r.call))
}

// park makes a call wait for a person, and tells the chat.
func (r *run) park(job *nestor.Job, status nestor.ToolCallStatus, notice string) worker.Effect {
	return func(tx store.Tx) error {
		call, err := r.current(tx)
		if err != nil || call == nil {
			return err
		}
		call.Status = status
		if err := chatdoc.Save(tx, r.path, call); err != nil {
			return err
		}
		return chatdoc.Save(tx, chatdoc.ChatOf(r.path).Child("messages", job.DeriveID("notice")), nestor.Message{
			Role: nestor.RoleSystem, Type: nestor.MessageStatus, Content: notice, TaskID: r.agent.TaskID, QuestionID: call.ID,
		})
	}
}

// RunToolFailed makes the failure of the runner itself a result.
func (runner *Runner) RunToolFailed(job *nestor.Job, cause error) worker.Effect {
	r := &run{path: job.Change.Path}
	return func(tx store.Tx) error {
		call, err := r.current(tx)
		if err != nil || call == nil {
			return err
		}
		return lifecycle.FinishCall(tx, r.agentPath(), call, nestor.ToolCallFailed, wording.Reason(job, cause))
	}
}

// control carries out a control call that somebody else's loop left pending.
func (runner *Runner) control(r *run) worker.Effect {
	in, err := controltool.Understand(r.call.ToolName, conversation.ArgumentText(r.call.Args), r.role, r.agent.Depth)
	if err != nil {
		return r.finish(nestor.ToolCallFailed, err.Error())
	}
	return func(tx store.Tx) error {
		call, err := r.current(tx)
		if err != nil || call == nil || call.TaskID != "" {
			return err
		}
		agent, err := chatdoc.Get[nestor.SubAgent](tx, r.agentPath()) // as it is now: others may have spoken to it
		if err != nil {
			return err
		}
		return lifecycle.StartChild(tx, r.agentPath(), &agent, call, in)
	}
}

func approved(call *nestor.ToolCall) bool {
	n := len(call.Decisions)
	return n > 0 && (call.Decisions[n-1].Action == nestor.Approve || call.Decisions[n-1].Action == nestor.RetryCall)
}
