package runs

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs/need"
	"github.com/nestorhq/nestor/internal/store"
)

// lookout finds out what is waited for.
type lookout struct {
	runs *Runs
	docs store.Reader
	now  time.Time
}

// beside are stages that nobody waits for.
var beside = []string{"title"}

// The stages whose work is known here; see agent.handlers.
const (
	answering = "orchestrator"
	starting  = "agent-init"
	stepping  = "agent-loop"
	calling   = "tool-runner"
)

// asking are the stages that ask a model.
var asking = []string{answering, "orchestrator-finalize", "orchestrator-notify", stepping}

// job says what a job waits for, nothing if nobody waits for the job.
func (l *lookout) job(j *nestor.Job) (Wait, error) {
	trigger, _ := l.runs.triggers.Get(j.Trigger)
	w := Wait{Trigger: j.Trigger, Stage: trigger.Handler, Since: max(j.CreatedAt, j.RunAt), Attempt: j.Attempt}
	if slices.Contains(beside, w.Stage) {
		return Wait{}, nil
	}
	if err := l.who(&w, j.Change.Path); err != nil {
		return w, err
	}
	due := j.RunAt <= l.now.UnixMilli()
	switch {
	case j.State == nestor.JobRunning:
		l.running(&w, j)
	case j.State == nestor.JobBlocked:
		w.Code, w.Since = WaitTurn, j.CreatedAt
	case strings.HasPrefix(j.Error, store.Interrupted):
		w.Code = WaitRestart // the words would name nodes
	case due:
		w.Code = WaitQueue
	case j.Attempt == 0 && j.Error != "": // an attempt that could not begin does not count
		w.Code, w.Since, w.Until, w.Error = WaitBudget, j.CreatedAt, j.RunAt, excerpt(j.Error, maxError)
	default:
		w.Code, w.Since, w.Until, w.Error = WaitRetry, 0, j.RunAt, excerpt(j.Error, maxError)
	}
	return w, nil
}

// running says what a job waits for that is being worked on.
func (l *lookout) running(w *Wait, j *nestor.Job) {
	call, here := Asking{}, false
	if l.runs.asking != nil {
		call, here = l.runs.asking(j.ID)
	}
	switch {
	case here && call.Failure != nil:
		w.Code, w.Model, w.Since, w.Until = WaitRetry, call.Model, 0, call.Again.UnixMilli()
		w.Error = excerpt(call.Failure.Error(), maxError)
	case here && call.Place:
		w.Code, w.Model, w.Since = WaitPlace, call.Model, call.Since.UnixMilli()
	case here:
		w.Code, w.Model, w.Since = WaitModel, call.Model, call.Since.UnixMilli()
	case slices.Contains(asking, w.Stage):
		w.Code = WaitModel
	case w.Stage == calling && w.Tool != "":
		w.Code = WaitTool
	default:
		w.Code = WaitStage
	}
}

// who says which agent, and which call, what lies at a path belongs to.
func (l *lookout) who(w *Wait, p nestor.Path) error {
	agent := nestor.Path("")
	switch {
	case store.SubAgentToolCalls.Has(p):
		agent, w.CallID = p.Parent(), p.ID()
		call, err := store.Find[nestor.ToolCall](l.docs, p)
		if err != nil {
			return err
		}
		if call != nil {
			w.Tool = call.ToolName
		}
	case store.SubAgentMessages.Has(p):
		agent = p.Parent()
	case store.SubAgents.Has(p):
		agent = p
	case store.Tasks.Has(p):
		w.TaskID = p.ID()
		task, err := store.Find[nestor.Task](l.docs, p)
		if task != nil {
			w.about(task)
		}
		return err
	default:
		return nil
	}
	a, err := store.Find[nestor.SubAgent](l.docs, agent)
	if a != nil {
		w.SubAgentID, w.TaskID, w.Role, w.Helper = a.ID, a.TaskID, a.Role, !a.Standing
	}
	return err
}

func (w *Wait) about(task *nestor.Task) {
	w.TaskID, w.SubAgentID, w.Helper = task.ID, task.SubAgentID, !task.Standing
	w.Role = strings.TrimPrefix(task.Name, "agent:")
}

// resting says what a run waits for of which no job is left.
func (l *lookout) resting(run *nestor.Run) (list []Wait, err error) {
	if run.Status.Ended() {
		return l.unanswered(run)
	}
	for _, below := range run.WaitingFor {
		p := run.Of(below)
		if !store.Tasks.Has(p) {
			list = append(list, Wait{Code: WaitExecution, Since: run.UpdatedAt})
			continue
		}
		task, err := store.Find[nestor.Task](l.docs, p)
		if err != nil {
			return nil, err
		}
		if task == nil || task.Status.Ended() {
			continue
		}
		w, err := l.task(p.Parent(), task)
		if err != nil {
			return nil, err
		}
		if w.Code != "" {
			list = append(list, w)
		}
	}
	return list, nil
}

// unanswered says why nothing came of a message: the trigger of its answer may have been
// switched off.
func (l *lookout) unanswered(run *nestor.Run) ([]Wait, error) {
	if run.Kind != nestor.RunOfMessage || run.Status != nestor.RunSuccess || len(run.Answers) > 0 || run.JoinedTo != "" {
		return nil, nil
	}
	off := l.off(answering)
	said, err := store.Find[nestor.Message](l.docs, run.Of(run.Root))
	if err != nil || off == "" || said == nil || said.HandedTo != "" || said.ExecutionID != "" {
		return nil, err
	}
	return []Wait{{Code: WaitOff, Trigger: off, Stage: answering, Since: run.BeganAt}}, nil
}

// task says what a task waits for, nothing if it waits for others that are listed, too.
func (l *lookout) task(chat nestor.Path, task *nestor.Task) (Wait, error) {
	w := Wait{Since: task.UpdatedAt}
	w.about(task)
	switch {
	case task.Status == nestor.TaskWaiting:
		w.Code = WaitPerson
		return w, nil
	case task.Paused:
		w.Code = WaitPaused
		return w, nil
	case task.Status == nestor.TaskPending:
		w.Code, w.Stage, w.Trigger = WaitOff, starting, l.off(starting)
		return w.ifOff(), nil
	}
	stage := stepping
	q := store.Query{Collection: string(chat.Child("sub-agents", task.SubAgentID)) + "/tool-calls", Where: store.Where("status", store.In, openCalls)}
	err := store.Each(l.docs, q, func(_ nestor.Path, c *nestor.ToolCall) {
		kind, open := need.OfCall(c)
		switch {
		case w.Code != "":
		case open:
			w.Code, w.CallID, w.Tool, w.Since = WaitDecision, c.ID, c.ToolName, c.UpdatedAt
			if kind == need.Result {
				w.Code = WaitClient
			}
		case c.TaskID != "":
			stage = "" // it waits for that task, which is listed
		case c.Status == nestor.ToolCallPending && !c.Held:
			stage = calling
		}
	})
	if err != nil || w.Code != "" || stage == "" {
		return w, err
	}
	w.Code, w.Stage, w.Trigger = WaitOff, stage, l.off(stage)
	return w.ifOff(), nil
}

var openCalls = []nestor.ToolCallStatus{nestor.ToolCallPending, nestor.ToolCallAwaitingApproval, nestor.ToolCallRunning, nestor.ToolCallUnknown}

func (w Wait) ifOff() Wait {
	if w.Trigger == "" {
		return Wait{}
	}
	return w
}

// causes are the documents whose writing begins the work of a stage. Other triggers of a
// stage set going again what was begun.
var causes = map[string]string{answering: "/messages", starting: "/tasks", stepping: "/messages", calling: "/tool-calls"}

// off is a trigger that begins the work of a stage and is switched off, "" if one is on.
func (l *lookout) off(stage string) (id string) {
	for _, t := range l.runs.triggers.List() {
		switch {
		case t.Handler != stage || !strings.HasSuffix(string(t.Collection), causes[stage]):
		case t.Enabled == nil || *t.Enabled:
			return ""
		default:
			id = cmp.Or(id, t.ID)
		}
	}
	return id
}

// maxError bounds what is told of a failure.
const maxError = 300
