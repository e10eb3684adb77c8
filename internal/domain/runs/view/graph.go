package view

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	graphs "github.com/nestorhq/nestor/internal/domain/graphs/record"
	priority "github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/store"
)

// maxDepth bounds how deep executions are looked for below others. Each is looked at once.
const maxDepth = 20

// execution adds an execution of a graph, its nodes, and what agents and other executions
// did for them. All of it is on one page, since agents of several chats take part.
func (t *tree) execution(at nestor.Path, parent string, depth int) error {
	t.whole = true
	x, err := store.Find[graphs.AgentGraphExecution](t.docs, at)
	if err != nil || x == nil || depth > maxDepth || t.met[at] {
		return err
	}
	t.met[at] = true
	row := RunRow{
		ID: below(at), Parent: parent, Kind: Execution, Name: x.Name, Status: executionStatus(string(x.Status)), QueuedAt: x.CreatedAt,
		BeganAt: x.StartTime, EndedAt: x.EndTime, Order: x.CreatedSeq,
	}
	if x.Error != nil {
		row.Error = x.Error.Message
	}
	if parent == "" { // the run is this execution
		row.Usage, row.CostMicros = t.run.UnsaidUsage, t.run.UnsaidCostMicros
	}
	row.waits(ForQueue, row.QueuedAt, row.BeganAt)
	t.add(max(x.Seq, t.run.Seq), row)
	nodes := map[int]string{}
	var chats []struct{ chat, node string }
	if err := store.Each(t.docs, store.Query{Collection: string(at) + "/resolutions"}, func(_ nestor.Path, r *graphs.Resolution) {
		node := RunRow{
			ID: below(at.Child("resolutions", r.ID)), Parent: row.ID, Kind: Node, Name: r.NodeType, Label: r.NodeID, Status: executionStatus(string(r.Status)),
			QueuedAt: r.StartTime, BeganAt: r.StartTime, EndedAt: r.EndTime, Order: r.CreatedSeq,
		}
		if r.Error != nil {
			node.Error = r.Error.Message
		}
		if r.Attempts > 1 {
			node.Retries = r.Attempts - 1
		}
		if r.ChatID == "" && r.Below == nil {
			node.waits(ForTool, node.BeganAt, node.EndedAt)
		}
		nodes[r.Number] = node.ID
		if r.ChatID != "" {
			chats = append(chats, struct{ chat, node string }{r.ChatID, node.ID})
		}
		t.add(r.Seq, node)
	}); err != nil {
		return err
	}
	for _, c := range chats {
		if err := t.agents(graphs.Of(t.run.UserID).Child("orch-chats", c.chat), c.node); err != nil {
			return err
		}
	}
	q := store.Query{Collection: string(graphs.Of(t.run.UserID)) + "/agent-graph-executions", Where: store.Where("parentExecutionId", store.Eq, at.ID())}
	began := map[string]string{} // executions, and the nodes that began them
	if err := store.Each(t.docs, q, func(_ nestor.Path, x *graphs.AgentGraphExecution) { began[x.ID] = nodes[x.ParentResolution] }); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(began)) {
		if err := t.execution(graphs.ExecutionAt(t.run.UserID, id), began[id], depth+1); err != nil {
			return err
		}
	}
	return nil
}

// executionStatus says how an execution or a node stands, in the words of rows.
func executionStatus(s string) string {
	switch s {
	case "completed":
		return "success"
	case "paused":
		return "waiting"
	}
	return s
}

// session adds a prioritisation and its steps.
func (t *tree) session() error {
	at := t.run.Of(t.run.Root)
	s, err := store.Find[priority.AgentSession](t.docs, at)
	if err != nil || s == nil {
		return err
	}
	row := RunRow{
		ID: below(at), Kind: Session, Status: string(t.run.Status), Error: s.Error, QueuedAt: t.run.BeganAt, BeganAt: t.run.BeganAt, EndedAt: t.run.EndedAt,
		Usage: t.run.UnsaidUsage, CostMicros: t.run.UnsaidCostMicros, Order: t.run.CreatedSeq,
	}
	t.add(max(s.Seq, t.run.Seq), row)
	trace, err := findTrace(t.docs, at)
	if err != nil || trace == nil {
		return err
	}
	for i := range trace.Steps {
		step := sessionStep(row.ID, &trace.Steps[i])
		t.add(trace.Seq, step)
	}
	return nil
}

func findTrace(docs store.Reader, session nestor.Path) (*priority.ReasoningTrace, error) {
	page, err := docs.Query(store.Query{Collection: string(session) + "/reasoning-traces", Limit: 1})
	if err != nil || len(page.Items) == 0 {
		return nil, err
	}
	trace, err := nestor.As[priority.ReasoningTrace](page.Items[0])
	return &trace, err
}

// stepMark stands before the number of a step in its row's id.
const stepMark = "#"

func sessionStep(parent string, s *priority.ReasoningStep) RunRow {
	row := RunRow{ID: parent + stepMark + strconv.Itoa(s.StepNumber), Parent: parent, Kind: Model, Status: string(s.Status), Error: s.Error, Order: int64(s.StepNumber)}
	what := ForModel
	if s.ToolName != nil {
		row.Kind, row.Name, row.Label, what = Tool, *s.ToolName, label(string(s.ToolInput)), ForTool
	}
	if s.Thought != nil {
		row.Label = label(*s.Thought)
	}
	if row.Status == "" {
		row.Status = "running"
	}
	if at, err := time.Parse(time.RFC3339Nano, s.Timestamp); err == nil {
		row.BeganAt = nestor.Millis(at)
		row.QueuedAt, row.EndedAt = row.BeganAt, row.BeganAt+s.DurationMS
		row.waits(what, row.BeganAt, row.EndedAt)
	}
	return row
}

// cutName parts the name of a task, such as agent:researcher.
func cutName(name string) (kind, of string, ok bool) { return strings.Cut(name, ":") }
