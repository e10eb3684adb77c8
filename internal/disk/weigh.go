package disk

import (
	"context"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// look asks for somebody to be weighed now.
func (q *Quota) look() {
	select {
	case q.ask <- struct{}{}:
	default:
	}
}

// Run weighs until ctx ends.
func (q *Quota) Run(ctx context.Context) error {
	if !q.bounds() {
		return nil
	}
	for ctx.Err() == nil {
		if err := q.Weigh(ctx); err != nil && ctx.Err() == nil {
			q.opts.Logger.Warn("weighing what users have failed", "error", err)
		}
		timer := time.NewTimer(tick)
		select {
		case <-ctx.Done():
		case <-q.ask:
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

// Weigh brings the estimates up to date that are due.
func (q *Quota) Weigh(ctx context.Context) error {
	if err := q.find(ctx); err != nil {
		return err
	}
	q.mu.Lock()
	var due []nestor.Path
	for owner, e := range q.of {
		e.leak(float64(q.limit(owner)), q.opts.Log)
		age := time.Since(e.at)
		switch {
		case !e.known, e.refused && age > again, e.asked.After(e.at) && age > q.opts.Every:
			due = append(due, owner)
		case time.Since(e.asked) > forget && e.pending == 0 && e.replaced == 0:
			delete(q.of, owner)
		}
	}
	q.mu.Unlock()
	for _, owner := range due {
		if err := q.weigh(ctx, owner); err != nil {
			return err
		}
	}
	return nil
}

// weigh has the database weigh what an owner has. What is added meanwhile may count
// twice, until the next time.
func (q *Quota) weigh(ctx context.Context, owner nestor.Path) error {
	q.mu.Lock()
	before := q.estimate(owner).added
	q.mu.Unlock()
	n, err := q.store.Weigh(ctx, owner)
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.estimate(owner)
	e.weighed, e.known, e.refused, e.at = n, true, false, time.Now()
	e.added -= before
	return nil
}

// find looks up the accounts of chats.
func (q *Quota) find(ctx context.Context) error {
	q.mu.Lock()
	chats := make([]nestor.Path, 0, len(q.unplaced))
	for chat := range q.unplaced {
		chats = append(chats, chat)
	}
	q.mu.Unlock()
	if len(chats) == 0 {
		return nil
	}
	var found []*nestor.Document
	err := q.store.View(ctx, func(r store.Reader) error {
		found = nil
		for _, chat := range chats {
			d, err := store.FindDocument(r, chat)
			if err != nil {
				return err
			}
			if d != nil {
				found = append(found, d)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, d := range found {
		q.place(d)
	}
	for _, chat := range chats {
		delete(q.unplaced, chat)
	}
	return nil
}
