package record

import "github.com/nestorhq/nestor"

// TextDocument is one version of a text. The versions of a text are a list, linked
// both ways; only the last one changes.
type TextDocument struct {
	nestor.Meta
	UserID string `json:"userId"`
	Title  string `json:"title"`
	// Type is [Markdown] for now.
	Type    DocumentType `json:"type,omitempty"`
	Content string       `json:"content"`
	// PreviousID and NextID are the neighbours, nil at the ends.
	PreviousID *string `json:"previousId"`
	NextID     *string `json:"nextId"`
	// FirstID is the id of the first version, the same in all of them, and Number
	// counts them from 1.
	FirstID string `json:"firstId"`
	Number  int64  `json:"number"`
	// WrittenBy is who wrote this version. Nil in those of older versions of the
	// program.
	WrittenBy *Author `json:"writtenBy,omitempty"`
}

// Author is who wrote a version: a person, or an agent that a person asked.
type Author struct {
	// UserID is the person, or whom the agent worked for.
	UserID string `json:"userId"`
	// Role, ChatID, TaskID and SubAgentID say which agent it was, and ToolCallID with
	// which call. All are empty for a person.
	Role       string `json:"role,omitempty"`
	ChatID     string `json:"chatId,omitempty"`
	TaskID     string `json:"taskId,omitempty"`
	SubAgentID string `json:"subAgentId,omitempty"`
	ToolCallID string `json:"toolCallId,omitempty"`
}

// DocumentType is what a text is written in.
type DocumentType string

// Markdown is the only type.
const Markdown DocumentType = "markdown"

// ChatThread says whom a thread of messages is with.
type ChatThread struct {
	nestor.Meta
	UserID      string `json:"userId"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// ThreadID is a [MessageThread] of the same user.
	ThreadID string `json:"threadId"`
	// ParticipantID is a model, an agent or a graph that the user can talk to.
	ParticipantID string `json:"participantId"`
}

// Settings are what a user's pages remember.
type Settings struct {
	nestor.Meta
	UserID   string `json:"userId"`
	LastPage string `json:"lastPage"`
	Theme    string `json:"theme"`
}
