package control

import (
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/store"
)

// CancelRun ends what a run has under way in its chat: its tasks, and the answer to the
// message that began it.
func (c *Control) CancelRun(tx store.Tx, run *nestor.Run, by string) error {
	chat := nestor.Path("users/"+run.UserID).Child("orch-chats", run.ChatID)
	if there, err := chatdoc.Exists(tx, chat); err != nil || !there {
		return err
	}
	q := chatdoc.TasksOf(chat)
	q.Where = store.Where("status", store.In, []nestor.TaskStatus{nestor.TaskPending, nestor.TaskRunning, nestor.TaskWaiting})
	tasks, err := chatdoc.All[nestor.Task](tx, q)
	if err != nil {
		return err
	}
	standing := false
	for _, listed := range tasks {
		if listed.RunID != run.ID {
			continue
		}
		standing = standing || listed.Standing
		if err := cancelListed(tx, chat, listed.ID, "cancelled by "+by); err != nil {
			return err
		}
	}
	if run.Kind != nestor.RunOfMessage {
		return nil
	}
	d, err := conversation.ReadDialogue(tx, chat)
	if err != nil {
		return err
	}
	began := func(m nestor.Message) bool { return m.ID == run.Root.ID() }
	stopped := slices.ContainsFunc(d.Open, began)
	if i := slices.IndexFunc(d.Handed(), began); i >= 0 {
		stopped = standing
		if c.StopOthers != nil && !stopped {
			if stopped, err = c.StopOthers(tx, chat, d.Handed()[i:i+1]); err != nil {
				return err
			}
		}
	}
	if !stopped {
		return nil
	}
	return status(tx, chat, nestor.Message{Content: "Stopped.", RepliesTo: run.Root.ID()})
}
