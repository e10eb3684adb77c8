package agent

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/store"
)

// Interrupts are the changes that leave no reason for an answer, a step or a call: an agent
// ends or waits, a question is answered, a user says more or stops the answer.
var Interrupts = []interrupt.Rule{
	{Collection: store.Messages, Work: nestor.Path.Parent, Ends: supersedes},
	{Collection: store.Chats, Ends: unwanted},
	{Collection: store.Tasks, Ends: unwanted},
	{Collection: store.SubAgents, Ends: unwanted},
}

// supersedes reports whether the orchestrator need not go on with its answer:
// the user said more, which the next one will see, too, or stopped it.
func supersedes(c *nestor.Change) bool {
	if c.Type != nestor.Create {
		return false
	}
	m, err := nestor.As[nestor.Message](c.After)
	return err == nil && (m.Role == nestor.RoleUser && m.QuestionID == "" || conversation.IsStop(&m))
}

// unwanted reports whether what changed is gone, or no reason to work: it is no chat, no
// agent that is active and no task that waits for an answer.
func unwanted(c *nestor.Change) bool {
	if c.After == nil {
		return true
	}
	doc, err := nestor.As[struct {
		Status string `json:"status"`
	}](c.After)
	return err == nil && doc.Status != "" && doc.Status != string(nestor.SubAgentActive) && doc.Status != string(nestor.TaskWaiting)
}
