package app

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/agent"
	"github.com/nestorhq/nestor/internal/agent/participant"
	"github.com/nestorhq/nestor/internal/agent/remote"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/door/a2a"
	"github.com/nestorhq/nestor/internal/door/agui"
	"github.com/nestorhq/nestor/internal/door/aisdk"
	"github.com/nestorhq/nestor/internal/door/mcp"
	"github.com/nestorhq/nestor/internal/door/openai"
	"github.com/nestorhq/nestor/internal/door/turn"
	"github.com/nestorhq/nestor/internal/module"
)

// doors are the protocols of others in front of runs. A new one is a line here.
func doors(cfg Config, agents agent.Settings, made *parts) module.List {
	begun := func() *runs.Runs { return made.runs }
	return module.List{
		turn.Module,
		openai.Module(openai.Options{Runs: begun}),
		agui.Module(agui.Options{Runs: begun}),
		aisdk.Module(aisdk.Options{Runs: begun}),
		mcp.Module(mcp.Options{Runs: begun}),
		a2a.Module(a2a.Options{
			Runs: begun, Roles: func() []nestor.Participant { return participant.OfRoles(agents.Roles) },
			Key: func() *access.Key { return made.key }, Gate: func() *access.Gate { return made.gate }, AllowPrivate: cfg.AllowPrivate,
		}),
	}
}

// elsewhere is the domain of agents whose work remote agents do.
func elsewhere(cfg Config, agents agent.Settings, made *parts) module.Module {
	m := remote.Module(remote.Options{Roles: agents.Roles, AllowPrivate: cfg.AllowPrivate, Env: lookup(cfg)})
	m.Open = keep(m.Open, &made.remote)
	return m
}
