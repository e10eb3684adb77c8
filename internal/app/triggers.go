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
	"github.com/nestorhq/nestor/internal/agent"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// handlers are the built-in actions, by the NAME of POST /webhook/NAME.
func handlers(agents *agent.Agents, log *slog.Logger) map[string]worker.Handler {
	all := agents.Handlers()
	// log tells that a trigger fired: a way to try one out.
	all["log"] = worker.Handler{Run: func(_ context.Context, j *nestor.Job) (worker.Effect, error) {
		log.Info("trigger fired", "trigger", j.Trigger, "event", j.Change.Type, "path", j.Change.Path, "seq", j.Change.Seq)
		return nil, nil
	}}
	return all
}

// loadTriggers compiles the triggers that cfg names. An action that nothing
// handles is an error.
func loadTriggers(cfg Config, log *slog.Logger) (*trigger.Set, error) {
	list := trigger.Default()
	if cfg.Triggers != "" {
		data, err := os.ReadFile(cfg.Triggers)
		if err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the triggers file cannot be read: %w", err)
		}
		if list, err = trigger.Load(cfg.Triggers, data, cfg.Env); err != nil {
			return nil, err
		}
	}
	known := handlers(agent.New(agent.Options{}), log)
	for _, t := range list {
		name, builtin := strings.CutPrefix(t.Action, "POST /webhook/")
		if _, ok := known[name]; builtin && !ok {
			return nil, nestor.Errorf(nestor.CodeInvalid, "%s: trigger %q: there is no built-in handler %q; there are: %s",
				cfg.Triggers, t.ID, name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
	}
	return trigger.New(list, trigger.Options{Logger: log})
}

// loadRoles reads the roles that cfg names.
func loadRoles(cfg Config) (*agent.Roles, error) {
	if cfg.Agents == "" {
		return agent.DefaultRoles(), nil
	}
	return agent.LoadRoles(cfg.Agents)
}

// localTools reports whether agents may run local tools by themselves: not if a
// trigger of the user's own is to see tool calls before they run.
func localTools(set *trigger.Set) func() bool {
	const runner, calls = "on-sub-agent-tool", "users/u/orch-chats/c/sub-agents/a/tool-calls"
	watched := slices.ContainsFunc(set.List(), func(t trigger.Info) bool { return t.ID != runner && t.Collection.Match(calls) })
	return func() bool {
		t, ok := set.Get(runner)
		return ok && t.Action == "POST /webhook/tool-runner" && (t.Enabled == nil || *t.Enabled) && !watched
	}
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

// delivery handles actions that are URLs. A program that takes the place of a
// built-in stage and fails leaves what that stage would have left: the task or
// the call is marked as failed, and nobody waits for ever.
func delivery(w *trigger.Webhook, builtin map[string]worker.Handler) worker.Handler {
	stages := map[string]worker.Handler{}
	for _, t := range trigger.Default() {
		stages[t.ID] = builtin[strings.TrimPrefix(t.Action, "POST /webhook/")]
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

// writeBack makes the tokens for webhook receivers: they reach the chat, or
// else the top document below the user, that the change happened in, and work for
// those on whose behalf the change was made.
func writeBack(key *access.Key, s store.Documents) func(context.Context, string, *nestor.Change) (string, error) {
	return func(ctx context.Context, user string, c *nestor.Change) (string, error) {
		var asked nestor.Askers
		err := s.View(ctx, func(r store.Reader) (err error) {
			asked, err = agent.AskersOf(r, c)
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
		return key.MintToken(access.Grant{User: user, Asked: asked, Path: p, Expires: time.Now().Add(access.GrantTime).Unix()}), nil
	}
}

// CheckTriggers reads a triggers file and reports what is wrong with it, or
// how many triggers it defines and what they leave undone.
func CheckTriggers(cfg Config) error {
	cfg = cfg.withDefaults()
	set, err := loadTriggers(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	for _, warning := range set.Warnings() {
		fmt.Fprintf(cfg.Stdout, "%s: warning: %s\n", cfg.Triggers, warning)
	}
	fmt.Fprintf(cfg.Stdout, "%s: ok, %d triggers\n", cfg.Triggers, len(set.List()))
	return nil
}
