package view

import (
	"testing"

	"github.com/nestorhq/nestor"
)

func TestTheRowOfATaskHasItsTitleAndTellsWhatCouldNotBeDone(t *testing.T) {
	task := nestor.Task{Name: "agent:general", Instruction: "Open it now", Status: nestor.TaskFailed, Error: "It is locked."}
	if row := taskRow("users/ann/orch-chats/c1", "m1", &task); row.Label != "Open it now" || row.Status != "failed" {
		t.Errorf("without a title: %+v", row)
	}
	task.Title, task.Outcome = "Open the door", nestor.TaskCouldNot
	if row := taskRow("users/ann/orch-chats/c1", "m1", &task); row.Label != "Open the door" || row.Status != "could_not" || row.Error == "" {
		t.Errorf("with one: %+v", row)
	}
}
