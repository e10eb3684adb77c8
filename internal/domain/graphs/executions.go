package graphs

import (
	"encoding/json"
	"strconv"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// ExecutionSummary is an execution as lists show it.
type ExecutionSummary struct {
	ID           string                 `json:"id"`
	UserID       string                 `json:"userId"`
	AgentGraphID string                 `json:"agentGraphId"`
	Name         string                 `json:"name"`
	Status       record.ExecutionStatus `json:"status"`
	// RerunOf is the execution that this one runs again, from the node RerunFrom on.
	RerunOf   string          `json:"rerunOf,omitempty"`
	RerunFrom string          `json:"rerunFrom,omitempty"`
	Error     *record.Failure `json:"error"`
	// StartTime and EndTime are Unix milliseconds, EndTime null until there is one.
	StartTime int64  `json:"startTime"`
	EndTime   *int64 `json:"endTime"`
	CreatedAt int64  `json:"createdAt"`
	UpdatedAt int64  `json:"updatedAt"`
	Version   int64  `json:"version"`
	// ParentExecutionID is the execution that has a node which waits for this one.
	ParentExecutionID string `json:"parentExecutionId,omitempty"`
}

// Execution is an execution with its values.
type Execution struct {
	ExecutionSummary
	Graph graph.Graph `json:"graph"`
	Input any         `json:"input"`
	// Output is what came to the output nodes, by their names.
	Output map[string]any `json:"output"`
}

// Resolution is one turn of a node.
type Resolution struct {
	ExecutionID string                  `json:"executionId"`
	Number      int                     `json:"number"`
	NodeID      string                  `json:"nodeId"`
	NodeType    string                  `json:"nodeType"`
	Status      record.ResolutionStatus `json:"status"`
	Inputs      map[string]any          `json:"inputs"`
	Outputs     map[string]any          `json:"outputs"`
	Error       *record.Failure         `json:"error"`
	// Recorded: the values are those of the execution that is run again.
	Recorded bool `json:"recorded"`
	// Attempts counts the tries. Tries are those of agents and executions below that failed
	// and were followed by another; RetryTime is when the next one begins, in Unix milliseconds.
	Attempts  int          `json:"attempts"`
	Tries     []record.Try `json:"tries,omitempty"`
	RetryTime int64        `json:"retryTime,omitempty"`
	StartTime int64        `json:"startTime"`
	EndTime   *int64       `json:"endTime"`
	// ChatID is the chat in which an agent works for the node. People answer its
	// questions there.
	ChatID string `json:"chatId,omitempty"`
}

func summarise(x *record.AgentGraphExecution) ExecutionSummary {
	return ExecutionSummary{
		ID: x.ID, UserID: x.UserID, AgentGraphID: x.AgentGraphID, Name: x.Name, Status: x.Status, RerunOf: x.RerunOf, RerunFrom: x.RerunFrom, Error: x.Error, StartTime: x.StartTime, EndTime: orNull(x.EndTime),
		CreatedAt: x.CreatedAt, UpdatedAt: x.UpdatedAt, Version: x.Version, ParentExecutionID: x.ParentExecutionID,
	}
}

func showExecution(x *record.AgentGraphExecution) Execution {
	var input any
	if x.Input != nil {
		input = x.Input
	}
	return Execution{ExecutionSummary: summarise(x), Graph: x.Drawn(), Input: input, Output: values(x.Output)}
}

func showResolution(r *record.Resolution) Resolution {
	return Resolution{
		ExecutionID: r.ExecutionID, Number: r.Number, NodeID: r.NodeID, NodeType: r.NodeType, Status: r.Status, Inputs: values(r.Inputs), Outputs: values(r.Outputs),
		Error: r.Error, Recorded: r.Recorded > 0, Attempts: max(r.Attempts, 1), Tries: r.Tries, RetryTime: r.RetryTime, StartTime: r.StartTime, EndTime: orNull(r.EndTime), ChatID: r.ChatID,
	}
}

func values(of map[string]json.RawMessage) map[string]any {
	all := map[string]any{}
	for name, v := range of {
		all[name] = v
	}
	return all
}

func orNull(at int64) *int64 {
	if at == 0 {
		return nil
	}
	return &at
}

// executionRequest begins an execution.
type executionRequest struct {
	// Input is what on-start nodes put out.
	Input json.RawMessage `json:"input,omitempty"`
}

func executionsOf(r *httpapi.Request) string {
	return string(record.Of(r.UserID())) + "/agent-graph-executions"
}

func executionAt(r *httpapi.Request) nestor.Path {
	return record.Of(r.UserID()).Child("agent-graph-executions", r.PathValue("execution"))
}

func (g *Graphs) execute(r *httpapi.Request) (any, error) {
	var said executionRequest
	if err := r.Decode(&said); err != nil {
		return nil, err
	}
	if len(said.Input) > engine.MaxValue {
		return nil, nestor.Errorf(nestor.CodeTooLarge, "the input has %d bytes, more than %d", len(said.Input), engine.MaxValue).With("field", "input")
	}
	at := record.Of(r.UserID()).Child("agent-graph-executions", nestor.NewID())
	if err := r.MayAct(graphAt(r)); err != nil {
		return nil, err
	}
	if saved, err := r.Get(graphAt(r)); err != nil {
		return nil, err
	} else if drawn, err := nestor.As[record.AgentGraph](saved); err != nil {
		return nil, err
	} else if err := g.mayRun(r, &drawn.Graph); err != nil {
		return nil, err
	}
	err := r.Act(at, func(tx store.Tx) error {
		d, err := tx.Get(graphAt(r))
		if err != nil {
			return err
		}
		drawn, err := nestor.As[record.AgentGraph](d)
		if err != nil {
			return err
		}
		// Node types may have changed since it was saved.
		if err := g.valid(tx, graphAt(r), &drawn.Graph); err != nil {
			return err
		}
		return g.engine.Start(tx, at, &drawn, said.Input)
	})
	if err != nil {
		return nil, err
	}
	return get(r, at, showExecution)
}

func (g *Graphs) listExecutions(r *httpapi.Request) (any, error) {
	where, err := executionFilter(r)
	if err != nil {
		return nil, err
	}
	return list(r, executionsOf(r), newestFirst, where, summarise)
}

// executionFilter is what a list is narrowed to, nil for all.
func executionFilter(r *httpapi.Request) (*store.Filter, error) {
	var where []store.Filter
	for _, field := range []string{"agentGraphId", "status", "rerunOf", "parentExecutionId"} {
		if value := r.URL.Query().Get(field); value != "" {
			where = append(where, *store.Where(field, store.Eq, value))
		}
	}
	for field, op := range map[string]store.Op{"from": store.Ge, "to": store.Lt} {
		value := r.URL.Query().Get(field)
		if value == "" {
			continue
		}
		at, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "%s is a time in Unix milliseconds, not %q", field, value).With("field", field)
		}
		where = append(where, *store.Where("createdAt", op, at))
	}
	if len(where) == 0 {
		return nil, nil
	}
	return &store.Filter{And: where}, nil
}

func (g *Graphs) getExecution(r *httpapi.Request) (any, error) {
	return get(r, executionAt(r), showExecution)
}

func (g *Graphs) listResolutions(r *httpapi.Request) (any, error) {
	if _, err := r.Get(executionAt(r)); err != nil {
		return nil, err
	}
	return list(r, string(executionAt(r))+"/resolutions", byID, nil, showResolution)
}

func (g *Graphs) cancelExecution(r *httpapi.Request) (any, error) { return steer(r, g.engine.Cancel) }

func (g *Graphs) pauseExecution(r *httpapi.Request) (any, error) { return steer(r, g.engine.Pause) }

func (g *Graphs) resumeExecution(r *httpapi.Request) (any, error) { return steer(r, g.engine.Resume) }

// steer does something with an execution and answers with what it is then.
func steer(r *httpapi.Request, how func(store.Tx, nestor.Path) error) (any, error) {
	if err := r.Act(executionAt(r), func(tx store.Tx) error { return how(tx, executionAt(r)) }); err != nil {
		return nil, err
	}
	return get(r, executionAt(r), showExecution)
}

func (g *Graphs) deleteExecution(r *httpapi.Request) (any, error) {
	return nil, r.Act(executionAt(r), func(tx store.Tx) error { return tx.Delete(executionAt(r), store.AnyVersion) })
}
