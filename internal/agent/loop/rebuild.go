package loop

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
)

// Rebuild is what a model was asked for a message of an agent, made again from what had
// been said to the agent then. Of the tools it names those that control the agent; which
// others there were is not stored.
func (l *Loop) Rebuild(r store.Reader, at nestor.Path) (*llm.Request, error) {
	m, err := chatdoc.Get[nestor.SubAgentMessage](r, at)
	if err != nil {
		return nil, err
	}
	if m.Role != nestor.RoleAssistant || m.Metadata == nil {
		return nil, nestor.Errorf(nestor.CodeNotFound, "no model was asked for the message %s", at.ID())
	}
	agent, err := chatdoc.Get[nestor.SubAgent](r, at.Parent())
	if err != nil {
		return nil, err
	}
	said, err := conversation.ReadMessages(chatdoc.Past(r, m.Meta, m.Metadata), at.Parent())
	if err != nil {
		return nil, err
	}
	turns, _ := said.Turns()
	req := &llm.Request{System: said.System(), Tools: controltool.OfAgent(l.Roles, &agent, l.Roles.Roles[agent.Role], formOf(&agent))}
	for _, t := range turns {
		req.Messages = append(req.Messages, t.Message)
	}
	return req, nil
}
