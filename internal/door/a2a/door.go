package a2a

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/file"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/netguard"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/trigger"
)

// Options configure the door.
type Options struct {
	// Runs are those of the server, once it is put together.
	Runs func() *runs.Runs
	// Roles are the roles of agents as participants, for the cards.
	Roles func() []nestor.Participant
	// Key seals what clients give to be notified with.
	Key func() *access.Key
	// Gate knows whether those who want to be notified still may.
	Gate func() *access.Gate
	// AllowPrivate lets notifications go to private addresses. Defaults to false.
	AllowPrivate bool
}

// Door answers requests.
type Door struct {
	Options
	version string // of the program
	store   store.Store
	files   *file.Library
	http    *http.Client
	log     *slog.Logger
}

// Module is the door.
func Module(opts Options) module.Of[*Door] {
	type door = httpapi.Door
	return module.Of[*Door]{
		Name:        "a2a",
		Collections: []*store.Collection{Pushes},
		Keep:        map[string]time.Duration{Pushes.Name: pushesKept, nestor.Secrets + "/*/" + pushesName: pushesKept},
		Reactions:   reactions,
		Handlers: []module.Handler[*Door]{
			{Stage: trigger.Stage{Name: restStage, Key: "a2a:{path}", Coalesce: true}, Prompt: true, Run: (*Door).rested},
			{Stage: trigger.Stage{Name: pushStage, Key: "a2a-push:{path}"}, Run: (*Door).push},
		},
		Doors: []module.Door[*Door]{
			{Serve: (*Door).publicCard, Door: door{Pattern: "GET /.well-known/agent-card.json", Open: true, Fail: fail}},
			{Serve: (*Door).publicCard, Door: door{Pattern: "GET /a2a/{participant}/.well-known/agent-card.json", Open: true, Fail: fail}},
			{Serve: (*Door).answer, Door: door{Pattern: "POST /a2a/{participant}", MaxBody: maxBody, Fail: fail}},
		},
		Open: func(_ context.Context, host module.Host) (*Door, error) {
			return &Door{Options: opts, version: version(), store: host.Store, files: host.Files, log: host.Logger, http: netguard.Client(netguard.Options{
				AllowPrivate: opts.AllowPrivate, Permit: "start the server with --allow-private",
			})}, nil
		},
		Drained: func(d *Door, _ context.Context) error {
			d.http.CloseIdleConnections()
			return nil
		},
	}
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
