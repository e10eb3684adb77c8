package app

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// handlers are the built-in actions, by the NAME of POST /webhook/NAME.
func handlers(log *slog.Logger) map[string]worker.Handler {
	return map[string]worker.Handler{
		// log tells that a trigger fired: a way to try one out.
		"log": {Run: func(_ context.Context, j *nestor.Job) (worker.Effect, error) {
			log.Info("trigger fired", "trigger", j.Trigger, "event", j.Change.Type, "path", j.Change.Path, "seq", j.Change.Seq)
			return nil, nil
		}},
	}
}

// loadTriggers compiles the triggers that cfg names. A built-in one whose
// handler is not part of the program is switched off; in a file of the user's
// own that is an error.
func loadTriggers(cfg Config, log *slog.Logger) (*trigger.Set, error) {
	known := handlers(log)
	list, fromFile := trigger.Default(), map[string]bool{}
	if cfg.Triggers != "" {
		data, err := os.ReadFile(cfg.Triggers)
		if err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the triggers file cannot be read: %w", err)
		}
		defaults := map[string]string{}
		for _, t := range list {
			defaults[t.ID] = t.Action
		}
		if list, err = trigger.Load(cfg.Triggers, data, cfg.Env); err != nil {
			return nil, err
		}
		for _, t := range list {
			fromFile[t.ID] = defaults[t.ID] != t.Action
		}
	}
	for i, t := range list {
		name, builtin := strings.CutPrefix(t.Action, "POST /webhook/")
		if _, ok := known[name]; !builtin || ok {
			continue
		}
		if fromFile[t.ID] {
			return nil, nestor.Errorf(nestor.CodeInvalid, "%s: trigger %q: there is no built-in handler %q; there are: %s",
				cfg.Triggers, t.ID, name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		list[i].Enabled = new(bool)
	}
	return trigger.New(list, trigger.Options{Logger: log})
}

// plan tells the worker what a trigger's jobs do.
func plan(set *trigger.Set) func(string) (worker.Plan, bool) {
	return func(id string) (worker.Plan, bool) {
		t, ok := set.Get(id)
		p := worker.Plan{Action: t.Action, Retry: t.Retry, Timeout: time.Duration(t.Timeout)}
		if !strings.HasPrefix(t.Action, "POST /webhook/") {
			p.Timeout += hostWait
		}
		return p, ok
	}
}

// hostWait is how long a delivery may wait for others to the same host; its
// trigger's timeout is for the request alone.
const hostWait = 10 * time.Minute

func deliver(w *trigger.Webhook) func(context.Context, *nestor.Job) (worker.Effect, error) {
	return func(ctx context.Context, j *nestor.Job) (worker.Effect, error) { return nil, w.Deliver(ctx, j) }
}

// writeBackTime is how long a webhook's receiver may write back.
const writeBackTime = time.Hour

// writeBack makes the tokens for webhook receivers: they reach the chat, or
// else the top document below the user, that the change happened in.
func writeBack(key *access.Key) func(string, nestor.Path) string {
	return func(user string, p nestor.Path) string {
		for {
			parent := p.Parent()
			if parent == "" || parent.Parent() == "" {
				break
			}
			p = parent
		}
		return key.MintToken(access.Grant{User: user, Path: p, Expires: time.Now().Add(writeBackTime).Unix()})
	}
}

// CheckTriggers reads a triggers file and reports what is wrong with it, or
// how many triggers it defines.
func CheckTriggers(cfg Config) error {
	cfg = cfg.withDefaults()
	set, err := loadTriggers(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	fmt.Fprintf(cfg.Stdout, "%s: ok, %d triggers\n", cfg.Triggers, len(set.List()))
	return nil
}
