package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres"
	"github.com/nestorhq/nestor/internal/store/sqlite"
	"github.com/nestorhq/nestor/internal/worker"
)

type engine struct {
	name  string
	open  func(opts store.Options) (store.Store, error)
	floor func(callers, total int) (float64, error)
}

func engines(dir string) []engine {
	url := os.Getenv("NESTOR_TEST_POSTGRES")
	n := 0
	return []engine{
		{"sqlite", func(opts store.Options) (store.Store, error) {
			n++
			return sqlite.Open(context.Background(), filepath.Join(dir, fmt.Sprintf("nestor%d.db", n)), opts)
		}, func(callers, total int) (float64, error) { return sqliteFloor(dir, callers, total) }},
		{"postgres", func(opts store.Options) (store.Store, error) {
			return postgres.Open(context.Background(), url, opts)
		}, func(callers, total int) (float64, error) { return postgresFloor(url, callers, total) }},
	}
}

type planner struct{}

func (planner) Plan(e *store.Event) []nestor.Job {
	c := e.Change
	c.Before, c.After = nil, nil
	return []nestor.Job{{ID: nestor.JobID("t", &c), Trigger: "t", Key: "t:" + string(c.Path), Change: c}}
}

func measure(e engine, callers, total int) error {
	floor, err := e.floor(callers, total)
	if err != nil {
		return err
	}
	s, err := e.open(store.Options{Rules: store.Rules{Planner: planner{}}})
	if err != nil {
		return err
	}
	defer s.Close()
	var jobs sync.WaitGroup
	var mu sync.Mutex
	var hops []time.Duration
	w := worker.New(s, worker.Options{
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Handlers: map[string]worker.Handler{"none": {Run: func(context.Context, *nestor.Job) (worker.Effect, error) {
			return nil, nil
		}}},
		Plan: func(string) (worker.Plan, bool) { return worker.Plan{Action: "POST /webhook/none"}, true },
		Hooks: worker.Hooks{
			Started: func(_ *nestor.Job, hop time.Duration) {
				mu.Lock()
				hops = append(hops, hop)
				mu.Unlock()
			},
			Ended: func(*nestor.Job, worker.Outcome, time.Duration) { jobs.Done() },
		},
	})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	defer func() { stop(); <-done }()
	create := func(caller, i int) error {
		jobs.Add(1)
		return s.Update(ctx, func(tx store.Tx) error {
			_, err := tx.Create(nestor.Path(fmt.Sprintf("users/u1/notes/c%03d-%08d", caller, i)), json.RawMessage(body))
			return err
		})
	}
	began := time.Now()
	if _, err := race(callers, total, create); err != nil {
		return err
	}
	jobs.Wait()
	rate := float64(total/callers*callers) / time.Since(began).Seconds()
	fmt.Printf("  document + change + job + completion  %8.0f/s  floor %8.0f/s  ratio %.2f (goal 0.60)\n", rate, floor, rate/floor)

	hops = nil
	for i := range 500 {
		if err := create(999, i); err != nil {
			return err
		}
		jobs.Wait()
	}
	slices.Sort(hops)
	fmt.Printf("  commit → handler start                p50 %v  p99 %v\n", hops[len(hops)/2], hops[len(hops)*99/100])
	return nil
}
