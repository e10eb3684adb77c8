package tool

import (
	"slices"
	"strings"
)

// What is offered costs tokens with every call of a model, so a tool is offered where it can
// be of use.

// Where is where an agent works.
type Where struct {
	ChatID string
	// Long: something may have left the conversation.
	Long bool
	// Named are tools that the agent's role has by their names: they are of use everywhere.
	Named []string
}

func (t *Tool) useful(at Where) bool {
	return slices.Contains(at.Named, t.Name) && !t.ReadsBack || strings.HasPrefix(at.ChatID, t.Chats) && (at.Long || !t.ReadsBack)
}

// Useful has the tools that an agent has a use for. It is the same registry for agents of
// whom that is the same.
func (r *Registry) Useful(at Where) *Registry {
	useless := ""
	for i, t := range r.tools {
		if !t.useful(at) {
			useless += r.names[i] + " "
		}
	}
	if useless == "" {
		return r
	}
	if some, ok := r.without.Load(useless); ok {
		return some.(*Registry)
	}
	some, _ := r.without.LoadOrStore(useless, r.Only(func(t *Tool) bool { return t.useful(at) }))
	return some.(*Registry)
}
