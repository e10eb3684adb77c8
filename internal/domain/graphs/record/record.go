// Package record holds what is stored of agent graphs: the graphs, their executions,
// and below an execution its progress and every resolution of a node.
package record

import (
	"encoding/json"
	"fmt"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/store"
)

// The kinds of documents.
var (
	Graphs = store.NewCollection[AgentGraph]("agent_graphs", nil, "users/{userId}/agent-graphs/{id}",
		store.Column[string]("name").Chars(1, 200))
	Executions = store.NewCollection[AgentGraphExecution]("agent_graph_executions", nil, "users/{userId}/agent-graph-executions/{id}",
		store.Column[string]("agentGraphId"), store.Column[string]("rerunOf"), store.Column("status", ExecutionRunning, ExecutionPaused, ExecutionCompleted, ExecutionFailed, ExecutionCancelled),
		store.Column[string]("parentExecutionId"))
	Progresses  = store.NewCollection[Progress]("agent_graph_progress", Executions, "users/{userId}/agent-graph-executions/{executionId}/progress/{id}")
	Resolutions = store.NewCollection[Resolution]("agent_graph_resolutions", Executions, "users/{userId}/agent-graph-executions/{executionId}/resolutions/{id}",
		store.Column("status", ResolutionRunning, ResolutionCompleted, ResolutionFailed, ResolutionCancelled))
)

// Collections are all kinds, parents before children. Clients read and delete them,
// and write them through the routes of the module only: so every graph is valid, and
// nobody makes up what came of one.
var Collections = func() []*store.Collection {
	all := []*store.Collection{Graphs, Executions, Progresses, Resolutions}
	for _, c := range all {
		c.ServerWrites = true
	}
	Graphs.Overhead, Executions.Overhead = stamped, stamped
	Executions.InRun = true
	Executions.Indexes = [][]string{{"agentGraphId"}, {"rerunOf"}, {"parentExecutionId"}}
	return all
}()

// stamped is more than the server adds to a graph: an id and stamps for each edge, and stamps
// for each node.
const stamped = (graph.MaxEdges + graph.MaxNodes) * 100

// Of is where the documents of a user lie.
func Of(userID string) nestor.Path { return nestor.Path("users/" + userID) }

// AgentGraph is a graph that a user saved.
type AgentGraph struct {
	nestor.Meta
	UserID      string `json:"userId"`
	Name        string `json:"name"`
	Description string `json:"description"`
	graph.Graph
}

// Drawn is the graph with all ids and stamps, also if an older program saved it.
func (g *AgentGraph) Drawn() graph.Graph {
	return g.Stamped(graph.Stamps{CreatedAt: g.CreatedAt, UpdatedAt: g.UpdatedAt})
}

// ExecutionAt is where an execution lies.
func ExecutionAt(userID, id string) nestor.Path {
	return Of(userID).Child("agent-graph-executions", id)
}

// AgentGraphExecution is one run of a graph, as the graph was when it began.
type AgentGraphExecution struct {
	nestor.Meta
	UserID       string `json:"userId"`
	AgentGraphID string `json:"agentGraphId"`
	// RunID is the run that it is part of. The server sets it.
	RunID string `json:"runId,omitempty"`
	Name  string `json:"name"`
	// RerunOf is the execution that this one runs again, from the node RerunFrom on.
	RerunOf   string                     `json:"rerunOf,omitempty"`
	RerunFrom string                     `json:"rerunFrom,omitempty"`
	Status    ExecutionStatus            `json:"status"`
	Graph     graph.Graph                `json:"graph"`
	Input     json.RawMessage            `json:"input,omitempty"`
	Output    map[string]json.RawMessage `json:"output,omitempty"`
	Error     *Failure                   `json:"error,omitempty"`
	// StartTime and EndTime are Unix milliseconds.
	StartTime int64 `json:"startTime"`
	EndTime   int64 `json:"endTime,omitempty"`
	// ParentExecutionID and ParentResolution are the node that waits for this
	// execution, which is that of its item Item. RootExecutionID is the one that a
	// person began, Depth executions above. All are zero for that one itself.
	ParentExecutionID string `json:"parentExecutionId,omitempty"`
	ParentResolution  int    `json:"parentResolution,omitempty"`
	Item              int    `json:"item,omitempty"`
	RootExecutionID   string `json:"rootExecutionId,omitempty"`
	Depth             int    `json:"depth,omitempty"`
	InChat
}

// Drawn is the graph with all ids and stamps, also if an older program executed it.
func (x *AgentGraphExecution) Drawn() graph.Graph {
	return x.Graph.Stamped(graph.Stamps{CreatedAt: x.CreatedAt, UpdatedAt: x.CreatedAt})
}

// InChat says which message of which chat of the user an execution answers, if it
// answers one.
type InChat struct {
	ChatID    string `json:"chatId,omitempty"`
	MessageID string `json:"messageId,omitempty"`
}

// Chat is where the chat lies, "" if there is none.
func (x *AgentGraphExecution) Chat() nestor.Path {
	if x.ChatID == "" {
		return ""
	}
	return Of(x.UserID).Child("orch-chats", x.ChatID)
}

// ExecutionStatus is how far an execution is.
type ExecutionStatus string

const (
	ExecutionRunning   ExecutionStatus = "running"
	ExecutionPaused    ExecutionStatus = "paused"
	ExecutionCompleted ExecutionStatus = "completed"
	ExecutionFailed    ExecutionStatus = "failed"
	ExecutionCancelled ExecutionStatus = "cancelled"
)

// Ended reports whether nothing more comes.
func (s ExecutionStatus) Ended() bool { return s != ExecutionRunning && s != ExecutionPaused }

// Failure is why a node, or an execution because of it, failed.
type Failure struct {
	NodeID  string `json:"nodeId,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Progress is what the schedule of an execution knows. All that moves an execution
// on, or ends it, writes this document: so two that do so at once do not miss each
// other.
type Progress struct {
	nestor.Meta
	UserID      string                     `json:"userId"`
	ExecutionID string                     `json:"executionId"`
	Ended       bool                       `json:"ended,omitempty"`
	Paused      bool                       `json:"paused,omitempty"`
	State       graph.State                `json:"state"`
	Output      map[string]json.RawMessage `json:"output,omitempty"`
	// Recorded are the resolutions of the execution that is run again whose values the
	// next turns of a node have, by node.
	Recorded map[string][]int `json:"recorded,omitempty"`
	// Below counts the executions that were begun below this one, near and far. Only
	// the one that a person began counts.
	Below int `json:"below,omitempty"`
	// Said: the execution wrote a message into its chat.
	Said bool `json:"said,omitempty"`
}

// ProgressOf is where the progress of an execution lies.
func ProgressOf(execution nestor.Path) nestor.Path { return execution.Child("progress", "progress") }

// Resolution is one turn of a node.
type Resolution struct {
	nestor.Meta
	UserID      string                     `json:"userId"`
	ExecutionID string                     `json:"executionId"`
	Number      int                        `json:"number"`
	NodeID      string                     `json:"nodeId"`
	NodeType    string                     `json:"nodeType"`
	Status      ResolutionStatus           `json:"status"`
	Inputs      map[string]json.RawMessage `json:"inputs,omitempty"`
	Outputs     map[string]json.RawMessage `json:"outputs,omitempty"`
	Error       *Failure                   `json:"error,omitempty"`
	// Recorded is the resolution, of the execution that is run again, whose values this
	// one has. Its node did not run.
	Recorded int `json:"recorded,omitempty"`
	// Attempts counts the tries, if there was more than one. Of a node with several
	// executions it is those of the one that was tried most often.
	Attempts int `json:"attempts,omitempty"`
	// Tries are the attempts of an agent or an execution that failed and are followed by
	// another. RetryTime is when the next of those begins.
	Tries     []Try `json:"tries,omitempty"`
	RetryTime int64 `json:"retryTime,omitempty"`
	StartTime int64 `json:"startTime"`
	EndTime   int64 `json:"endTime,omitempty"`
	// Paused: the execution was paused while this turn was given. It begins, or its
	// agent goes on, when the execution is resumed.
	Paused bool `json:"paused,omitempty"`
	// Begun: a node of once is run, or was. It is not run again.
	Begun bool `json:"begun,omitempty"`
	// Journal is what the node has done so far, for a run that goes on where another
	// stopped. It is kept if the node fails.
	Journal []JournalEntry `json:"journal,omitempty"`
	// Below are the executions that the node waits for.
	Below *Below `json:"below,omitempty"`
	// ChatID is the chat in which an agent works for the node.
	ChatID string `json:"chatId,omitempty"`
}

// JournalEntry is something that a node did within its turn, or, without a value, has
// begun to do.
type JournalEntry struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value,omitempty"`
}

// Try is an attempt that failed and is followed by another.
type Try struct {
	// Item is which of the executions below failed.
	Item int `json:"item,omitempty"`
	// ChatID is the chat in which the agent failed.
	ChatID string   `json:"chatId,omitempty"`
	Error  *Failure `json:"error"`
	// NextTime is when the next attempt begins, in Unix milliseconds.
	NextTime int64 `json:"nextTime"`
}

// AttemptAt is the number of the attempt for an item that is to come, runs or was the last.
func (r *Resolution) AttemptAt(item int) int {
	n := 1
	for i := range r.Tries {
		if r.Tries[i].Item == item {
			n++
		}
	}
	return n
}

// Below are executions that a node has begun: Count in all, of which those before Next
// have begun, those in Open have not ended, and those in Again failed and are begun again.
type Below struct {
	Count int   `json:"count"`
	Next  int   `json:"next"`
	Open  []int `json:"open,omitempty"`
	Again []int `json:"again,omitempty"`
}

// ResolutionStatus is how far a resolution is.
type ResolutionStatus string

const (
	ResolutionRunning   ResolutionStatus = "running"
	ResolutionCompleted ResolutionStatus = "completed"
	ResolutionFailed    ResolutionStatus = "failed"
	ResolutionCancelled ResolutionStatus = "cancelled"
)

// ResolutionAt is where a resolution lies. Ids sort as numbers do.
func ResolutionAt(execution nestor.Path, number int) nestor.Path {
	return execution.Child("resolutions", fmt.Sprintf("%06d", number))
}
