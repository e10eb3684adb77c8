package app

import (
	"context"
	"log/slog"

	"github.com/nestorhq/nestor/internal/agent/controltool"

	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/search"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool/builtin"
	"github.com/nestorhq/nestor/internal/tool/toolset"
)

// lateTools are known when all modules have been opened.
type lateTools struct{ *toolset.Set }

// openTools makes the tools that cfg names, and those of modules. The set must be closed.
func openTools(ctx context.Context, cfg Config, s store.Documents, may *rules.Engine, parts []*module.Running, log *slog.Logger) (*toolset.Set, error) {
	config := &toolset.Config{}
	if cfg.Tools != "" {
		var err error
		if config, err = toolset.Load(cfg.Tools); err != nil {
			return nil, err
		}
	}
	read := search.New(s, may)
	own := builtin.Tools(builtin.Options{
		AllowPrivate: cfg.AllowPrivate,
		TavilyKey:    cfg.Env("TAVILY_API_KEY"),
		Documents:    read,
		Results:      read,
	})
	for _, part := range parts {
		own = append(own, part.Tools...)
	}
	return toolset.Open(ctx, config, toolset.Options{
		Builtin: own,
		Taken:   controltool.Names(),
		Env:     lookup(cfg),
		Logger:  log,
	})
}

// lookup is the environment as configuration files use it: a variable that is empty is
// not set.
func lookup(cfg Config) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value := cfg.Env(name)
		return value, value != ""
	}
}
