package nestor

// ChangeType says what a write did to a document.
type ChangeType string

// The types of change.
const (
	Create ChangeType = "create"
	Update ChangeType = "update"
	Delete ChangeType = "delete"
)

// Change is one write of one document. Changes are totally ordered by Seq;
// all changes of a transaction become visible at once.
type Change struct {
	Seq  int64      `json:"seq"`
	Type ChangeType `json:"type"`
	Path Path       `json:"path"`
	// Version of the document after the change; a delete counts as one.
	Version int64 `json:"version"`
	// At is when it happened, in Unix milliseconds.
	At int64 `json:"at"`
	// Before is the document as it was; nil for a create.
	Before *Document `json:"before,omitempty"`
	// After is the document as written; nil for a delete.
	After *Document `json:"after,omitempty"`
}
