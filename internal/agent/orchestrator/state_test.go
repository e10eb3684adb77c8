package orchestrator

import (
	"fmt"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestStateBlock(t *testing.T) {
	at := func(hour, minute int) int64 { return time.Date(2026, 11, 19, hour, minute, 0, 0, time.UTC).UnixMilli() }
	meta := nestor.Meta{ID: "t1", UpdatedAt: at(9, 5)}
	tests := []struct {
		name string
		task nestor.Task
		want string
	}{
		{
			"a task that has not started",
			nestor.Task{Meta: meta, Name: "agent:general", Status: nestor.TaskPending, Instruction: "Do\n it."},
			"- A3 | general | Do it. | pending since 09:05\n",
		},
		{
			"one that waits, with its question below the line",
			nestor.Task{Meta: meta, Name: "agent:general", Title: "a|b", Status: nestor.TaskWaiting, Instruction: "Do it.", Question: "Left\nor right?"},
			"- A3 | general | a/b | waiting since 09:05 | question: Left\n  or right?\n",
		},
		{
			"one that succeeded: its result stands in the conversation",
			nestor.Task{Meta: meta, Name: "agent:general", Status: nestor.TaskSuccess, Instruction: "Do it.", Result: "Done so.", EndedAt: at(9, 4)},
			"- A3 | general | Do it. | success since 09:04\n",
		},
		{
			"one that failed, with the reason",
			nestor.Task{Meta: meta, Name: "agent:general", Status: nestor.TaskFailed, Instruction: "Do it.", Error: "no key", EndedAt: at(9, 4)},
			"- A3 | general | Do it. | failed since 09:04 | error: no key\n",
		},
		{
			"one that runs",
			nestor.Task{Meta: meta, Name: "agent:general", Status: nestor.TaskRunning, Instruction: "Do it.", StartedAt: at(9, 1)},
			"- A3 | general | Do it. | running since 09:01\n",
		},
	}
	const today = "# State\nIt is Thursday, 19 November 2026, 09:06 UTC.\n"
	now := time.UnixMilli(at(9, 6))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := stateBlock([]known{name(tt.task, 3)}, false, now); got != today+tt.want {
				t.Errorf("got\n%s", got)
			}
		})
	}
	if got := stateBlock(nil, false, now); got != today+"There are no agents yet.\n" {
		t.Errorf("got\n%s", got)
	}
	call := name(nestor.Task{Meta: meta, Type: nestor.TaskTool, Name: "tool:calculator", Args: []byte(`{"expression":"1+1"}`), Status: nestor.TaskSuccess, EndedAt: at(9, 4)}, 12)
	if got, want := call.line(), "- T12 | tool:calculator | calculator {\"expression\":\"1+1\"} | success since 09:04\n"; got != want {
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
				got = append(got, task.handle+" "+task.ID)
			}
			return err
		})
		want := []string{"A2 t01"}
		for i := 5; i < tasks; i++ {
			want = append(want, fmt.Sprintf("A%d t%02d", i+1, i))
		}
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, %v\nwant %v", got, err, want)
		}
	})
}
