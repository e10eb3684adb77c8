package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/launch"
)

// takeOvers is how long after one of two nodes was killed its jobs run on the other: the
// first of them and the last.
func (b *bench) takeOvers(ctx context.Context, e *engine) error {
	if e.url == "" {
		return nil // SQLite has one node
	}
	var rounds [][]float64
	for i := range b.rounds + 2 {
		// Each has a schema of its own: what nodes that were killed had under way may still hold tables.
		first, last, err := b.takeOver(ctx, e, fmt.Sprint("takeover", i))
		if err != nil {
			return err
		}
		fmt.Printf("  one of two nodes was killed: its first job runs again after %v, its last after %v\n", first, last)
		rounds = append(rounds, []float64{milliseconds(first), milliseconds(last)})
	}
	got := medians(rounds)
	b.report(e, result{what: "a node is killed: until its first job runs", unit: "ms", floor: 1000, nestor: got[0], ratio: got[0] / 1000})
	b.report(e, result{what: "a node is killed: until all its jobs run", unit: "ms", floor: 1000, nestor: got[1], ratio: got[1] / 1000, goal: 1})
	return nil
}

// patience is how long a model is waited for by agents whose node is killed: longer than
// that takes.
const patience = time.Minute

func (b *bench) takeOver(ctx context.Context, e *engine, schema string) (first, last time.Duration, err error) {
	const agents = 8
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errors.New("the jobs of a node that was killed were not taken over"))
	defer cancel()
	db, err := e.place(schema)
	if err != nil {
		return 0, 0, err
	}
	data, err := os.MkdirTemp(b.dir, "data") // nodes have one key
	if err != nil {
		return 0, 0, err
	}
	var nodes [2]*launch.Process
	for i := range nodes {
		if nodes[i], err = b.startNode(ctx, data, db, "takeover"); err != nil {
			return 0, 0, err
		}
		defer nodes[i].Kill()
	}
	defer httpClient.CloseIdleConnections()
	doomed, heir := client{nodes[0].URL}, client{nodes[1].URL}
	for range agents {
		var chat nestor.Chat
		if err := call(ctx, http.MethodPost, doomed.url+"/api/v1/chats", struct{}{}, &chat); err != nil {
			return 0, 0, err
		}
		task := map[string]string{"name": "agent:" + roleName, "instruction": instruction(1, manner{wait: patience})}
		if err := call(ctx, http.MethodPost, doomed.chat(chat.ID)+"/tasks", task, nil); err != nil {
			return 0, 0, err
		}
	}
	// All wait for the model. Whoever joined first has heard of the other since.
	if _, err := heir.running(ctx, agents, func(nestor.Job) bool { return true }); err != nil {
		return 0, 0, err
	}
	select {
	case <-ctx.Done():
		return 0, 0, context.Cause(ctx)
	case <-time.After(2 * time.Second):
	}
	before, err := heir.running(ctx, agents, func(nestor.Job) bool { return true })
	if err != nil {
		return 0, 0, err
	}
	owner := before[0].Owner
	nodes[0].Kill()
	killed := time.Now()
	another := func(j nestor.Job) bool { return j.Owner != owner }
	if _, err = heir.running(ctx, 1, another); err != nil {
		return 0, 0, err
	}
	first = time.Since(killed)
	_, err = heir.running(ctx, agents, another)
	return first.Round(time.Millisecond), time.Since(killed).Round(time.Millisecond), err
}

// running waits until so many jobs of agents run that are as they should be.
func (c client) running(ctx context.Context, n int, right func(nestor.Job) bool) (found []nestor.Job, err error) {
	for {
		var jobs struct {
			Items []nestor.Job `json:"items"`
		}
		if err := call(ctx, http.MethodGet, c.url+"/api/v1/jobs?state=running", nil, &jobs); err != nil {
			return nil, err
		}
		found = found[:0]
		for _, j := range jobs.Items {
			if right(j) {
				found = append(found, j)
			}
		}
		if len(found) >= n {
			return found, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}
