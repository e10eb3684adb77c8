package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/nestorhq/nestor/internal/launch"
)

// nodes is how many steps one, two and four nodes make on one database. The agents are
// as many, divided among the nodes; what counts is the ratio to one node.
func (b *bench) nodes(ctx context.Context, e *engine) error {
	if e.url == "" {
		return nil // SQLite has one
	}
	var one float64
	for _, n := range []int{1, 2, 4} {
		rate, err := b.rateOf(ctx, e, n)
		if err != nil {
			return err
		}
		if n == 1 {
			one = rate
		}
		b.report(e, result{what: fmt.Sprintf("nodes: %d, steps per second", n), floor: one, nestor: rate, ratio: rate / one})
	}
	return nil
}

// rateOf is the steps per second of so many nodes.
func (b *bench) rateOf(ctx context.Context, e *engine, nodes int) (rate float64, err error) {
	db, err := e.place("nodes")
	if err != nil {
		return 0, err
	}
	data, err := os.MkdirTemp(b.dir, "data") // nodes have one key
	if err != nil {
		return 0, err
	}
	var started []*launch.Process
	defer func() {
		httpClient.CloseIdleConnections()
		for _, p := range started {
			err = errors.Join(err, p.Stop())
		}
	}()
	for i := range nodes {
		p, err := b.startNode(ctx, data, db, fmt.Sprintf("%s-nodes-%d-%d", e.name, nodes, i))
		if err != nil {
			return 0, err
		}
		started = append(started, p)
	}
	outcomes, failures := make([]outcome, nodes), make([]error, nodes)
	var group sync.WaitGroup
	for i, p := range started {
		group.Go(func() { outcomes[i], failures[i] = client{p.URL}.run(ctx, b.agents/nodes, usualSteps, instant) })
	}
	group.Wait()
	var longest time.Duration
	for _, out := range outcomes {
		longest = max(longest, out.Elapsed)
	}
	return float64(b.agents/nodes*nodes*usualSteps) / longest.Seconds(), errors.Join(failures...)
}

// starts is how a server starts on a database that is there: how long until it answers,
// the processor time until then, and its memory.
func (b *bench) starts(ctx context.Context, e *engine) error {
	data, err := os.MkdirTemp(b.dir, "data")
	if err != nil {
		return err
	}
	db := ""
	if e.url != "" {
		if db, err = e.place("start"); err != nil {
			return err
		}
	}
	var rounds [][]float64
	for i := range b.rounds + 3 {
		values, err := b.startOnce(ctx, data, db, e.name+"-start")
		if err != nil {
			return err
		}
		if i > 0 { // the first makes the database
			rounds = append(rounds, values)
		}
	}
	got := medians(rounds)
	b.report(e, result{what: "start, until the first answer", unit: "ms", floor: 100, nestor: got[0], ratio: got[0] / 100, goal: 1})
	b.report(e, result{what: "start, processor time", unit: "ms", floor: 100, nestor: got[1], ratio: got[1] / 100})
	b.report(e, result{what: "start, memory", unit: "MB", floor: 60, nestor: got[2], ratio: got[2] / 60, goal: 1})
	return nil
}

func (b *bench) startOnce(ctx context.Context, data, db, profile string) ([]float64, error) {
	began := time.Now()
	p, err := b.startNode(ctx, data, db, profile)
	if err != nil {
		return nil, err
	}
	res, err := httpClient.Get(p.URL + "/healthz")
	took := time.Since(began)
	if err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("a server that started answers with %s", res.Status), p.Stop())
	}
	spent, err := spentBy(p)
	if err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	memory, err := p.Peak()
	httpClient.CloseIdleConnections()
	return []float64{milliseconds(took), milliseconds(spent), float64(memory) / (1 << 20)}, errors.Join(err, p.Stop())
}
