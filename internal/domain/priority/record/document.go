package record

import (
	"cmp"
	"time"

	"github.com/nestorhq/nestor"
)

// SourceDocument is a text that a person gave, and the tasks that were found in it.
type SourceDocument struct {
	nestor.Meta
	UserID  string `json:"userId"`
	Title   string `json:"title"`
	Content string `json:"content"`
	// ContentAt is when the content was given, in Unix milliseconds: days such as
	// "Friday" are counted from it. 0 means when the document was created.
	ContentAt int64 `json:"content_at,omitempty"`
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
	// DueDate is the day by which it is to be done, and NotBefore the one from which it can
	// be, both as 2006-01-02 and "" if the text names none.
	DueDate   string `json:"due_date,omitempty"`
	NotBefore string `json:"not_before,omitempty"`
}

// Day is the form of a day, in the words of package time. Days in this form compare as texts.
const Day = "2006-01-02"

// LongDay is the day of a time, with its weekday, as prompts have it.
func LongDay(t time.Time) string { return t.UTC().Format("Monday, 2 January 2006") }

// Added is when the content of the document was given.
func (d *SourceDocument) Added() time.Time { return time.UnixMilli(cmp.Or(d.ContentAt, d.CreatedAt)) }

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
	// TextHash is of the text that the vector was made of; see [HashText].
	TextHash string `json:"text_hash"`
	// Vector is its float32 numbers, little-endian, in base64.
	Vector []byte `json:"vector"`
}

// HashText tells texts apart.
func HashText(text string) string { return nestor.DeriveID("text", text) }

// VectorSet says which model the vectors of a user's tasks are to be made by. There
// is one per user, with the id [VectorSetID]. Whoever notices that another model is
// connected writes it, and the vectors are made anew by a job.
type VectorSet struct {
	nestor.Meta
	UserID string `json:"userId"`
	Model  string `json:"model"`
	// FailedModel is the connected model that could not be used, at FailedAt (Unix
	// milliseconds), for the reason in Note. Model is that of the words then.
	FailedModel string `json:"failed_model,omitempty"`
	FailedAt    int64  `json:"failed_at,omitempty"`
	Note        string `json:"note,omitempty"`
}

// VectorSetID is the id of every user's [VectorSet].
const VectorSetID = "current"

// VectorSetOf is where that of a user lies.
func VectorSetOf(userID string) nestor.Path { return Of(userID).Child("task-vectors", VectorSetID) }
