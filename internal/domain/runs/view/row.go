package view

import (
	"strings"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
)

// RunTree is a part of the rows of a run, those above others first.
type RunTree struct {
	Run  nestor.Run `json:"run"`
	Rows []RunRow   `json:"rows"`
	// Next continues with the rows of further agents; "" at the end.
	Next string `json:"next,omitempty"`
	// Seq is where the log stood at least. Who asks again for what changed since gets the
	// rows that are new or other.
	Seq int64 `json:"seq"`
	// Now is the server's time in Unix milliseconds: what has no end yet lasts until then.
	Now int64 `json:"now"`
}

// RowKind says what a row is.
type RowKind string

// The kinds of rows.
const (
	Message      RowKind = "message"      // what began the run, if somebody said it
	Orchestrator RowKind = "orchestrator" // who answers in the chat: its turns and agents are below
	Agent        RowKind = "agent"        // with its steps, calls and agents below
	Model        RowKind = "model"        // one turn of a model
	Tool         RowKind = "tool"         // one call
	Question     RowKind = "question"     // an agent asked somebody
	Execution    RowKind = "execution"    // of a graph, with its nodes below
	Node         RowKind = "node"         // one turn of a node
	Session      RowKind = "session"      // a prioritisation, with its steps below
)

// RunRow is one thing that happened in a run. Times are Unix milliseconds, 0 if it has not
// come so far. What a row used is its own; that of the rows below it is theirs.
type RunRow struct {
	// ID is the path, below the user, of the document that tells of it.
	ID string `json:"id"`
	// Parent is the row that it lies below. One that is not among the rows of any page
	// stands for the first row.
	Parent string  `json:"parent,omitempty"`
	Kind   RowKind `json:"kind"`
	// Label is what it is about, in a line. Name is the role, tool, model or node.
	Label string `json:"label,omitempty"`
	Name  string `json:"name,omitempty"`
	// For is what a turn of the orchestrator is for: answer, conclusion, question or summary.
	For string `json:"for,omitempty"`
	// TaskID is the task of an agent, or the one that a turn is about.
	TaskID string `json:"taskId,omitempty"`
	// Status is pending, running, waiting, success, failed, could_not, cancelled or skipped.
	Status string `json:"status"`
	// It could begin at QueuedAt, began at BeganAt, and was over at EndedAt. A model had
	// begun to say something at FirstAt.
	QueuedAt   int64         `json:"queuedAt,omitempty"`
	BeganAt    int64         `json:"beganAt,omitempty"`
	FirstAt    int64         `json:"firstAt,omitempty"`
	EndedAt    int64         `json:"endedAt,omitempty"`
	Usage      *nestor.Usage `json:"usage,omitempty"`
	CostMicros int64         `json:"costMicros,omitempty"`
	Error      string        `json:"error,omitempty"`
	// Retries is how often it was tried again.
	Retries int `json:"retries,omitempty"`
	// Waits are what its time went to, in order.
	Waits []RunWait `json:"waits,omitempty"`
	// Order sorts rows of the same time.
	Order int64 `json:"order"`
}

// WaitFor is what time goes to.
type WaitFor string

// What is waited for.
const (
	ForQueue  WaitFor = "queue"  // a free worker, or what comes first
	ForModel  WaitFor = "model"  // the model's words
	ForTool   WaitFor = "tool"   // the result of a call
	ForPerson WaitFor = "person" // an answer or a decision
)

// RunWait is a stretch of time. To is 0 if it lasts.
type RunWait struct {
	For  WaitFor `json:"for"`
	From int64   `json:"from"`
	To   int64   `json:"to,omitempty"`
}

// waits adds a stretch, if it has a length.
func (r *RunRow) waits(what WaitFor, from, to int64) {
	if from > 0 && (to == 0 || to > from) {
		r.Waits = append(r.Waits, RunWait{what, from, to})
	}
}

// used adds what the reply in a message used.
func (r *RunRow) used(m *nestor.MessageMetadata) {
	r.Usage, r.CostMicros = r.Usage.Add(m.Usage), r.CostMicros+m.CostMicros
}

// said gives a row the times of the model's reply in a message that was written at a time.
func (r *RunRow) said(m *nestor.MessageMetadata, at int64) {
	r.used(m)
	r.Name, r.EndedAt, r.BeganAt = m.Model, at, at-m.DurationMS
	if r.QueuedAt == 0 || r.QueuedAt > r.BeganAt {
		r.QueuedAt = r.BeganAt
	}
	if m.FirstMS > 0 {
		r.FirstAt = r.BeganAt + m.FirstMS
	}
	if m.Attempts > 1 {
		r.Retries = m.Attempts - 1
	}
	if m.FinishReason == nestor.FinishInterrupted {
		r.Status = string(nestor.TaskCancelled)
	}
	r.waits(ForQueue, r.QueuedAt, r.BeganAt)
	r.waits(ForModel, r.BeganAt, r.EndedAt)
}

// labelLength is how many characters of a text a row shows.
const labelLength = 160

// label is the beginning of a text, in a line.
func label(text string) string {
	if len(text) > 8*labelLength {
		text = text[:8*labelLength]
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if utf8.RuneCountInString(text) <= labelLength {
		return text
	}
	return string([]rune(text)[:labelLength-1]) + "…"
}
