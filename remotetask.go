package nestor

// RemoteTask is what is known of the task that a remote agent does for an agent, stored
// below the agent at remote-tasks/{id}. It is written before anything is sent, so that
// after a crash the remote task is taken up again.
type RemoteTask struct {
	Meta
	UserID     string `json:"userId,omitempty"`
	ChatID     string `json:"chatId,omitempty"`
	SubAgentID string `json:"subAgentId,omitempty"`
	// SentUpTo is the newest message to the agent that the remote one was sent, SentAfter
	// the newest of what it was sent before, and MessageID the id of what it was sent.
	// Accepted: it has said that it got it.
	SentUpTo  string `json:"sentUpTo"`
	SentAfter string `json:"sentAfter,omitempty"`
	MessageID string `json:"messageId"`
	Accepted  bool   `json:"accepted,omitempty"`
	// Attempt counts how often somebody had it tried again.
	Attempt int `json:"attempt,omitempty"`
	// TaskID and ContextID are the remote agent's ids.
	TaskID    string `json:"taskId,omitempty"`
	ContextID string `json:"contextId,omitempty"`
	// State is where the remote task stands, in the words of the A2A protocol.
	State string `json:"state,omitempty"`
}
