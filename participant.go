package nestor

import "strings"

// The kinds of participants of chats.
const (
	// KindOrchestrator is who answers in a chat that names nobody.
	KindOrchestrator = "orchestrator"
	// KindAgent is an agent of a role, such as agent:researcher.
	KindAgent = "agent"
	// KindModel is a model without tools, by its connection, such as model:default.
	KindModel = "model"
)

// Participant is somebody that a chat can talk to.
type Participant struct {
	// ID is what a chat's participant is set to.
	ID          string `json:"id"`
	Kind        string `json:"kind"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// Path is the document that it is, if it is one: who cannot reach that cannot
	// choose it.
	Path Path `json:"-"`
}

// ParseParticipant tells the kind of a chat's participant and which one of that kind
// it is: agent:researcher is the agent of the role researcher. No text, and
// orchestrator, are the orchestrator.
func ParseParticipant(s string) (kind, id string) {
	if s == "" {
		return KindOrchestrator, ""
	}
	kind, id, _ = strings.Cut(s, ":")
	return kind, id
}
