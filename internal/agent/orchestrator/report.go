package orchestrator

import (
	"context"
	"fmt"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// A task that ends is told in the chat at once and as it is, without a model. That is all if it
// answers the user. A result that comes back sets the orchestrator going, once all
// tasks of the same message have ended: the results stand in the conversation then.

// end is the end of a task, as it is about to be told.
type end struct {
	job  *nestor.Job
	chat nestor.Path
	task nestor.Task
	// message is what the chat is told, and where.
	path    nestor.Path
	message nestor.Message
	told    bool // it is there
	// back: the result comes back. last: no other task of the message is at work.
	// beside: others have ended before, which nobody cancelled.
	back, last, beside bool
}

// Finalize tells in the chat what came of a task, once for each time that it succeeds.
func (o *Orchestrator) Finalize(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	return o.tellEnd(ctx, job, succeeded)
}

// TaskFailed tells the user what failed and why. The words are the runtime's:
// a model may be what failed.
func (o *Orchestrator) TaskFailed(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	return o.tellEnd(ctx, job, failed)
}

func (o *Orchestrator) tellEnd(ctx context.Context, job *nestor.Job, read func(store.Reader, *end) (bool, error)) (worker.Effect, error) {
	ctx, work := o.Interrupts.Begin(ctx, chatdoc.ChatOf(job.Change.Path))
	defer work.Done()
	e, err := o.readEnd(ctx, job, read)
	if err != nil || e == nil {
		return nil, err
	}
	if said, ok := e.standingAnswer(); ok {
		return tellOf(e.chat, &e.task, said), nil
	}
	switch {
	case !e.back:
		return e.tell, nil
	case !e.last && e.told:
		return nil, nil
	case !e.last:
		return e.tell, nil
	case !e.told: // people see it before a model is asked
		if err := o.Store.Update(ctx, e.tell); err != nil {
			return nil, err
		}
	}
	return o.goOn(ctx, work, e)
}

// Cancelled goes on with results that came back, if the last task that they waited for is one
// that a person cancelled.
func (o *Orchestrator) Cancelled(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	ctx, work := o.Interrupts.Begin(ctx, chatdoc.ChatOf(job.Change.Path))
	defer work.Done()
	e := &end{job: job, chat: chatdoc.ChatOf(job.Change.Path)}
	err := o.Store.View(ctx, func(r store.Reader) error {
		e.back = false
		m, err := store.Find[nestor.Message](r, job.Change.Path)
		if err != nil || m == nil {
			return err
		}
		task, err := store.Find[nestor.Task](r, chatdoc.TaskPath(e.chat, m.TaskID))
		if err != nil || task == nil || task.Status != nestor.TaskCancelled || task.Standing {
			return err
		}
		e.task = *task
		return e.readGroup(r)
	})
	if err != nil || !e.back || !e.last || !e.beside {
		return nil, err
	}
	return o.goOn(ctx, work, e)
}

// goOn has the orchestrator take a turn: all results stand in the conversation.
func (o *Orchestrator) goOn(ctx context.Context, work *interrupt.Work, e *end) (worker.Effect, error) {
	t, err := o.readTurn(ctx, e.job, conclusion)
	if err != nil || t == nil {
		return nil, err
	}
	work.Seen(t.dialogue.Seen())
	if kind, _ := nestor.ParseParticipant(t.chat.Participant); kind != nestor.KindOrchestrator {
		return nil, nil // nobody here goes on
	}
	if len(t.dialogue.Open) == 0 {
		if err := o.Store.View(ctx, func(r store.Reader) error { return o.bill(r, t, e.task.AskedBy) }); err != nil {
			return nil, err
		}
	}
	t.event = allEnded
	return o.take(ctx, t)
}

// allEnded tells the model that it is its turn.
const allEnded = "All that was started has ended; the results stand above as events, and the user sees them. Take the next step if the user's request needs one, " +
	"or say what the user asked for beyond the results, without repeating them. If that is nothing, call " + controltool.NothingToAdd + ".\n"

// readEnd returns nil if there is nothing to tell.
func (o *Orchestrator) readEnd(ctx context.Context, job *nestor.Job, read func(store.Reader, *end) (bool, error)) (e *end, err error) {
	err = o.Store.View(ctx, func(r store.Reader) error {
		e = nil
		next := &end{job: job, chat: chatdoc.ChatOf(job.Change.Path)}
		task, err := store.Find[nestor.Task](r, job.Change.Path)
		if err != nil || task == nil || task.ParentCallID != "" || task.Deliver == nestor.DeliverNone {
			return err
		}
		next.task = *task
		if tells, err := read(r, next); err != nil || !tells {
			return err
		}
		if next.told, err = chatdoc.Exists(r, next.path); err != nil {
			return err
		}
		e = next
		if task.Standing {
			return nil
		}
		return e.readGroup(r)
	})
	return e, err
}

// succeeded is the report of a result. A task that is at work again keeps its last
// result until the next.
func succeeded(_ store.Reader, e *end) (bool, error) {
	if e.task.Status != nestor.TaskSuccess && (e.task.ParentAgentID != "" || e.task.Result == "") {
		return false, nil
	}
	e.task.Status = nestor.TaskSuccess // even if it is at work again
	e.path = e.chat.Child("messages", e.job.DeriveID(answer))
	e.message = nestor.Message{
		Role: nestor.RoleAssistant, Type: nestor.MessageText, Content: wording.Result(&e.task), TaskID: e.task.ID,
		Title: wording.Title(&e.task), IsLLMMessage: new(true),
	}
	return true, nil
}

// failed is the report of a failure.
func failed(r store.Reader, e *end) (bool, error) {
	if e.task.Status != nestor.TaskFailed {
		return false, nil
	}
	e.path = e.chat.Child("messages", e.job.DeriveID("failure"))
	e.message = nestor.Message{
		Role: nestor.RoleAssistant, Type: nestor.MessageError, TaskID: e.task.ID, IsLLMMessage: new(true), Content: failure(&e.task),
	}
	if e.task.Outcome == nestor.TaskCouldNot {
		e.message.Type = nestor.MessageText // nothing broke
	}
	if !e.task.Standing {
		e.message.Title = wording.Title(&e.task)
		return true, nil
	}
	agent, err := chatdoc.FindAgent(r, e.chat, &e.task)
	if err == nil && agent != nil && len(agent.Unanswered) > 0 {
		e.message.RepliesTo = agent.Unanswered[len(agent.Unanswered)-1]
	}
	return true, err
}

// standingAnswer is what a standing agent ended with, false if it is none or broke.
func (e *end) standingAnswer() (string, bool) {
	could := e.task.Outcome == nestor.TaskCouldNot
	if could {
		return e.task.Error, e.task.Standing
	}
	return e.task.Result, e.task.Standing && e.task.Status == nestor.TaskSuccess
}

// readGroup says whether the result comes back, and whether it is the last one to do so.
func (e *end) readGroup(r store.Reader) error {
	if e.task.TriggerMessageID == "" {
		return nil // no message led to it
	}
	q := chatdoc.TasksOf(e.chat)
	q.Where = store.Where("triggerMessageId", store.Eq, e.task.TriggerMessageID)
	tasks, err := chatdoc.All[nestor.Task](r, q)
	if err != nil {
		return err
	}
	e.back, e.last = e.task.Deliver == nestor.DeliverReturn || e.task.Outcome == nestor.TaskCouldNot, true
	for _, t := range tasks {
		switch {
		case t.ParentAgentID != "" || t.ID == e.task.ID || t.Deliver == nestor.DeliverNone:
			continue
		case t.Status.Ended() && t.EndedAt < e.task.CreatedAt:
			continue // this task came of its result
		case !t.Status.Ended() || t.Seq > e.task.Seq:
			e.last = false
		case t.Status != nestor.TaskCancelled:
			e.beside = true
		}
		// Of several agents without a delivery, as programs start them, all come back.
		several := e.task.Deliver == "" && e.task.Type != nestor.TaskTool && t.Type != nestor.TaskTool
		e.back = e.back || t.Deliver == nestor.DeliverReturn || several
	}
	if e.back || e.task.Status != nestor.TaskSuccess {
		return nil
	}
	e.back, err = e.late(r)
	return err
}

// late reports whether a person said something new since, other than to agents.
func (e *end) late(r store.Reader) (bool, error) {
	q := chatdoc.MessagesOf(e.chat)
	q.OrderBy, q.Limit = []store.Order{{Field: "createdAt", Desc: true}}, mostLooked
	page, err := r.Query(q)
	if err != nil {
		return false, err
	}
	passedOn := map[string]bool{}
	for _, d := range page.Items {
		m, err := nestor.As[nestor.Message](d)
		switch {
		case err != nil:
			return false, err
		case m.Role == nestor.RoleAssistant && passesOn(&m):
			for _, id := range append(m.Answers, m.RepliesTo) {
				passedOn[id] = true
			}
		case m.ID == e.task.TriggerMessageID:
			return false, nil
		case m.Role == nestor.RoleUser && m.QuestionID == "" && !passedOn[m.ID]:
			return true, nil
		}
	}
	return false, nil
}

// mostLooked is how many messages are looked at for something new.
const mostLooked = 30

// passesOn reports whether an answer gave agents what it answers.
func passesOn(m *nestor.Message) bool {
	return slices.ContainsFunc(m.ToolCalls, func(c nestor.ToolRequest) bool {
		return c.Function.Name == controltool.ReplyToAgent || c.Function.Name == controltool.ReactivateAgent
	})
}

// tell writes the end into the chat.
func (e *end) tell(tx store.Tx) error {
	if there, err := chatdoc.Exists(tx, e.path); err != nil || there {
		return err
	}
	return chatdoc.Save(tx, e.path, e.message)
}

// FinalizeFailed tells what is to be told in any case: a model that does not answer must
// not keep it from the user.
func (o *Orchestrator) FinalizeFailed(job *nestor.Job, cause error) worker.Effect {
	return o.tellAnyway(job, cause, succeeded)
}

// TaskFailedFailed does so for a failure.
func (o *Orchestrator) TaskFailedFailed(job *nestor.Job, cause error) worker.Effect {
	return o.tellAnyway(job, cause, failed)
}

func (o *Orchestrator) tellAnyway(job *nestor.Job, cause error, read func(store.Reader, *end) (bool, error)) worker.Effect {
	return func(tx store.Tx) error {
		e := &end{job: job, chat: chatdoc.ChatOf(job.Change.Path)}
		task, err := store.Find[nestor.Task](tx, job.Change.Path)
		if err != nil || task == nil || task.ParentCallID != "" || task.Deliver == nestor.DeliverNone {
			return err
		}
		e.task = *task
		if tells, err := read(tx, e); err != nil || !tells {
			return err
		}
		if said, ok := e.standingAnswer(); ok {
			return tellOf(e.chat, task, said)(tx)
		}
		there, err := chatdoc.Exists(tx, e.path)
		if err != nil {
			return err
		}
		if !there {
			return chatdoc.Save(tx, e.path, e.message)
		}
		return o.CancelledFailed(job, cause)(tx)
	}
}

// CancelledFailed tells that nobody goes on with the results.
func (o *Orchestrator) CancelledFailed(job *nestor.Job, cause error) worker.Effect {
	return func(tx store.Tx) error {
		return chatdoc.Save(tx, chatdoc.ChatOf(job.Change.Path).Child("messages", job.DeriveID("unconcluded")), nestor.Message{
			Role: nestor.RoleSystem, Type: nestor.MessageError, Content: "This could not be concluded: " + wording.Reason(job, cause),
		})
	}
}

func failure(task *nestor.Task) string {
	if task.Standing {
		return "This could not be answered: " + task.Error
	}
	if task.Type == nestor.TaskTool {
		return fmt.Sprintf("The call “%s” failed: %s", wording.Excerpt(wording.OneLine(wording.Assignment(task)), 120), task.Error)
	}
	if task.Outcome == nestor.TaskCouldNot {
		return fmt.Sprintf("“%s” could not be done:\n\n%s", wording.Title(task), task.Error)
	}
	return fmt.Sprintf("“%s” could not be finished: %s", wording.Title(task), task.Error)
}
