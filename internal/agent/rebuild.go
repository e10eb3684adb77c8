package agent

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
)

// Rebuild is what a model was asked for a message of a chat or of an agent, made again from
// the documents that r shows.
func (a *Agents) Rebuild(r store.Reader, message nestor.Path) (*llm.Request, error) {
	switch {
	case store.Messages.Has(message):
		return a.Orchestrator.Rebuild(r, message)
	case store.SubAgentMessages.Has(message):
		return a.Loop.Rebuild(r, message)
	}
	return nil, nestor.Errorf(nestor.CodeNotFound, "no model was asked for %s", message)
}
