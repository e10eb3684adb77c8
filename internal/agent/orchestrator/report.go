package orchestrator

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

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

// Finalize answers in the chat with what came of a task, once for each time
// that it succeeds. The last of several tasks of one message also draws the
// conclusion from all.
func (o *Orchestrator) Finalize(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	r, err := o.readReport(ctx, job)
	if err != nil || r == nil {
		return nil, err
	}
	if r.task.Standing {
		return o.standingAnswer(r), nil
	}
	if r.task.Type == nestor.TaskTool && len(r.siblings) == 0 {
		return r.plain(), nil // a person who calls a tool without a model wants its result
	}
	p := o.orchestratorPrompt(&r.turn)
	p.System, p.Turns, p.Keep = reportPrompt, []condense.Turn{{ID: "report", Message: conversation.UserTurn(r.ask())}}, nil
	p.Draft = feed.Draft{Path: r.messagePath(), TaskID: r.task.ID}
	said, err := o.Asker.Ask(ctx, p)
	if err != nil {
		return r.instead(o, r.plain()).Effect(ctx, err) // the result is there: only its wording is missing
	}
	return func(tx store.Tx) error {
		if err := store.Expect(tx, r.path, r.messagePath()); err != nil {
			return err
		}
		if err := o.pay(tx, &r.turn, said); err != nil {
			return err
		}
		return r.write(tx, said.Text, said.Meta)
	}, nil
}

// reported reports whether the chat is told of a result: that of a nested task
// went to the agent that created it. A task that is at work again keeps its last
// result until the next.
func reported(task *nestor.Task) bool {
	if task.Status == nestor.TaskSuccess {
		return task.ParentCallID == ""
	}
	return task.ParentAgentID == "" && task.Result != ""
}

// readReport returns nil if there is nothing to report, or it was done.
func (o *Orchestrator) readReport(ctx context.Context, job *nestor.Job) (r *report, err error) {
	path := chatdoc.ChatOf(job.Change.Path)
	err = o.Store.View(ctx, func(tx store.Reader) error {
		r = nil
		of := turn{job: job, path: path, dialogue: &conversation.Dialogue{}}
		if err := store.Expect(tx, job.Change.Path, path, of.messagePath()); err != nil {
			return err
		}
		task, err := store.Find[nestor.Task](tx, job.Change.Path)
		if err != nil || task == nil || !reported(task) {
			return err
		}
		task.Status = nestor.TaskSuccess // even if it is at work again
		if of.chat, err = chatdoc.Get[nestor.Chat](tx, path); err != nil {
			return err
		}
		r = &report{turn: of, task: *task}
		if written, err := chatdoc.Exists(tx, r.messagePath()); err != nil || written {
			r = nil
			return err
		}
		if err := o.bill(tx, &r.turn, task.AskedBy); err != nil || task.TriggerMessageID == "" {
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
	q := chatdoc.TasksOf(r.path)
	q.Where = store.Where("triggerMessageId", store.Eq, r.task.TriggerMessageID)
	tasks, err := chatdoc.All[nestor.Task](tx, q)
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
	return chatdoc.Save(tx, r.messagePath(), nestor.Message{
		Role: nestor.RoleAssistant, Type: nestor.MessageText, Content: content, TaskID: r.task.ID, IsLLMMessage: new(true), Metadata: meta,
	})
}

// plain reports the result as it is.
func (r *report) plain() worker.Effect {
	return func(tx store.Tx) error { return r.write(tx, r.task.Result, nil) }
}

// FinalizeFailed reports the result as it is: a model that does not answer must
// not keep it from the user.
func (o *Orchestrator) FinalizeFailed(job *nestor.Job, _ error) worker.Effect {
	path := chatdoc.ChatOf(job.Change.Path)
	return func(tx store.Tx) error {
		task, err := store.Find[nestor.Task](tx, job.Change.Path)
		if err != nil || task == nil || task.ParentCallID != "" {
			return err
		}
		r := &report{turn: turn{job: job, path: path}, task: *task}
		if task.Standing {
			return o.standingAnswer(r)(tx)
		}
		return r.write(tx, task.Result, nil)
	}
}

// TaskFailed tells the user what failed and why. The words are the runtime's:
// a model may be what failed.
func (o *Orchestrator) TaskFailed(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	return func(tx store.Tx) error {
		task, err := store.Find[nestor.Task](tx, job.Change.Path)
		if err != nil || task == nil || task.ParentCallID != "" || task.Status != nestor.TaskFailed {
			return err
		}
		message := chatdoc.ChatOf(job.Change.Path).Child("messages", job.DeriveID("failure"))
		if written, err := chatdoc.Exists(tx, message); err != nil || written {
			return err
		}
		m := nestor.Message{
			Role: nestor.RoleAssistant, Type: nestor.MessageError, TaskID: task.ID, IsLLMMessage: new(true),
			Content: failure(task),
		}
		if task.Outcome == nestor.TaskCouldNot {
			if task.Standing {
				return tellOf(chatdoc.ChatOf(job.Change.Path), task, task.Error)(tx)
			}
			m.Type = nestor.MessageText // nothing broke
		}
		if task.Standing {
			agent, err := chatdoc.FindAgent(tx, chatdoc.ChatOf(job.Change.Path), task)
			if err != nil {
				return err
			}
			if agent != nil && len(agent.Unanswered) > 0 {
				m.RepliesTo = agent.Unanswered[len(agent.Unanswered)-1]
			}
		}
		return chatdoc.Save(tx, message, m)
	}, nil
}

func failure(task *nestor.Task) string {
	if task.Standing {
		return "This could not be answered: " + task.Error
	}
	what := wording.Excerpt(wording.OneLine(wording.Assignment(task)), 120)
	if task.Type == nestor.TaskTool {
		return fmt.Sprintf("The call “%s” failed: %s", what, task.Error)
	}
	role, _ := strings.CutPrefix(task.Name, "agent:")
	if task.Outcome == nestor.TaskCouldNot {
		return fmt.Sprintf("The %s agent could not do “%s”:\n\n%s", role, what, task.Error)
	}
	return fmt.Sprintf("The %s agent could not finish “%s”: %s", role, what, task.Error)
}

//go:embed report.md
var reportPrompt string
