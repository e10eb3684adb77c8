package agent

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

//go:embed prompts/report.md
var reportPrompt string

// report is what the orchestrator knows when a task is done.
type report struct {
	turn
	task nestor.Task
	// request is what the user had said that led to the task.
	request string
	// siblings are the other tasks of the same message, if this one is the
	// last of them to end. Reports of a chat are written in the order in which
	// tasks end, so the others have been reported by then.
	siblings []nestor.Task
}

// finalize answers in the chat with what came of a task, once for each time
// that it succeeds. The last of several tasks of one message also draws the
// conclusion from all.
func (a *Orchestrator) finalize(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	r, err := a.readReport(ctx, job)
	if err != nil || r == nil {
		return nil, err
	}
	if r.task.Type == nestor.TaskTool && len(r.siblings) == 0 {
		return r.plain(), nil // who calls a tool without a model wants what it said
	}
	p := a.orchestratorPrompt(&r.turn)
	p.system, p.turns, p.keep = reportPrompt, []condense.Turn{{ID: "report", Message: userTurn(r.ask())}}, nil
	p.draft = feed.Draft{Path: r.messagePath(), TaskID: r.task.ID}
	said, err := a.Asker.generate(ctx, p)
	var no *refusal
	switch {
	case errors.As(err, &no):
		return r.without(a, no.reply, r.plain()), nil
	case errors.Is(err, nestor.ErrOverBudget):
		return instead(job, r.scopes, r.plain()), nil // the result is there; only its wording is too dear
	case err != nil:
		return nil, err
	}
	return func(tx store.Tx) error {
		if err := a.pay(tx, &r.turn, said); err != nil {
			return err
		}
		return r.write(tx, said.text, said.meta)
	}, nil
}

// reported reports whether the chat is told of a result: that of a nested task
// went to the agent that created it. A task that is at work again already has
// its last result until the next.
func reported(task *nestor.Task) bool {
	if task.Status == nestor.TaskSuccess {
		return task.ParentCallID == ""
	}
	return task.ParentAgentID == "" && task.Result != ""
}

// readReport returns nil if there is nothing to report, or it was done.
func (a *Orchestrator) readReport(ctx context.Context, job *nestor.Job) (r *report, err error) {
	path := chatOf(job.Change.Path)
	err = a.Store.View(ctx, func(tx store.Reader) error {
		r = nil
		task, err := store.Find[nestor.Task](tx, job.Change.Path)
		if err != nil || task == nil || !reported(task) {
			return err
		}
		task.Status = nestor.TaskSuccess // as it was
		chat, err := get[nestor.Chat](tx, path)
		if err != nil {
			return err
		}
		r = &report{turn: turn{job: job, path: path, chat: chat, dialogue: &dialogue{}}, task: *task}
		if written, err := exists(tx, r.messagePath()); err != nil || written {
			r = nil
			return err
		}
		if err := a.bill(tx, &r.turn, task.AskedBy); err != nil || task.TriggerMessageID == "" {
			return err
		}
		message, err := store.Find[nestor.Message](tx, path.Child("messages", task.TriggerMessageID))
		if err != nil {
			return err
		}
		if message != nil {
			r.request = message.Content
		}
		return r.readSiblings(tx)
	})
	return r, err
}

func (r *report) readSiblings(tx store.Reader) error {
	q := tasksOf(r.path)
	q.Where = store.Where("triggerMessageId", store.Eq, r.task.TriggerMessageID)
	tasks, err := all[nestor.Task](tx, q)
	if err != nil {
		return err
	}
	for _, t := range tasks {
		switch {
		case t.ParentAgentID != "" || t.ID == r.task.ID:
		case !t.Status.Ended() || t.Seq > r.task.Seq:
			r.siblings = nil
			return nil
		default:
			r.siblings = append(r.siblings, t)
		}
	}
	return nil
}

func (r *report) ask() string {
	var b strings.Builder
	if r.request != "" {
		fmt.Fprintf(&b, "# Message\n%s\n\n", r.request)
	}
	b.WriteString("# Report\n")
	b.WriteString(taskLine(r.task, len(r.task.Result)))
	for _, t := range r.siblings {
		b.WriteString(taskLine(t, siblingLength))
	}
	return b.String()
}

// siblingLength bounds what is repeated of tasks that were reported before.
const siblingLength = 4_000

func (r *report) write(tx store.Tx, content string, meta *nestor.MessageMetadata) error {
	if content == "" {
		content = cmp.Or(r.task.Result, "It is done. There was nothing to say.")
	}
	return save(tx, r.messagePath(), nestor.Message{
		Role: nestor.RoleAssistant, Type: nestor.MessageText, Content: content, TaskID: r.task.ID, IsLLMMessage: new(true), Metadata: meta,
	})
}

// plain reports the result as it is.
func (r *report) plain() worker.Effect {
	return func(tx store.Tx) error { return r.write(tx, r.task.Result, nil) }
}

// finalizeFailed reports the result as it is: a model that does not answer must
// not keep it from the user.
func (a *Orchestrator) finalizeFailed(job *nestor.Job, _ error) worker.Effect {
	path := chatOf(job.Change.Path)
	return func(tx store.Tx) error {
		task, err := store.Find[nestor.Task](tx, job.Change.Path)
		if err != nil || task == nil || task.ParentCallID != "" {
			return err
		}
		return (&report{turn: turn{job: job, path: path}, task: *task}).write(tx, task.Result, nil)
	}
}

// taskFailed tells the user what failed and why. The words are the runtime's:
// a model may be what failed.
func (a *Orchestrator) taskFailed(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	return func(tx store.Tx) error {
		task, err := store.Find[nestor.Task](tx, job.Change.Path)
		if err != nil || task == nil || task.ParentCallID != "" || task.Status != nestor.TaskFailed {
			return err
		}
		message := chatOf(job.Change.Path).Child("messages", job.DeriveID("failure"))
		if written, err := exists(tx, message); err != nil || written {
			return err
		}
		return save(tx, message, nestor.Message{
			Role: nestor.RoleAssistant, Type: nestor.MessageError, TaskID: task.ID, IsLLMMessage: new(true),
			Content: failure(task),
		})
	}, nil
}

func failure(task *nestor.Task) string {
	what := excerpt(oneLine(assignment(task)), 120)
	if task.Type == nestor.TaskTool {
		return fmt.Sprintf("The call “%s” failed: %s", what, task.Error)
	}
	role, _ := strings.CutPrefix(task.Name, "agent:")
	return fmt.Sprintf("The %s agent could not finish “%s”: %s", role, what, task.Error)
}
