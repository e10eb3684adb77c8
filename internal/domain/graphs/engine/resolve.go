package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/ask"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/node"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/worker"
)

// Stage is the name of the handler of resolutions.
const Stage = "resolve-node"

// Timeout bounds one turn, all its tries included.
const Timeout = 15 * time.Minute

// turnTrigger leads to a job for each turn.
const turnTrigger = "node-has-its-turn"

// Reactions have each turn run that begins or is resumed. Nobody can replace them.
var Reactions = append([]nestor.Trigger{{
	ID: turnTrigger, Collection: "users/*/agent-graph-executions/*/resolutions", Events: []nestor.ChangeType{nestor.Create, nestor.Update},
	// A turn that was paused has a job again: the one it had may have found it paused.
	// One that is tried again has a job, which waits until it is time.
	Condition: "event.document.data.status == 'running' && (event.type == 'create' || has(event.before.data.paused) && !has(event.document.data.paused) || " +
		"has(event.document.data.retryTime) && (!has(event.before.data.retryTime) || event.before.data.retryTime != event.document.data.retryTime))",
	Action:  "POST /webhook/" + Stage,
	Retry:   nestor.RetryPolicy{MaxAttempts: 4, InitialBackoff: nestor.Duration(time.Second), MaxBackoff: nestor.Duration(30 * time.Second)},
	Timeout: nestor.Duration(Timeout),
}}, append(agentReactions, subGraphReactions...)...)

// CodeInterrupted is the code of a resolution that may have had its effect, and must
// not have it twice.
const CodeInterrupted = "interrupted"

// Interrupted is the error of a node that may have had its effect; see
// [node.Interrupted].
type Interrupted = node.Interrupted

var errRanBefore = nestor.Errorf(nestor.CodeCancelled, "its process ended while it ran")

// turn is what a job finds.
type turn struct {
	path       nestor.Path // of the resolution
	resolution record.Resolution
	read       *nestor.Document // the resolution as it was read
	node       *graph.Node
	*plan
	bill     *ask.Bill
	attempts int
	quick    bool // had in a transaction
}

func (t *turn) executionPath() nestor.Path { return t.path.Parent() }

// Resolve runs the node of a resolution.
func (e *Engine) Resolve(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	ctx, work := e.Running.Begin(ctx, job.Change.Path.Parent())
	defer work.Done()
	t, err := e.look(ctx, job)
	if err != nil || t == nil {
		return nil, err
	}
	work.Seen(t.read.Seq)
	if t.resolution.Recorded > 0 {
		return e.finishRecorded(t), nil
	}
	if t.resolution.Paused && !t.resolution.Begun {
		return nil, nil // it is resumed by a job of its own
	}
	if err := e.untilDue(ctx, t); err != nil {
		if interrupt.Happened(ctx) {
			return nil, nil
		}
		return nil, err
	}
	once := e.catalogue.Type(t.node.NodeID).EffectFor(t.node.Parameters) == tool.Once
	if once {
		switch found, err := e.claim(ctx, t); {
		case err != nil || found == unwanted:
			return nil, err
		case found == ranBefore:
			return e.finish(t, nil, t.failure(Interrupted{Err: errRanBefore})), nil
		}
	}
	if e.types[t.node.NodeID].Errand != nil {
		return e.delegate(t), nil
	}
	if e.types[t.node.NodeID].SubGraph != nil {
		return e.descend(t), nil
	}
	out, err := e.try(ctx, t)
	switch cause := context.Cause(ctx); {
	case interrupt.Happened(ctx):
		return t.bill.Pay, nil // nobody wants it any more
	case cause != nil && nestor.CodeOf(cause) != nestor.CodeTimeout:
		return nil, errors.Join(cause, err) // the process ends: another goes on
	case cause != nil && (once || errors.As(err, new(Interrupted))):
		err = Interrupted{Err: cause}
	case cause != nil:
		err = cause
	case errors.As(err, new(nestor.PutOff)) || errors.Is(err, errOverrun):
		return nil, err
	}
	if err != nil {
		return e.finish(t, nil, t.failure(err)), nil
	}
	return e.finish(t, out, nil), nil
}

// GiveUp fails the resolution of a job that failed for good.
func (e *Engine) GiveUp(job *nestor.Job, cause error) worker.Effect {
	return func(tx store.Tx) error {
		t, err := e.read(tx, job)
		switch {
		case nestor.CodeOf(err) == nestor.CodeInvalid && err != nil:
			err = e.abandon(tx, job.Change.Path.Parent(), err)
		case err == nil && t != nil:
			return e.finish(t, nil, t.failure(cause))(tx)
		}
		if err != nil {
			return err
		}
		return e.asker.NewBill(job.ID, job.Change.Path.UserID()).Drop(tx)
	}
}

// abandon fails an execution whose graph cannot be understood any more.
func (e *Engine) abandon(tx store.Tx, path nestor.Path, why error) error {
	progress, err := store.Find[record.Progress](tx, record.ProgressOf(path))
	if err != nil || progress == nil || progress.Ended {
		return err
	}
	m := &move{tx: tx, path: path, progress: progress, now: nestor.Millis(time.Now())}
	return m.end(record.ExecutionFailed, &record.Failure{Code: string(nestor.CodeOf(why)), Message: why.Error()})
}

func (t *turn) failure(err error) *record.Failure {
	f := &record.Failure{NodeID: t.node.ID, Code: string(nestor.CodeOf(err)), Message: storableText(err.Error())}
	switch {
	case errors.As(err, new(Interrupted)):
		f.Code = CodeInterrupted
	case nestor.CodeOf(err) == nestor.CodeInternal:
		f.Message = "the node failed for a reason of the server's own"
	}
	return f
}

// look returns nil if nothing is to be done any more. A job that began with the commit that
// wrote its resolution has nothing to read: whoever wrote it since, the commit finds out.
func (e *Engine) look(ctx context.Context, job *nestor.Job) (t *turn, err error) {
	if d := e.plans.take(job.Change.Path); d != nil {
		if p := e.plans.of(job.Change.Path.Parent()); p != nil && p.execution.ChatID == "" {
			return newTurn(d, p, e.asker.NewBill(job.ID, d.Path.UserID()))
		}
	}
	err = e.Store.View(ctx, func(r store.Reader) (err error) {
		t, err = e.read(r, job)
		return err
	})
	return t, err
}

func (e *Engine) read(r store.Reader, job *nestor.Job) (*turn, error) {
	return e.readAt(r, job.Change.Path, e.asker.NewBill(job.ID, job.Change.Path.UserID()))
}

func (e *Engine) readAt(r store.Reader, resolution nestor.Path, bill *ask.Bill) (*turn, error) {
	d, err := store.FindDocument(r, resolution)
	if err != nil || d == nil {
		return nil, err
	}
	p, err := e.plan(r, resolution.Parent())
	if err != nil || p == nil {
		return nil, err
	}
	t, err := newTurn(d, p, bill)
	if err != nil || t == nil || p.execution.ChatID == "" {
		return t, err
	}
	return t, e.asker.InChat(r, t.bill, p.execution.Chat())
}

// newTurn returns nil if the turn has ended.
func newTurn(d *nestor.Document, p *plan, bill *ask.Bill) (*turn, error) {
	r, err := nestor.As[record.Resolution](d)
	if err != nil || r.Status != record.ResolutionRunning {
		return nil, err
	}
	return &turn{path: d.Path, resolution: r, read: d, node: nodeOf(&p.execution.Graph, r.NodeID), plan: p, bill: bill}, nil
}

// try runs the node, again as often as it says.
func (e *Engine) try(ctx context.Context, t *turn) (out map[string]json.RawMessage, err error) {
	retry := graph.Retry{Attempts: 1}
	if t.node.Retry != nil {
		retry = *t.node.Retry
	}
	for {
		t.attempts++
		out, err = e.run(ctx, t)
		if err == nil || ctx.Err() != nil || t.attempts >= retry.Attempts || !passing(err) {
			return out, err
		}
		if err := e.Options.Pause(ctx, time.Duration(retry.PauseMS)*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	return llm.Pause(ctx, d, "the wait to try a node again")
}

// final reports whether another try would fail for the same reason.
func final(code nestor.Code) bool {
	switch code {
	case nestor.CodeInvalid, nestor.CodeForbidden, nestor.CodeTooLarge, nestor.CodeOverBudget:
		return true
	}
	return false
}

// passing reports whether another try may succeed.
func passing(err error) bool {
	return !final(nestor.CodeOf(err)) && !errors.As(err, new(nestor.PutOff)) && !errors.As(err, new(Interrupted)) && !errors.Is(err, errOverrun)
}

// run runs the node once. A panic of a node type is a failure of its node.
func (e *Engine) run(ctx context.Context, t *turn) (out map[string]json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			e.Logger.Error("a node panicked", "path", t.path, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if err := e.complete(t); err != nil {
		return nil, err
	}
	if !e.types[t.node.NodeID].Quick || t.quick {
		return e.runOnce(ctx, t)
	}
	if waits := e.processor.compute(ctx, t.path.UserID(), func() { out, err = e.runOnce(ctx, t) }); waits != nil {
		return nil, waits
	}
	return out, err
}

func (e *Engine) runOnce(ctx context.Context, t *turn) (out map[string]json.RawMessage, err error) {
	c := e.call(t)
	made, err := e.types[t.node.NodeID].Run(ctx, c)
	if err == nil {
		out, err = encode(made)
	}
	if err != nil {
		return nil, c.hidden.err(err)
	}
	return c.hidden.outputs(out)
}

// complete refuses a turn that comes before what it needs.
func (e *Engine) complete(t *turn) error {
	for _, in := range e.catalogue.Type(t.node.NodeID).Inputs {
		if in.Required && in.Type != graph.Signal && t.resolution.Inputs[in.ID] == nil {
			return nestor.Errorf(nestor.CodeInvalid, "nothing has come to the input %q yet", in.ID)
		}
	}
	return nil
}

func (e *Engine) call(t *turn) *Call {
	return &Call{
		UserID: t.path.UserID(), Run: store.RunAt(t.path, t.execution.RunID), Execution: t.executionPath().ID(), Number: t.resolution.Number, Node: t.node, Input: t.execution.Input, Inputs: t.resolution.Inputs,
		Connected: func(port string) bool {
			return slices.ContainsFunc(t.execution.Graph.Edges, func(e graph.Edge) bool { return e.TargetNodeID == t.node.ID && e.TargetPortID == port })
		},
		Key: nestor.DeriveID("node", string(t.path)), Asker: e.asker, Bill: t.bill, Tools: e.Tools, Journal: &Journal{e, t},
		reveal: e.Secrets, hidden: hidden{map[string]string{}}, Quick: t.quick,
	}
}

// finish writes what came of a resolution and moves the execution on, unless it has
// ended. What was used is paid for in any case.
func (e *Engine) finish(t *turn, out map[string]json.RawMessage, failure *record.Failure) worker.Effect {
	return func(tx store.Tx) error {
		if err := e.merge(tx, t, out, failure); err != nil {
			return err
		}
		return t.bill.Pay(tx)
	}
}

func (e *Engine) merge(tx store.Tx, t *turn, out map[string]json.RawMessage, failure *record.Failure) error {
	store.Assume(tx, t.read, e.plans.progress(t.executionPath()))
	progress, err := findToWrite[record.Progress](tx, record.ProgressOf(t.executionPath()))
	if err != nil || progress == nil || progress.Ended {
		return err
	}
	r := t.resolution
	r.RetryTime = 0
	if failure == nil {
		r.Journal = nil // it has served its purpose, and the outputs tell
	}
	if t.attempts > 1 {
		r.Attempts = t.attempts
	}
	m := &move{
		engine: e, tx: tx, path: t.executionPath(), plan: t.plan, progress: progress, known: map[int]*record.Resolution{}, now: nestor.Millis(time.Now()),
	}
	err = m.finish(t.node, &r, out, failure, func() error {
		_, err := tx.Put(t.path, r, store.AnyVersion)
		return err
	})
	if err != nil || m.ended {
		return err
	}
	return m.advance()
}
