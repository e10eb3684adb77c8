package app

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/agent"
	"github.com/nestorhq/nestor/internal/agent/participant"
	"github.com/nestorhq/nestor/internal/agent/remote"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/door/a2a"
	"github.com/nestorhq/nestor/internal/module"
)

// elsewhere is the domain of agents whose work remote agents do.
func elsewhere(cfg Config, agents agent.Settings, made *parts) module.Module {
	m := remote.Module(remote.Options{Roles: agents.Roles, AllowPrivate: cfg.AllowPrivate, Env: lookup(cfg)})
	m.Open = keep(m.Open, &made.remote)
	return m
}

// a2aDoor is the door for clients of the Agent2Agent protocol.
func a2aDoor(cfg Config, agents agent.Settings, made *parts) module.Module {
	return a2a.Module(a2a.Options{
		Runs:  func() *runs.Runs { return made.runs },
		Roles: func() []nestor.Participant { return participant.OfRoles(agents.Roles) },
		Key:   func() *access.Key { return made.key }, AllowPrivate: cfg.AllowPrivate,
	})
}
