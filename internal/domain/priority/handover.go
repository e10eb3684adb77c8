package priority

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/domain/priority/analyst"
	"github.com/nestorhq/nestor/internal/domain/priority/plan"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

const reasonNothingToDo = "NOTHING_TO_DO"

// HandedWave is a wave that agents work on.
type HandedWave struct {
	ChatID string       `json:"chat_id"`
	Tasks  []HandedTask `json:"tasks"`
}

// HandedTask is a task of a plan and the agent's task that came of it.
type HandedTask struct {
	TaskID      string            `json:"task_id"`
	AgentTaskID string            `json:"agent_task_id"`
	Status      nestor.TaskStatus `json:"status"`
}

// runWave hands the tasks of a wave to agents, in a chat of their own. Tasks that an
// agent works on already are left out.
func (p *Priority) runWave(r *httpapi.Request) (any, error) {
	number, err := strconv.Atoi(r.PathValue("wave"))
	if err != nil {
		return nil, refuse("wave", "is the number of a wave, not %.20q", r.PathValue("wave"))
	}
	at := sessionAt(r)
	chat := record.Of(r.UserID()).Child("orch-chats", analyst.WaveChat+nestor.NewID())
	if err := cmp.Or(r.MayAct(chat), reachesBasis(r)); err != nil {
		return nil, err
	}
	var answer HandedWave
	err = r.Act(at, func(tx store.Tx) error {
		b, err := readBoard(tx, at)
		if err != nil {
			return err
		}
		wave, err := b.wave(number)
		if err != nil {
			return err
		}
		answer, err = b.handOver(tx, chat, wave)
		return err
	})
	return answer, err
}

// wave finds a wave with work for agents.
func (b *board) wave(number int) (w record.ExecutionWave, err error) {
	waves := b.session.PrioritizedPlan.ExecutionWaves
	if number < 1 || number > len(waves) {
		return w, nestor.Errorf(nestor.CodeNotFound, "the plan has waves 1 to %d, and no wave %d", len(waves), number)
	}
	w = waves[number-1]
	var free []string
	for _, id := range w.TaskIDs {
		if t, ok := b.known[id]; ok && !t.underWay() {
			free = append(free, id)
		}
	}
	if len(free) == 0 {
		return w, httpapi.Because(reasonNothingToDo, nestor.Errorf(nestor.CodeConflict, "agents work on all tasks of wave %d already", number))
	}
	w.TaskIDs = free
	return w, nil
}

// underWay reports whether an agent works on a task.
func (t PlannableTask) underWay() bool { return t.Status != "" && !nestor.TaskStatus(t.Status).Ended() }

// handOver writes a chat with a task for an agent for each task of a wave.
func (b *board) handOver(tx store.Tx, chat nestor.Path, wave record.ExecutionWave) (HandedWave, error) {
	handed := HandedWave{ChatID: chat.ID()}
	title := fmt.Sprintf("Wave %d: %s", wave.WaveNumber, b.known[wave.TaskIDs[0]].Text)
	if err := account.NewChat(tx, chat, title); err != nil {
		return handed, err
	}
	_, err := tx.Create(chat.Child("messages", nestor.NewID()), nestor.Message{
		Role: nestor.RoleAssistant, Type: nestor.MessageStatus, Content: b.announcement(wave), IsLLMMessage: new(false),
	})
	if err != nil {
		return handed, err
	}
	for _, id := range wave.TaskIDs {
		if _, err := tx.Create(chat.Child("tasks", id), nestor.Task{
			Type: nestor.TaskAgent, Name: "agent:general", Status: nestor.TaskPending, Title: b.known[id].Text, Instruction: b.instruction(id),
		}); err != nil {
			return handed, err
		}
		err := b.note(tx, id, func(s *record.TaskState) {
			s.ChatID, s.AgentTaskID, s.Status, s.Result = chat.ID(), id, string(nestor.TaskPending), ""
		})
		if err != nil {
			return handed, err
		}
		handed.Tasks = append(handed.Tasks, HandedTask{TaskID: id, AgentTaskID: id, Status: nestor.TaskPending})
	}
	return handed, nil
}

func (b *board) announcement(wave record.ExecutionWave) string {
	if len(wave.TaskIDs) == 1 {
		return fmt.Sprintf("A task of wave %d was given to an agent.", wave.WaveNumber)
	}
	return fmt.Sprintf("%d tasks of wave %d were given to agents.", len(wave.TaskIDs), wave.WaveNumber)
}

// instruction tells an agent its task, what it is for, where to read more about it, and what
// came of the tasks that it depends on.
func (b *board) instruction(id string) string {
	var s strings.Builder
	t := b.known[id]
	s.WriteString(t.Text + "\n")
	if b.outcome != nil {
		s.WriteString("\nWhat it is for: " + b.outcome.AssembledText)
	}
	if t.DueDate != "" {
		s.WriteString("\nIt is due on " + plan.DayInWords(t.DueDate) + ".")
	}
	if t.NotBefore > b.limits.Today {
		s.WriteString("\nIt is not possible before " + plan.DayInWords(t.NotBefore) + ".")
	}
	fmt.Fprintf(&s, "\nIt stands in the document “%s”, which %s returns for {\"task_ids\": [%q]}, if you need to know more. The other tasks there are not yours.",
		t.DocumentTitle, analyst.DocumentContext, id)
	for _, d := range b.session.PrioritizedPlan.Dependencies {
		before := b.known[d.TargetTaskID]
		if d.SourceTaskID == id && d.RelationshipType.Orders() && before.Result != "" {
			s.WriteString("\n\nWhat came of “" + before.Text + "”:\n" + before.Result)
		}
	}
	return s.String()
}

// taskMoved notes, about a task of a plan, how far its agent is and what came of it.
func (p *Priority) taskMoved(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	return func(tx store.Tx) error {
		at := job.Change.Path
		page, err := tx.Query(store.Query{Flat: record.TaskStates.Name, Limit: 1, Where: &store.Filter{And: []store.Filter{
			*store.Where("userId", store.Eq, at.UserID()), *store.Where("id", store.Eq, at.ID()),
		}}})
		if err != nil || len(page.Items) == 0 {
			return err
		}
		state, err := nestor.As[record.TaskState](page.Items[0])
		if err != nil || state.ChatID != at.Parent().ID() {
			return err // it was handed to another agent since
		}
		task, err := store.Find[nestor.Task](tx, at)
		if err != nil {
			return err
		}
		if task == nil {
			task = &nestor.Task{Status: nestor.TaskCancelled}
		}
		state.Status, state.Result = string(task.Status), outcomeOf(task)
		_, err = tx.Put(page.Items[0].Path, state, store.AnyVersion)
		return err
	}, nil
}

// outcomeOf is what a card shows of an agent's task: its result, why there is none,
// or what the agent asks.
func outcomeOf(t *nestor.Task) string {
	switch t.Status {
	case nestor.TaskSuccess:
		return t.Result
	case nestor.TaskWaiting:
		return t.Question
	default:
		return t.Error
	}
}
