package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nestorhq/nestor"
)

// client uses Nestor as any program would, over its API.
type client struct{ url string }

// callers is how many requests the client makes at once.
const callers = 32

// run creates a chat and a task per agent and waits until no job is left. The
// time counts from the creation of the first task to the end of the last one;
// the reports that Nestor then writes into the chats are waited for, so that
// nothing runs beside the floor, but not counted. Who has one agent waits for what
// comes of the task, as the floor's client does, so that the next run finds the server at work.
func (c client) run(ctx context.Context, agents, steps int, at manner) (outcome, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Minute, fmt.Errorf("%d agents did not end in five minutes", agents))
	defer cancel()
	asked := time.Now()
	chats := make([]nestor.Chat, agents)
	tasks := make([]nestor.Task, agents)
	if err := each(ctx, agents, func(ctx context.Context, i int) error {
		return call(ctx, http.MethodPost, c.url+"/api/v1/chats", struct{}{}, &chats[i])
	}); err != nil {
		return outcome{}, err
	}
	wait := ""
	if agents == 1 {
		wait = "?wait=1"
	}
	if err := each(ctx, agents, func(ctx context.Context, i int) error {
		tasks[i].ID = nestor.NewID()
		return call(ctx, http.MethodPost, c.chat(chats[i].ID)+"/tasks"+wait, map[string]string{
			"id": tasks[i].ID, "name": "agent:" + roleName, "instruction": instruction(steps, at),
		}, nil)
	}); err != nil {
		return outcome{}, err
	}
	waited := time.Since(asked)
	if wait == "" {
		if err := c.idle(ctx); err != nil {
			return outcome{}, err
		}
	}
	if err := each(ctx, agents, func(ctx context.Context, i int) error {
		path := c.url + "/api/v1/docs/users/local/orch-chats/" + chats[i].ID + "/tasks/" + tasks[i].ID
		return call(ctx, http.MethodGet, path, nil, &tasks[i])
	}); err != nil {
		return outcome{}, err
	}
	began, ended := tasks[0].CreatedAt, int64(0)
	for _, t := range tasks {
		if t.Status != nestor.TaskSuccess || t.Steps != steps+1 {
			return outcome{}, fmt.Errorf("an agent ended as %s after %d of %d steps: %s", t.Status, t.Steps-1, steps, t.Error)
		}
		began, ended = min(began, t.CreatedAt), max(ended, t.EndedAt)
	}
	out := outcome{Elapsed: millis(ended - began), FromChat: millis(ended - chats[0].CreatedAt)}
	if agents > 1 {
		return out, nil
	}
	out.Waited = waited
	ends, err := c.ends(ctx, chats[0].ID, tasks[0].SubAgentID, began)
	out.Ends = [][]time.Duration{ends}
	return out, err
}

func (c client) chat(id string) string { return c.url + "/api/v1/chats/" + id }

// idle waits until there are no jobs. Whatever a job causes is queued in the
// transaction that ends it, so while agents work there is always one. It looks
// after a while first: a short run that is not over yet would be held up by that.
func (c client) idle(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
		var jobs struct {
			Items []nestor.Job `json:"items"`
		}
		if err := call(ctx, http.MethodGet, c.url+"/api/v1/jobs?limit=1", nil, &jobs); err != nil || len(jobs.Items) == 0 {
			return err
		}
	}
}

// ends are when the tool results of an agent were written.
func (c client) ends(ctx context.Context, chat, agent string, began int64) (ends []time.Duration, err error) {
	messages, err := list[nestor.SubAgentMessage](ctx, c.chat(chat)+"/sub-agents/"+agent+"/messages")
	for _, m := range messages {
		if m.Role == nestor.RoleTool && m.Name == "calculator" {
			ends = append(ends, millis(m.CreatedAt-began))
		}
	}
	return ends, err
}

// messageBytes is how long the JSON is in which the API gives the messages of all chats and
// agents.
func (c client) messageBytes(ctx context.Context) (float64, error) {
	chats, err := list[nestor.Chat](ctx, c.url+"/api/v1/chats")
	if err != nil {
		return 0, err
	}
	var total atomic.Int64
	count := func(ctx context.Context, of string) error {
		messages, err := list[json.RawMessage](ctx, of+"/messages")
		for _, m := range messages {
			total.Add(int64(len(m)))
		}
		return err
	}
	err = each(ctx, len(chats), func(ctx context.Context, i int) error {
		chat := c.chat(chats[i].ID)
		agents, err := list[nestor.SubAgent](ctx, chat+"/sub-agents")
		for _, a := range agents {
			err = errors.Join(err, count(ctx, chat+"/sub-agents/"+a.ID))
		}
		return errors.Join(err, count(ctx, chat))
	})
	return float64(total.Load()), err
}

// list reads all pages of a list.
func list[T any](ctx context.Context, address string) (items []T, err error) {
	for cursor := ""; ; {
		var page struct {
			Items []T    `json:"items"`
			Next  string `json:"next"`
		}
		query := url.Values{"limit": {"1000"}, "cursor": {cursor}}
		if err := call(ctx, http.MethodGet, address+"?"+query.Encode(), nil, &page); err != nil {
			return nil, err
		}
		items = append(items, page.Items...)
		if cursor = page.Next; cursor == "" {
			return items, nil
		}
	}
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// each calls fn for 0 to n-1, some at once.
func each(ctx context.Context, n int, fn func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(callers)
	for i := range n {
		group.Go(func() error { return fn(ctx, i) })
	}
	return group.Wait()
}
