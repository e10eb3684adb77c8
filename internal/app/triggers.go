package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/agent/billing"
	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// loadTriggers compiles the triggers that cfg names.
func loadTriggers(cfg Config, builtIn trigger.BuiltIn, log *slog.Logger) (*trigger.Set, error) {
	list := builtIn.Defaults()
	if cfg.Triggers != "" {
		data, err := os.ReadFile(cfg.Triggers)
		if err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the triggers file cannot be read: %w", err)
		}
		if list, err = trigger.Load(cfg.Triggers, data, cfg.Env, builtIn); err != nil {
			return nil, err
		}
	}
	return trigger.New(list, trigger.Options{BuiltIn: builtIn, Logger: log})
}

// loadRoles reads the roles that cfg names.
func loadRoles(cfg Config) (roles *role.Roles, err error) {
	roles = role.Default()
	if cfg.Agents != "" {
		if roles, err = role.Load(cfg.Agents); err != nil {
			return nil, err
		}
	}
	return roles, roles.Add("the program's roles", cfg.Roles)
}

// localTools reports whether agents may run local tools by themselves. They may
// not if a trigger of the user's own has to see tool calls before they run.
func localTools(set *trigger.Set) func() bool {
	const runner, calls = "on-sub-agent-tool", "users/u/orch-chats/c/sub-agents/a/tool-calls"
	watched := slices.ContainsFunc(set.List(), func(t trigger.Info) bool { return t.ID != runner && t.Collection.Match(calls) })
	return func() bool {
		t, ok := set.Get(runner)
		return ok && t.Handler == "tool-runner" && (t.Enabled == nil || *t.Enabled) && !watched
	}
}

// delivery handles actions that are URLs. When a program that takes the place
// of a built-in stage fails, it leaves what that stage would have left: the
// task or the call is marked as failed, and nobody waits for ever.
func delivery(w *trigger.Webhook, builtIn trigger.BuiltIn, handlers map[string]worker.Handler) worker.Handler {
	stages := map[string]worker.Handler{}
	for _, t := range builtIn.Triggers {
		if action, err := trigger.ParseAction(t.Action); err == nil {
			stages[t.ID] = handlers[action.Handler]
		}
	}
	return worker.Handler{
		Run: func(ctx context.Context, j *nestor.Job) (worker.Effect, error) { return nil, w.Deliver(ctx, j) },
		Exhausted: func(j *nestor.Job, cause error) worker.Effect {
			if stage := stages[j.Trigger]; stage.Exhausted != nil {
				return stage.Exhausted(j, cause)
			}
			return nil
		},
	}
}

// writeBack makes the tokens for webhook receivers. They reach the chat that
// the change happened in, or else the top document below the user. Their bearer
// works for those on whose behalf the change was made.
func writeBack(key *access.Key, s store.Documents) func(context.Context, string, *nestor.Change) (string, error) {
	return func(ctx context.Context, user string, c *nestor.Change) (string, error) {
		var asked nestor.Askers
		var reach []nestor.Reach
		err := s.View(ctx, func(r store.Reader) (err error) {
			if asked, err = billing.AskersOf(r, c); err != nil {
				return err
			}
			reach, err = reachOf(r, store.JobOf(ctx))
			return err
		})
		if err != nil {
			return "", err
		}
		p := c.Path
		for {
			parent := p.Parent()
			if parent == "" || parent.Parent() == "" {
				break
			}
			p = parent
		}
		return key.MintToken(access.Grant{
			User: user, Asked: asked, Path: p, Reach: reach, Of: c.Path, Expires: time.Now().Add(access.GrantTime).Unix(),
		}), nil
	}
}

// reachOf is the reach of the run that a job is part of.
func reachOf(r store.Reader, job *nestor.Job) ([]nestor.Reach, error) {
	if job == nil || job.Run == "" {
		return nil, nil
	}
	run, err := store.Find[nestor.Run](r, job.Run)
	if err != nil || run == nil {
		return nil, err
	}
	return run.Reach, nil
}

// CheckTriggers reads a triggers file and reports what is wrong with it, or
// how many triggers it defines and what they leave undone.
func CheckTriggers(cfg Config) error {
	cfg = cfg.withDefaults()
	set, err := loadTriggers(cfg, described(cfg).Triggers(), slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	for _, warning := range set.Warnings() {
		fmt.Fprintf(cfg.Stdout, "%s: warning: %s\n", cfg.Triggers, warning)
	}
	fmt.Fprintf(cfg.Stdout, "%s: ok, %d triggers\n", cfg.Triggers, len(set.List()))
	return nil
}
