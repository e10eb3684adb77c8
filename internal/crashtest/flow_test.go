package crashtest

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// The flow of the crash matrix. An order is split into parts; each part is
// worked on in parallel with the others and added to the order's totals. On
// the side a check fails for good and leaves a complaint, and a draft is
// deleted with the notes below it. Once all that has happened, and only then,
// the results are collected, the order is done and a notice is given.
//
// Every effect shows: lost or repeated it would change a version, a total or
// the number of documents. The notice is always the last write.

const (
	orderPath   = nestor.Path("orders/o1")
	totalsPath  = orderPath + "/totals/all"
	draftPath   = orderPath + "/drafts/d1"
	summaryPath = orderPath + "/summaries/all"
	notices     = "notices"
	parts       = 3
)

func flowTriggers() []nestor.Trigger {
	created, updated, deleted := []nestor.ChangeType{nestor.Create}, []nestor.ChangeType{nestor.Update}, []nestor.ChangeType{nestor.Delete}
	// A run that a crash cut short counts as an attempt, so there are plenty.
	patient := nestor.RetryPolicy{MaxAttempts: 20, InitialBackoff: nestor.Duration(time.Millisecond), MaxBackoff: nestor.Duration(time.Millisecond)}
	hasty := patient
	hasty.MaxAttempts = 2
	collect := func(id string, c nestor.Glob, events []nestor.ChangeType) nestor.Trigger {
		return nestor.Trigger{
			ID: id, Collection: c, Events: events, Action: "POST /webhook/collect", Retry: patient,
			Key: "collect:{parent}", Coalesce: true,
		}
	}
	return []nestor.Trigger{
		{ID: "on-order", Collection: "orders", Events: created, Action: "POST /webhook/split", Retry: patient},
		{ID: "on-part", Collection: "orders/*/parts", Events: created, Action: "POST /webhook/work", Retry: patient},
		{ID: "on-check", Collection: "orders/*/checks", Events: created, Action: "POST /webhook/check", Retry: hasty},
		{ID: "on-draft", Collection: "orders/*/drafts", Events: created, Action: "POST /webhook/discard", Retry: patient},
		collect("on-result", "orders/*/results", created),
		collect("on-complaint", "orders/*/complaints", created),
		collect("on-discarded", "orders/*/drafts", deleted),
		{
			ID: "on-done", Collection: "orders", Events: updated, Condition: "event.document.status == 'done'",
			Action: "POST /webhook/notify", Retry: patient,
		},
	}
}

// flow has the handlers.
type flow struct{ store store.Store }

func (f *flow) handlers() map[string]worker.Handler {
	return map[string]worker.Handler{
		"split":   {Run: f.split},
		"work":    {Run: f.work},
		"check":   {Run: f.check, Exhausted: complain},
		"discard": {Run: f.discard},
		"collect": {Run: f.collect},
		"notify":  {Run: f.notify},
	}
}

func (f *flow) split(_ context.Context, j *nestor.Job) (worker.Effect, error) {
	return func(tx store.Tx) error {
		for n := range parts {
			p := orderPath.Child("parts", j.DeriveID("part", strconv.Itoa(n)))
			if _, err := tx.Create(p, part{n + 1}); err != nil {
				return err
			}
		}
		for _, p := range []nestor.Path{
			orderPath.Child("checks", j.DeriveID("check")), totalsPath,
			draftPath, draftPath.Child("notes", "n1"), draftPath.Child("notes", "n2"),
		} {
			if _, err := tx.Create(p, map[string]any{}); err != nil {
				return err
			}
		}
		_, err := tx.Patch(orderPath, map[string]any{"status": "split"}, store.AnyVersion)
		return err
	}, nil
}

type part struct {
	N int `json:"n"`
}

type totals struct {
	Count int `json:"count"`
	Sum   int `json:"sum"`
}

// work fails the first time for the second part.
func (f *flow) work(ctx context.Context, j *nestor.Job) (worker.Effect, error) {
	var p part
	err := f.store.View(ctx, func(r store.Reader) error { return read(r, j.Change.Path, &p) })
	if err != nil {
		return nil, err
	}
	if p.N == 2 && j.Attempt == 1 {
		return nil, errors.New("not yet")
	}
	return func(tx store.Tx) error {
		if _, err := tx.Create(orderPath.Child("results", j.DeriveID("result")), part{p.N * p.N}); err != nil {
			return err
		}
		var sum totals
		if err := read(tx, totalsPath, &sum); err != nil {
			return err
		}
		sum.Count++
		sum.Sum += p.N
		_, err := tx.Put(totalsPath, sum, store.AnyVersion)
		return err
	}, nil
}

func (f *flow) check(context.Context, *nestor.Job) (worker.Effect, error) {
	return nil, errors.New("it never works")
}

func complain(j *nestor.Job, cause error) worker.Effect {
	return func(tx store.Tx) error {
		_, err := tx.Create(orderPath.Child("complaints", j.DeriveID("complaint")), map[string]any{"cause": cause.Error()})
		return err
	}
}

func (f *flow) discard(_ context.Context, j *nestor.Job) (worker.Effect, error) {
	return func(tx store.Tx) error { return tx.Delete(j.Change.Path, store.AnyVersion) }, nil
}

// collect runs whenever something it waits for has come, and acts once.
func (f *flow) collect(ctx context.Context, _ *nestor.Job) (worker.Effect, error) {
	var squares []int
	ready := false
	err := f.store.View(ctx, func(r store.Reader) error {
		results, err := r.Query(store.Query{Collection: string(orderPath) + "/results"})
		if err != nil {
			return err
		}
		complaints, err := r.Query(store.Query{Collection: string(orderPath) + "/complaints"})
		if err != nil {
			return err
		}
		_, err = r.Get(draftPath)
		if err != nil && !errors.Is(err, nestor.ErrNotFound) {
			return err
		}
		ready = len(results.Items) == parts && len(complaints.Items) == 1 && err != nil
		for _, d := range results.Items {
			result, err := nestor.As[part](d)
			if err != nil {
				return err
			}
			squares = append(squares, result.N)
		}
		return nil
	})
	if err != nil || !ready {
		return nil, err
	}
	slices.Sort(squares)
	return func(tx store.Tx) error {
		_, err := tx.Get(summaryPath)
		if !errors.Is(err, nestor.ErrNotFound) {
			return err
		}
		if _, err := tx.Create(summaryPath, map[string]any{"squares": squares}); err != nil {
			return err
		}
		_, err = tx.Patch(orderPath, map[string]any{"status": "done"}, store.AnyVersion)
		return err
	}, nil
}

// notify writes the order once more, which must not notify again: it was done
// before.
func (f *flow) notify(_ context.Context, j *nestor.Job) (worker.Effect, error) {
	return func(tx store.Tx) error {
		if _, err := tx.Patch(orderPath, map[string]any{"notified": true}, store.AnyVersion); err != nil {
			return err
		}
		_, err := tx.Create(nestor.Path(notices+"/"+j.DeriveID("notice")), map[string]any{"order": orderPath})
		return err
	}, nil
}

func read(r store.Reader, p nestor.Path, into any) error {
	d, err := r.Get(p)
	if err != nil {
		return err
	}
	return d.Decode(into)
}
