package toolrun

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/tool"
)

// Toolbox has the tools of all agents.
type Toolbox struct {
	Tools module.Tools
	Roles *role.Roles
}

// Of are the tools that an agent may call: its role's, or anyone's if it has
// no role because it is a call of a tool.
func (b *Toolbox) Of(ctx context.Context, agent *nestor.SubAgent) *tool.Registry {
	if agent.Tool != "" {
		return b.anyones(ctx)
	}
	return b.Tools.ForRole(ctx, agent.Role, b.Roles.Roles[agent.Role].Tools)
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
	return tool.Scope{UserID: chat.UserID(), ChatID: chat.ID(), SubAgentID: agent.ID, AskedBy: askers.Or(chat.UserID())}
}
