package app

import (
	"context"
	"log/slog"

	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool/builtin"
	"github.com/nestorhq/nestor/internal/tool/toolset"
)

// localUser is the user that the person who runs the program is.
const localUser = "local"

// openTools makes the tools that cfg names. The set must be closed.
func openTools(ctx context.Context, cfg Config, s store.Documents, may *rules.Engine, log *slog.Logger) (*toolset.Set, error) {
	config := &toolset.Config{}
	if cfg.Tools != "" {
		var err error
		if config, err = toolset.Load(cfg.Tools); err != nil {
			return nil, err
		}
	}
	return toolset.Open(ctx, config, toolset.Options{
		Builtin: builtin.Tools(builtin.Options{
			AllowPrivate: cfg.AllowPrivate,
			TavilyKey:    cfg.Env("TAVILY_API_KEY"),
			Documents:    searcher{s, may},
			Results:      results{s, may},
		}),
		Env: func(name string) (string, bool) {
			value := cfg.Env(name)
			return value, value != ""
		},
		Logger: log,
	})
}
