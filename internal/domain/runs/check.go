package runs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// check looks whether a run is over. Its job is queued when no job of the run is
// left; if there is one again, that one's end queues another check.
//
// It reads the run first and everything else after that. Whoever sets work of the run
// going again writes the run, so if the run is still the same when the outcome is
// written, nobody did.
func (r *Runs) check(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	at := job.Change.Path
	read, err := store.LoadDocument(ctx, r.store, at)
	if err != nil || read == nil {
		return nil, err
	}
	run, err := nestor.As[nestor.Run](read)
	if err != nil {
		return nil, err
	}
	if busy, err := r.store.Busy(ctx, at); err != nil || busy {
		return nil, err
	}
	var found *tree
	if err := r.store.View(ctx, func(docs store.Reader) (err error) {
		found, err = readTree(docs, &run)
		return err
	}); err != nil {
		return nil, err
	}
	return func(tx store.Tx) error {
		store.Assume(tx, read)
		now, err := store.Find[nestor.Run](tx, at)
		if err != nil || now == nil {
			return err
		}
		if now.Version != run.Version {
			return fmt.Errorf("the run %s goes on: %w", at, nestor.PutOff{})
		}
		return settle(tx, at, now, found)
	}, nil
}

// settle writes what was found of a run of which no job is left: that it waits, ends
// with another one, or ended.
func settle(tx store.Tx, at nestor.Path, run *nestor.Run, found *tree) error {
	before := *run
	found.tell(run)
	if len(found.open) > 0 {
		run.Status, run.WaitingFor, run.EndedAt = nestor.RunWaiting, found.open, 0
		if err := save(tx, at, &before, run); err != nil {
			return err
		}
		return waitWith(tx, at, run)
	}
	run.WaitingFor = nil
	with, err := endsWith(tx, at, run, found)
	if err != nil {
		return err
	}
	if with != nil && !with.Status.Ended() {
		return join(tx, at, run, with)
	}
	status := found.status(run)
	if with != nil {
		status, run.JoinedTo, run.Answers = with.Status, with.ID, with.Answers
	}
	return end(tx, at, &before, run, status)
}

// endsWith is the run that this one ends with, nil if there is none. It is read as
// it is now, and will be written.
func endsWith(tx store.Tx, at nestor.Path, run *nestor.Run, found *tree) (*nestor.Run, error) {
	for _, id := range found.with {
		if id == run.ID {
			continue
		}
		other, err := store.Find[nestor.Run](tx, store.RunAt(at, id))
		if err != nil {
			return nil, err
		}
		if other == nil || other.JoinedTo == run.ID || other.Status.Ended() && !found.answered {
			continue
		}
		return other, nil
	}
	return nil, nil
}

// join has a run end with another one, and wait with it. That one is written, too, so
// that it cannot end without knowing.
func join(tx store.Tx, at nestor.Path, run, with *nestor.Run) error {
	run.JoinedTo = with.ID
	if with.Status == nestor.RunWaiting {
		run.Status, run.WaitingFor = nestor.RunWaiting, with.WaitingFor
	}
	if !slices.Contains(with.Joined, run.ID) {
		with.Joined = append(with.Joined, run.ID)
	}
	if _, err := tx.Put(store.RunAt(at, with.ID), with, store.AnyVersion); err != nil {
		return err
	}
	_, err := tx.Put(at, run, store.AnyVersion)
	return err
}

// waitWith has the runs that end with this one wait as it does: whoever follows one of
// them would else never hear that somebody is needed.
func waitWith(tx store.Tx, at nestor.Path, run *nestor.Run) error {
	return eachJoined(tx, at, run, func(p nestor.Path, was, other *nestor.Run) error {
		other.Status, other.WaitingFor = nestor.RunWaiting, run.WaitingFor
		return save(tx, p, was, other)
	})
}

// end writes the end of a run and of those that end with it. A run that ended before
// keeps its time, unless something came of it since. Each run is written once: one that has
// ended is not met again.
func end(tx store.Tx, at nestor.Path, before, run *nestor.Run, status nestor.RunStatus) error {
	type ending struct {
		at          nestor.Path
		before, run *nestor.Run
	}
	for left := []ending{{at, before, run}}; len(left) > 0; left = left[1:] {
		e := left[0]
		if e.run.Status = status; e.run.EndedAt == 0 {
			e.run.EndedAt = nestor.Millis(time.Now())
		}
		if err := save(tx, e.at, e.before, e.run); err != nil {
			return err
		}
		if err := eachJoined(tx, e.at, e.run, func(p nestor.Path, was, other *nestor.Run) error {
			other.Answers = e.run.Answers
			left = append(left, ending{p, was, other})
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// eachJoined calls fn for every run that ends with this one and has not ended yet.
func eachJoined(tx store.Tx, at nestor.Path, run *nestor.Run, fn func(p nestor.Path, was, now *nestor.Run) error) error {
	for _, id := range run.Joined {
		p := store.RunAt(at, id)
		other, err := store.Find[nestor.Run](tx, p)
		if err != nil {
			return err
		}
		if other == nil || other.JoinedTo != run.ID || other.Status.Ended() {
			continue
		}
		was := *other
		if err := fn(p, &was, other); err != nil {
			return err
		}
	}
	return nil
}

// save writes a run, if there is something to write.
func save(tx store.Tx, at nestor.Path, before, run *nestor.Run) error {
	same, err := equal(before, run)
	if err != nil || same {
		return err
	}
	_, err = tx.Put(at, run, store.AnyVersion)
	return err
}

// endAll ends the runs of a chat that was deleted.
func (r *Runs) endAll(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	chat := job.Change.Path
	return func(tx store.Tx) error {
		q := store.Query{Collection: chat.Tenant() + "/runs", Limit: store.MaxLimit, Where: &store.Filter{And: []store.Filter{
			*store.Where("chatId", store.Eq, chat.ID()), *store.Where("status", store.In, []nestor.RunStatus{nestor.RunRunning, nestor.RunWaiting}),
		}}}
		page, err := tx.Query(q)
		if err != nil {
			return err
		}
		for _, listed := range page.Items {
			run, err := store.Find[nestor.Run](tx, listed.Path)
			if err != nil {
				return err
			}
			if run == nil || run.Status.Ended() {
				continue
			}
			before := *run
			run.WaitingFor, run.Errors = nil, append(run.Errors, chatGone)
			if err := end(tx, listed.Path, &before, run, nestor.RunCancelled); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

const chatGone = "the chat was deleted"
