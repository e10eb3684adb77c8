package agent

import (
	"context"
	_ "embed"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/remote"
	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/trigger"
)

//go:embed rules.json
var rules []byte

// description is what the agents' domain has, whoever runs it.
var description = module.Of[*Agents]{
	Name: "agents",
	Collections: []*store.Collection{
		store.Chats, store.Messages, store.Tasks, store.SubAgents, store.SubAgentMessages, store.SubAgentToolCalls,
	},
	OldTables:  true,
	Triggers:   trigger.Parse("triggers.json", triggers),
	Reactions:  reactions,
	Moments:    moments,
	Handlers:   handlers,
	Interrupts: Interrupts,
	Rules:      rules,
	Committed:  (*Agents).Committed,
}

// Triggers are those that drive agents.
func Triggers() trigger.BuiltIn { return description.Describe().Triggers }

// Settings are what the person who runs the server decides about agents.
type Settings struct {
	// Roles of agents. Defaults to [role.Default].
	Roles *role.Roles
	// Local reports whether agents may run local tools by themselves; see
	// [Options].
	Local func() bool
	// UserBudget bounds what each user may use in all. Defaults to no bound.
	UserBudget nestor.Budget
	// ContextTokens is the size from which a conversation is condensed; see
	// [Options].
	ContextTokens int
	// Remote has the agents whose work is done elsewhere, once the server is put
	// together. Nil if there are none.
	Remote func() *remote.Agents
}

// Module is the agents' domain.
func Module(s Settings) module.Of[*Agents] {
	m := description
	m.Open = func(_ context.Context, host module.Host) (*Agents, error) {
		return New(Options{
			Remote: s.Remote, Store: host.Store, Models: host.Models, Tools: host.Tools, Feed: host.Feed, Running: host.Running, Participants: host.Participants, Files: host.Files, Room: host.Room, Logger: host.Logger,
			Roles: s.Roles, Local: s.Local, UserBudget: s.UserBudget, ContextTokens: s.ContextTokens,
		}), nil
	}
	return m
}
