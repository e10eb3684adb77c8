package lifecycle

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/store"
)

// Together keeps a run in which messages of other runs are answered, too, within the reach of
// those.
func Together(tx store.Tx, run nestor.Path, messages []nestor.Message) error {
	for _, m := range messages {
		if run == "" || m.RunID == "" || m.RunID == run.ID() {
			continue
		}
		other, err := store.Find[nestor.Run](tx, store.RunAt(run, m.RunID))
		if err != nil {
			return err
		}
		if other == nil {
			continue
		}
		if err := store.Narrow(tx, run, other.Reach); err != nil {
			return err
		}
	}
	return nil
}

// ResumeRun notes that somebody sets the work of a run going again, in a transaction that
// causes a job of it. The run's document is always written, so that whoever is about
// to find the run waiting or over looks again. Runs that wait with it go on with it. Id is
// "" for work of no run.
func ResumeRun(tx store.Tx, chat nestor.Path, id string) error {
	if id == "" {
		return nil
	}
	at := store.RunAt(chat, id)
	run, err := store.Find[nestor.Run](tx, at)
	if err != nil || run == nil {
		return err
	}
	run.Status, run.EndedAt, run.CancelledBy, run.WaitingFor = nestor.RunRunning, 0, "", nil
	run.Resumes++
	for _, joined := range run.Joined {
		p := store.RunAt(chat, joined)
		with, err := store.Find[nestor.Run](tx, p)
		if err != nil {
			return err
		}
		if with == nil || with.JoinedTo != id || with.Status != nestor.RunWaiting {
			continue
		}
		with.Status, with.WaitingFor = nestor.RunRunning, nil
		if err := chatdoc.Save(tx, p, with); err != nil {
			return err
		}
	}
	return chatdoc.Save(tx, at, run)
}
