package a2a

import (
	"context"
	"log/slog"
	"runtime/debug"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
)

// Options configure the door.
type Options struct {
	// Runs are those of the server, once it is put together.
	Runs func() *runs.Runs
	// Roles are the roles of agents as participants, for the cards.
	Roles func() []nestor.Participant
}

// Door answers requests.
type Door struct {
	Options
	version string // of the program
	log     *slog.Logger
}

// Module is the door.
func Module(opts Options) module.Of[*Door] {
	type door = httpapi.Door
	return module.Of[*Door]{
		Name: "a2a",
		Doors: []module.Door[*Door]{
			{Serve: (*Door).publicCard, Door: door{Pattern: "GET /.well-known/agent-card.json", Open: true, Fail: fail}},
			{Serve: (*Door).publicCard, Door: door{Pattern: "GET /a2a/{participant}/.well-known/agent-card.json", Open: true, Fail: fail}},
			{Serve: (*Door).answer, Door: door{Pattern: "POST /a2a/{participant}", Fail: fail}},
		},
		Open: func(_ context.Context, host module.Host) (*Door, error) {
			return &Door{Options: opts, version: version(), log: host.Logger}, nil
		},
	}
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
