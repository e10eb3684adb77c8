package record

import "github.com/nestorhq/nestor"

// SourceDocument is a text that a person gave, and the tasks that were found in it.
type SourceDocument struct {
	nestor.Meta
	UserID  string `json:"userId"`
	Title   string `json:"title"`
	Content string `json:"content"`
	// SourceType is the form it came in: markdown, text, docx or pdf.
	SourceType string         `json:"source_type"`
	Status     DocumentStatus `json:"status,omitempty"`
	Error      string         `json:"error,omitempty"`
	// Notice is what the person should know about how it was processed.
	Notice string `json:"notice,omitempty"`
	// StructuredOutput is absent until the document was processed once.
	StructuredOutput *StructuredOutput `json:"structured_output,omitempty"`
}

// DocumentStatus is how far the processing of a document is.
type DocumentStatus string

const (
	DocumentQueued     DocumentStatus = "queued"
	DocumentProcessing DocumentStatus = "processing"
	DocumentCompleted  DocumentStatus = "completed"
	DocumentFailed     DocumentStatus = "failed"
)

// StructuredOutput is what was found in a document.
type StructuredOutput struct {
	Tasks []ExtractedTask `json:"tasks"`
	// ExtractedBy is the model that found them, or "rules".
	ExtractedBy string `json:"extracted_by"`
}

// ExtractedTask is something to do. Its id is made of its text and its document, so
// it is the same each time the document is processed.
type ExtractedTask struct {
	ID          string  `json:"id"`
	Text        string  `json:"text"`
	EffortHours float64 `json:"effort_hours"`
	// Done: the text itself says so, with a ticked box.
	Done bool `json:"done,omitempty"`
}

// TaskState is what is known about a task beyond its text. Its id is the task's.
type TaskState struct {
	nestor.Meta
	UserID     string `json:"userId"`
	DocumentID string `json:"documentId"`
	Done       bool   `json:"done"`
	// ChatID and AgentTaskID are where agents work on it, and Status and Result
	// what came of it.
	ChatID      string `json:"chat_id,omitempty"`
	AgentTaskID string `json:"agent_task_id,omitempty"`
	Status      string `json:"status,omitempty"`
	Result      string `json:"result,omitempty"`
}

// TaskEmbedding is the vector of a task's text. Its id is the task's.
type TaskEmbedding struct {
	nestor.Meta
	UserID     string `json:"userId"`
	DocumentID string `json:"documentId"`
	// Model is what made the vector: vectors of two models cannot be compared.
	Model string `json:"model"`
	// Vector is its float32 numbers, little-endian, in base64.
	Vector []byte `json:"vector"`
}
