package a2a

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/netguard"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// A notification is a job, so it survives a crash, and one client that cannot be reached
// holds up no other: a run that rests has each wish about it note what is due, and that
// has the notification sent, which notes that it was told.

// The stages: a run that somebody watches rests; a notification is due.
const (
	restStage = "a2a-rest"
	pushStage = "a2a-push"
)

var reactions = []nestor.Trigger{{
	ID: "a2a-run-rests", Collection: "users/*/runs", Events: []nestor.ChangeType{nestor.Update},
	Condition: "has(event.document.data.watched) && event.document.data.watched && event.document.data.status != 'running'",
	Action:    "POST /webhook/" + restStage,
}, {
	ID: "a2a-push-due", Collection: "users/*/" + pushesName, Events: []nestor.ChangeType{nestor.Create, nestor.Update},
	Condition: "has(event.document.data.due) && (!has(event.document.data.told) || event.document.data.told != event.document.data.due)",
	Action:    "POST /webhook/" + pushStage,
	Retry:     nestor.RetryPolicy{MaxAttempts: 12, MaxBackoff: nestor.Duration(time.Hour)},
}}

// momentOf names a moment at which a run rests, "" if it does not.
func momentOf(run *nestor.Run) string {
	if run.Status == nestor.RunRunning {
		return ""
	}
	return string(run.Status) + "." + strconv.Itoa(run.Resumes)
}

// rested has the wishes about a run note that it rests.
func (d *Door) rested(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	at := job.Change.Path
	return func(tx store.Tx) error {
		run, err := store.Find[nestor.Run](tx, at)
		if err != nil || run == nil || momentOf(run) == "" {
			return err
		}
		all, err := pushesOf(tx, run)
		if err != nil {
			return err
		}
		for _, listed := range all {
			p := nestor.Path(at.Tenant()).Child(pushesName, listed.ID)
			push, err := store.Find[Push](tx, p)
			if err != nil {
				return err
			}
			if push == nil || push.Due == momentOf(run) {
				continue
			}
			push.Due = momentOf(run)
			if _, err := tx.Put(p, push, store.AnyVersion); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// push sends a notification: the task as it is now.
func (d *Door) push(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	at := job.Change.Path
	var push *Push
	var config *a2a.PushConfig
	var by *credential
	if err := d.store.View(ctx, func(docs store.Reader) (err error) {
		if push, err = store.Find[Push](docs, at); err == nil && push != nil {
			config, by, err = d.unseal(docs, at.UserID(), push.ID)
		}
		return err
	}); err != nil {
		return nil, err
	}
	if push == nil || config == nil || push.Told == push.Due {
		return nil, nil
	}
	if err := d.stands(ctx, at.UserID(), by); err != nil {
		if nestor.CodeOf(err) == nestor.CodeUnauthenticated {
			return nil, nil // nobody may hear of it any more
		}
		return nil, err
	}
	task, err := d.task(ctx, store.RunAt(at, push.TaskID), func(fn func(store.Reader) error) error { return d.store.View(ctx, fn) })
	if errors.Is(err, nestor.ErrNotFound) {
		return nil, nil // it was deleted
	}
	if err == nil {
		err = d.notify(ctx, job.ID, config, task)
	}
	if err != nil {
		return nil, err
	}
	return func(tx store.Tx) error {
		now, err := store.Find[Push](tx, at)
		if err != nil || now == nil {
			return err
		}
		now.Told = push.Due
		_, err = tx.Put(at, now, store.AnyVersion)
		return err
	}, nil
}

// notify sends a task to where a client wants it, with what the client gave to be known
// by. The id is that of the job: a notification that comes again has the same.
func (d *Door) notify(ctx context.Context, id string, config *a2a.PushConfig, task *a2a.Task) error {
	body, err := json.Marshal(task)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, config.URL, bytes.NewReader(body))
	if err != nil {
		return nestor.Errorf(nestor.CodeInvalid, "the address of a notification is none")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Webhook-Id", id)
	if config.Token != "" {
		req.Header.Set("X-A2A-Notification-Token", config.Token)
	}
	if secret := credentials(config); secret != "" {
		for _, scheme := range config.Auth.Schemes {
			switch strings.ToLower(scheme) {
			case "bearer":
				req.Header.Set("Authorization", "Bearer "+secret)
			case "basic":
				req.Header.Set("Authorization", "Basic "+secret)
			}
		}
	}
	res, err := d.http.Do(req)
	if err != nil {
		var failed *url.Error // it has the address, which may hold a secret
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return nestor.Errorf(netguard.Code(err), "notification to %s: %w", req.URL.Host, err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection can be used again
	code := nestor.CodeInvalid
	switch {
	case res.StatusCode >= 200 && res.StatusCode < 300:
		return nil
	case res.StatusCode == http.StatusTooManyRequests:
		code = nestor.CodeRateLimited
	case res.StatusCode >= 500 || res.StatusCode == http.StatusRequestTimeout:
		code = nestor.CodeUnavailable
	}
	return nestor.Errorf(code, "notification to %s was answered with status %d", req.URL.Host, res.StatusCode)
}
