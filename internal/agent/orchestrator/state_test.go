package orchestrator

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestStateBlock(t *testing.T) {
	long := strings.Repeat("word ", 200)
	tests := []struct {
		name string
		task nestor.Task
		want string
	}{
		{
			"a task that has not started",
			nestor.Task{Meta: nestor.Meta{ID: "t1"}, Name: "agent:general", Status: nestor.TaskPending, Instruction: "Do\n it."},
			"- task t1 | agent (not started) | agent:general | pending | instruction: Do it.\n",
		},
		{
			"one that waits, with its question below the line",
			nestor.Task{Meta: nestor.Meta{ID: "t1"}, SubAgentID: "a1", Name: "agent:general", Status: nestor.TaskWaiting, Instruction: "a|b", Question: "Left\nor right?"},
			"- task t1 | agent a1 | agent:general | waiting | instruction: a/b | question: Left\n  or right?\n",
		},
		{
			"one that succeeded, with the beginning of a long result",
			nestor.Task{Meta: nestor.Meta{ID: "t1"}, SubAgentID: "a1", Name: "agent:general", Status: nestor.TaskSuccess, Instruction: "Do it.", Result: long},
			"- task t1 | agent a1 | agent:general | success | instruction: Do it. | result: " + strings.TrimSpace(long[:600]) + "…\n",
		},
		{
			"one that failed, with the reason",
			nestor.Task{Meta: nestor.Meta{ID: "t1"}, SubAgentID: "a1", Name: "agent:general", Status: nestor.TaskFailed, Instruction: "Do it.", Error: "no key"},
			"- task t1 | agent a1 | agent:general | failed | instruction: Do it. | error: no key\n",
		},
		{
			"one that runs again keeps its last result to itself",
			nestor.Task{Meta: nestor.Meta{ID: "t1"}, SubAgentID: "a1", Name: "agent:general", Status: nestor.TaskRunning, Instruction: "Do it.", Result: "old"},
			"- task t1 | agent a1 | agent:general | running | instruction: Do it.\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := stateBlock([]nestor.Task{tt.task}, false); got != "# State\n"+tt.want {
				t.Errorf("got\n%s", got)
			}
		})
	}
	if got := stateBlock(nil, false); got != "# State\nThere are no tasks yet.\n" {
		t.Errorf("got\n%s", got)
	}
}

func TestTheStateHasTheRecentTasksAndEveryOneThatWaits(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		chat := nestor.Path("users/u/orch-chats/c")
		const tasks = recentTasks + 5
		if err := s.Update(t.Context(), func(tx store.Tx) error {
			if _, err := tx.Create(chat, nestor.Chat{}); err != nil {
				return err
			}
			for i := range tasks {
				status := nestor.TaskSuccess
				if i == 1 || i == tasks-1 {
					status = nestor.TaskWaiting
				}
				if _, err := tx.Create(chatdoc.TaskPath(chat, fmt.Sprintf("t%02d", i)), nestor.Task{Type: nestor.TaskAgent, Name: "agent:general", Status: status}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		var got []string
		err := s.View(t.Context(), func(r store.Reader) error {
			list, err := readState(r, chat)
			got = nil
			for _, task := range list {
				got = append(got, task.ID)
			}
			return err
		})
		want := []string{"t01"}
		for i := 5; i < tasks; i++ {
			want = append(want, fmt.Sprintf("t%02d", i))
		}
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, %v\nwant %v", got, err, want)
		}
	})
}
