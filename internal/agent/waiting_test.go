package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
)

// modest is a model that takes far less than is reserved for it.
func modest(_ context.Context, _ *llm.Request, say func(llm.Event)) error {
	say(llm.Usage{Input: 100, Output: 10})
	say(llm.Text{Text: "Done."})
	return nil
}

// waits reports whether a job was put off because another call has reserved what
// it needs.
func (w *world) waits() bool {
	return slices.ContainsFunc(w.jobs(), func(j nestor.Job) bool { return strings.Contains(j.Error, "are reserved by running calls") })
}

// The budget has room for one call at a time: whoever comes second waits for the
// first, and neither fails.
func TestATaskWaitsForWhatItsSiblingReserved(t *testing.T) {
	eachBench(t, func(t *testing.T, b *bench) {
		w := newWorld(t, b, setup{
			Chat:   nestor.Chat{Budget: &nestor.Budget{PerDay: &nestor.Allowance{Tokens: 4000}}},
			models: map[string]llm.Model{"": speaker(modest)},
		})
		w.gates.close("model Task A")
		w.do("task general: Task A")
		w.update(func(tx store.Tx) error {
			_, err := tx.Create(w.chat.Child("tasks", "second"), nestor.Task{
				Type: nestor.TaskAgent, Status: nestor.TaskPending, Name: "agent:general", Instruction: "Task B",
			})
			return err
		})
		w.until("the second waits", w.waits)
		w.gates.openAll()
		w.finish()
		tasks := list[nestor.Task](w, w.chat, "tasks")
		for _, task := range tasks {
			if task.Status != nestor.TaskSuccess {
				t.Errorf("%q is %s: %s", task.Instruction, task.Status, task.Error)
			}
		}
		if len(tasks) != 2 {
			t.Errorf("there are %d tasks", len(tasks))
		}
	})
}

// The budgets of the account and the project bound every chat there, as they are
// when a call is made.
func TestTheBudgetsOfPlacesBoundTheirChats(t *testing.T) {
	for _, place := range []nestor.Path{"accounts/PLACE", "accounts/PLACE/projects/PLACE.p"} {
		eachBench(t, func(t *testing.T, b *bench) {
			id := nestor.NewID()
			place := nestor.Path(strings.ReplaceAll(string(place), "PLACE", id))
			w := newWorld(t, b, setup{
				Chat: nestor.Chat{AccountID: id, ProjectID: id + ".p"}, models: map[string]llm.Model{"": speaker(modest)},
			})
			bound := func(limit nestor.Allowance) {
				w.update(func(tx store.Tx) error {
					_, err := tx.Put(place, map[string]any{"name": "x", "members": map[string]string{w.chat.UserID(): "owner"}, "budget": nestor.Budget{PerMonth: &limit}}, store.AnyVersion)
					return err
				})
			}
			for i, tt := range []struct {
				limit nestor.Allowance
				want  string
			}{
				{nestor.Allowance{Tokens: 100_000}, ""},
				{nestor.Allowance{Tokens: 300}, "tokens per month: "},
				{nestor.Allowance{CostMicros: 1}, "has no known price"},
				{nestor.Allowance{}, ""},
			} {
				bound(tt.limit)
				w.do("task general: Work.")
				w.rest()
				tasks := list[nestor.Task](w, w.chat, "tasks")
				if len(tasks) != i+1 {
					t.Fatalf("there are %d tasks", len(tasks))
				}
				failed := 0
				for _, task := range tasks {
					if tt.want != "" && strings.Contains(task.Error, tt.want) {
						failed++
					}
					if task.Status != nestor.TaskSuccess && task.Error == "" {
						t.Errorf("%+v: a task is %s", tt.limit, task.Status)
					}
				}
				if want := tt.want != ""; failed != 0 != want {
					t.Errorf("%+v: %d tasks failed because of %q", tt.limit, failed, tt.want)
				}
			}
		})
	}
}
