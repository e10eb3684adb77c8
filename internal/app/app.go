// Package app puts the parts together and runs them.
package app

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/agent"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres"
	"github.com/nestorhq/nestor/internal/store/sqlite"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/webui"
	"github.com/nestorhq/nestor/internal/worker"
)

// Run serves until ctx ends, then stops gracefully: no new requests, running
// jobs finish or are given back, everything it started has ended.
func Run(ctx context.Context, cfg Config) error {
	cfg = cfg.withDefaults()
	log, err := logger(cfg)
	if err != nil {
		return err
	}
	local, err := isLocal(cfg)
	if err != nil {
		return err
	}
	if err := checkToken(cfg, local, log); err != nil {
		return err
	}
	proxies, err := access.ParseProxies(cfg.TrustedProxies)
	if err != nil {
		return nestor.Errorf(nestor.CodeInvalid, "--trusted-proxies: %w", err)
	}
	triggers, err := loadTriggers(cfg, log)
	if err != nil {
		return err
	}
	for _, warning := range triggers.Warnings() {
		log.Warn(warning)
	}
	roles, err := loadRoles(cfg)
	if err != nil {
		return err
	}
	budget, err := userBudget(cfg)
	if err != nil {
		return err
	}
	key, err := loadKey(cfg)
	if err != nil {
		return err
	}
	s, err := open(ctx, cfg, triggers)
	if err != nil {
		return err
	}
	defer s.Close()
	gate := access.New(access.Options{Store: s, Key: key, Token: cfg.Token, Proxies: proxies, Hosts: cfg.Hosts, Logger: log})
	cfg.Token = "" // from here on only the gate knows it, by its hash
	if !local {
		if err := checkUsers(ctx, cfg, gate); err != nil {
			return err
		}
	}
	may, err := loadRules(cfg, key)
	if err != nil {
		return err
	}
	models, err := openModels(cfg, s, key)
	if err != nil {
		return err
	}
	tools, err := openTools(ctx, cfg, s, may, log)
	if err != nil {
		return err
	}
	defer tools.Close()
	if err := roles.RestrictTools(tools.Roles()); err != nil {
		return nestor.Errorf(nestor.CodeInvalid, "%s: %w", cfg.Tools, err)
	}

	m := newMetrics(s, triggers)
	f := feed.New(s, feed.Options{Logger: log})
	m.follow(f)
	agents := agent.New(agent.Options{
		Store: s, Models: models, Tools: tools, Feed: f, Roles: roles,
		UserBudget: budget, ContextTokens: cfg.ContextTokens,
		Local: localTools(triggers), Logger: log,
	})
	s.Observe(agents.Committed)
	webhook := trigger.NewWebhook(triggers, trigger.WebhookOptions{AllowPrivate: cfg.AllowPrivate, Token: writeBack(key, s)})
	defer webhook.Close()
	builtin := handlers(agents, log)
	w := worker.New(s, worker.Options{
		Concurrency: cfg.Concurrency,
		LeaseTTL:    cfg.LeaseTTL,
		Drain:       cfg.Drain,
		Handlers:    builtin,
		Webhook:     delivery(webhook, builtin),
		Plan:        plan(triggers),
		Hooks:       m.hooks(),
		Logger:      log,
	})
	group, ctx := errgroup.WithContext(ctx)
	api := httpapi.New(httpapi.Options{
		Store: s, Triggers: triggers, Models: models, Tools: tools, Agents: agents, Place: account.Place, Feed: f, UserBudget: budget,
		Gate: gate, Rules: may, Hosts: cfg.Hosts, UI: webui.New(),
		StreamsPerUser: cfg.StreamsPerUser, Streams: cfg.Streams,
		Metrics: m.handler(), Ready: s.Ping, Stopping: ctx, Logger: log,
	})
	group.Go(func() error { return w.Run(ctx) })
	group.Go(func() error { return f.Run(ctx) })
	group.Go(func() error { return agents.Run(ctx) })
	group.Go(func() error { return sweep(ctx, s.Sweep, log) })
	group.Go(func() error { return sweep(ctx, gate.Sweep, log) })
	group.Go(func() error {
		select {
		case <-w.Joined(): // nobody is told of a server that cannot work
			return serve(ctx, cfg, api, log, func(url string) error { return greet(ctx, cfg, gate, local, url) })
		case <-ctx.Done():
			return nil
		}
	})
	return group.Wait()
}

// open opens the database that cfg names.
func open(ctx context.Context, cfg Config, planner store.Planner) (store.Store, error) {
	return openWith(ctx, cfg, store.Rules{Planner: planner, MaxBody: cfg.MaxBody})
}

func openWith(ctx context.Context, cfg Config, rules store.Rules) (store.Store, error) {
	opts := store.Options{Rules: rules, Retention: store.Retention{Log: cfg.LogRetention}}
	switch {
	case cfg.DB == "":
		return sqlite.Open(ctx, filepath.Join(cfg.Data, "nestor.db"), opts)
	case strings.HasPrefix(cfg.DB, "postgres://"), strings.HasPrefix(cfg.DB, "postgresql://"):
		return postgres.Open(ctx, cfg.DB, opts)
	}
	return nil, nestor.Errorf(nestor.CodeInvalid, "--db is a URL such as postgres://user:password@host/name; leave it out for the embedded database")
}

func loadKey(cfg Config) (*access.Key, error) {
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the data folder cannot be made: %w", err)
	}
	return access.LoadKey(cfg.SecretKey, filepath.Join(cfg.Data, "key"))
}

// sweepPause is how long a sweeper that found nothing rests.
const sweepPause = time.Minute

// sweep calls once, again and again, until ctx ends.
func sweep(ctx context.Context, once func(context.Context) (int, error), log *slog.Logger) error {
	for {
		n, err := once(ctx)
		if err != nil && ctx.Err() == nil {
			log.Warn("sweeping failed", "error", err)
		}
		if n > 0 && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(sweepPause):
		}
	}
}

func logger(cfg Config) (*slog.Logger, error) {
	var level slog.Level
	if cfg.LogLevel != "" {
		if err := level.UnmarshalText([]byte(cfg.LogLevel)); err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "--log-level is debug, info, warn or error, not %q", cfg.LogLevel)
		}
	}
	opts := &slog.HandlerOptions{Level: level}
	switch cfg.LogFormat {
	case "", "text":
		return slog.New(slog.NewTextHandler(cfg.Stderr, opts)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(cfg.Stderr, opts)), nil
	}
	return nil, nestor.Errorf(nestor.CodeInvalid, "--log-format is text or json, not %q", cfg.LogFormat)
}
