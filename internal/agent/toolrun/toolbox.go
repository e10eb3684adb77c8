package toolrun

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
)

// Toolbox has the tools of all agents.
type Toolbox struct {
	Tools module.Tools
	Roles *role.Roles
}

// Of are the tools that an agent may call: those that the chat's client brought along and
// its role's, or anyone's if it has no role because it is a call of a tool.
func (b *Toolbox) Of(ctx context.Context, agent *nestor.SubAgent) *tool.Registry {
	if agent.Tool != "" {
		return b.anyones(ctx)
	}
	own := b.Tools.ForRole(ctx, agent.Role, b.Roles.Roles[agent.Role].Tools)
	if len(agent.ClientTools) == 0 {
		return own
	}
	return tool.Union(ofClient(agent.ClientTools), own)
}

// Useful are those of them that are offered: see [tool.Registry.Useful].
func (b *Toolbox) Useful(ctx context.Context, chat nestor.Path, agent *nestor.SubAgent, long bool) *tool.Registry {
	return b.Of(ctx, agent).Useful(tool.Where{ChatID: chat.ID(), Long: long, Named: b.Roles.Roles[agent.Role].Tools})
}

// OfOrchestrator are the tools that the orchestrator calls itself, within its turn: those that
// may run again after a crash, and that nobody has to approve or to run elsewhere.
func (b *Toolbox) OfOrchestrator(ctx context.Context) *tool.Registry {
	return b.Tools.ForRole(ctx, nestor.KindOrchestrator, b.Roles.Orchestrator.Tools).Only(func(t *tool.Tool) bool {
		return t.Effect != tool.Once && !t.NeedsApproval && !t.Client
	})
}

// ofClient are the tools that a chat's client brought along. One that is good for nothing,
// or has the name of a control tool, was refused before; it is left out.
func ofClient(brought []nestor.ClientTool) *tool.Registry {
	var tools []*tool.Tool
	for _, c := range brought {
		if t, err := tool.OfClient(c); err == nil && !controltool.Has(c.Name) {
			tools = append(tools, t)
		}
	}
	return tool.NewRegistry(tools, tool.Options{})
}

// anyones are the tools that agents of at least one role may call: a task of
// type tool is no way around what is kept from all of them.
func (b *Toolbox) anyones(ctx context.Context) *tool.Registry {
	var each []*tool.Registry
	for _, role := range b.Roles.Names() {
		each = append(each, b.Tools.ForRole(ctx, role, b.Roles.Roles[role].Tools))
	}
	return tool.Union(each...)
}

// Scope says in whose chat and for whom a call of an agent is made.
func Scope(agent *nestor.SubAgent, path nestor.Path, askers nestor.Askers) tool.Scope {
	chat := chatdoc.ChatOf(path)
	return tool.Scope{
		UserID: chat.UserID(), ChatID: chat.ID(), SubAgentID: agent.ID, AskedBy: askers.Or(chat.UserID()), Run: store.RunAt(chat, agent.RunID),
	}
}
