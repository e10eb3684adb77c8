package metrics

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	graphs "github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/domain/metrics/rollup"
	"github.com/nestorhq/nestor/internal/store"
)

// dimensions of a point of the runtime. Those without a value are left out.
type dimensions map[string]string

// clean leaves out empty values and cuts off long ones.
func (d dimensions) clean() {
	for name, value := range d {
		value = strings.ToValidUTF8(value[:min(len(value), rollup.MaxValue)], "")
		d[name] = strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return -1
			}
			return r
		}, value)
		if d[name] == "" {
			delete(d, name)
		}
	}
}

// tells reports whether a change can be about something that is measured.
func tells(c *nestor.Change) bool {
	if c.After == nil {
		return false
	}
	p := c.Path
	return store.Messages.Has(p) || store.SubAgentMessages.Has(p) || store.SubAgents.Has(p) || store.SubAgentToolCalls.Has(p) || store.Tasks.Has(p) ||
		store.Chats.Has(p) || graphs.Executions.Has(p) || graphs.Resolutions.Has(p) || budget.IsShare(p)
}

// memory is what the recorder knows from earlier commits: the roles of agents, and the
// graphs of executions. What it has forgotten is left out of points.
type memory struct {
	roles, graphs map[nestor.Path]string
}

// maxMemory is how many of each it knows.
const maxMemory = 10_000

func remember(m *map[nestor.Path]string, p nestor.Path, value string) {
	if *m == nil || len(*m) >= maxMemory {
		*m = map[nestor.Path]string{}
	}
	(*m)[p] = value
}

// read makes points of what a commit tells. A document that cannot be read tells
// nothing.
func (r *Recorder) read(changes []nestor.Change) {
	for i := range changes {
		c := &changes[i]
		switch {
		case store.SubAgents.Has(c.Path) && r.known.roles[c.Path] == "":
			if a, err := fields[struct {
				Role string `json:"role"`
			}](c.After); err == nil {
				remember(&r.known.roles, c.Path, a.Role)
			}
		case graphs.Executions.Has(c.Path) && r.known.graphs[c.Path] == "":
			if e, err := fields[struct {
				AgentGraphID string `json:"agentGraphId"`
			}](c.After); err == nil {
				remember(&r.known.graphs, c.Path, e.AgentGraphID)
			}
		}
	}
	said := spoken{}
	for i := range changes {
		c := &changes[i]
		switch {
		case store.Chats.Has(c.Path):
			said.chat = c.Path.ID()
		case store.Messages.Has(c.Path), store.SubAgentMessages.Has(c.Path):
			r.message(c, &said)
		case store.SubAgentToolCalls.Has(c.Path):
			r.call(c)
		case store.Tasks.Has(c.Path):
			said.ofAgent = said.ofAgent || c.Type == nestor.Update
			r.task(c)
		case graphs.Executions.Has(c.Path):
			r.execution(c)
		case graphs.Resolutions.Has(c.Path):
			r.resolution(c)
		}
	}
	for i := range changes {
		if budget.IsShare(changes[i].Path) && !said.ofAgent {
			r.day(&changes[i], said)
		}
	}
}

// spoken is what the messages and tasks of a commit tell about what it charges.
type spoken struct {
	chat string
	// ofAgent: a task is brought up to date, so what is charged is what its agent's
	// messages have told already.
	ofAgent bool
	used    map[string]budget.Totals // by model
}

// message is what a model said, and what that took.
func (r *Recorder) message(c *nestor.Change, said *spoken) {
	if !bytes.Contains(c.After.Data, []byte(`"metadata"`)) {
		return // what people and tools say has none
	}
	m, err := fields[struct {
		Metadata *nestor.MessageMetadata `json:"metadata"`
	}](c.After)
	if err != nil || c.Type != nestor.Create || m.Metadata == nil || m.Metadata.Model == "" {
		return
	}
	role := "orchestrator"
	if store.SubAgentMessages.Has(c.Path) {
		role = r.known.roles[c.Path.Parent()]
	}
	of := func() dimensions { return dimensions{"model": m.Metadata.Model, "role": role, "chat": chatOf(c.Path)} }
	if m.Metadata.DurationMS > 0 {
		called := of()
		called["outcome"] = "success"
		r.runtime(c.Path.UserID(), "model.duration_ms", float64(m.Metadata.DurationMS), c.At, called)
	}
	u := m.Metadata.Usage
	if u == nil {
		return
	}
	r.tokens(c, *u, m.Metadata.CostMicros, of)
	if store.Messages.Has(c.Path) {
		if said.used == nil {
			said.used = map[string]budget.Totals{}
		}
		before := said.used[m.Metadata.Model]
		said.used[m.Metadata.Model] = budget.Totals{Usage: *before.Usage.Add(u), CostMicros: before.CostMicros + m.Metadata.CostMicros}
	}
}

func (r *Recorder) tokens(c *nestor.Change, u nestor.Usage, micros int64, of func() dimensions) {
	user := c.Path.UserID()
	r.runtime(user, "model.tokens_in", float64(u.InputTokens), c.At, of())
	r.runtime(user, "model.tokens_out", float64(u.OutputTokens), c.At, of())
	r.runtime(user, "model.cost_micros", float64(micros), c.At, of())
}

// day is what model calls took that no message tells of, such as those of graphs and the
// titles of chats: what a user's day has more than before, less what was said.
func (r *Recorder) day(c *nestor.Change, said spoken) {
	type totals struct { // of a [budget.Book], without its entries
		Models map[string]budget.Totals `json:"models"`
		Before int                      `json:"before"`
	}
	now, err := fields[totals](c.After)
	if err != nil {
		return
	}
	var before totals
	if c.Before != nil {
		if before, err = fields[totals](c.Before); err != nil {
			return
		}
	}
	if now.Before != before.Before {
		before = totals{} // the full one was put away, and this one is new
	}
	for model, total := range now.Models {
		was, told := before.Models[model], said.used[model]
		used := nestor.Usage{
			InputTokens:  total.InputTokens - was.InputTokens - told.InputTokens,
			OutputTokens: total.OutputTokens - was.OutputTokens - told.OutputTokens,
		}
		if used.InputTokens > 0 || used.OutputTokens > 0 {
			r.tokens(c, used, max(0, total.CostMicros-was.CostMicros-told.CostMicros), func() dimensions {
				return dimensions{"model": model, "chat": said.chat}
			})
		}
	}
}

// call is a call of a tool that ended.
func (r *Recorder) call(c *nestor.Change) {
	t, err := fields[struct {
		ToolName   string                `json:"toolName"`
		Status     nestor.ToolCallStatus `json:"status"`
		DurationMS int64                 `json:"durationMs"`
	}](c.After)
	if err != nil || !t.Status.Ended() || c.Before != nil && statusOf[nestor.ToolCallStatus](c.Before).Ended() {
		return
	}
	r.runtime(c.Path.UserID(), "tool.duration_ms", float64(t.DurationMS), c.At, dimensions{
		"tool": t.ToolName, "outcome": string(t.Status), "chat": chatOf(c.Path), "role": r.known.roles[c.Path.Parent()],
	})
}

// task is a task that ended.
func (r *Recorder) task(c *nestor.Change) {
	t, err := fields[struct {
		Status     nestor.TaskStatus `json:"status"`
		SubAgentID string            `json:"subAgentId"`
		StartedAt  int64             `json:"startedAt"`
	}](c.After)
	if err != nil || !t.Status.Ended() || c.Before != nil && statusOf[nestor.TaskStatus](c.Before).Ended() {
		return
	}
	began := t.StartedAt
	if began == 0 {
		began = c.After.CreatedAt
	}
	r.runtime(c.Path.UserID(), "task.duration_ms", float64(max(0, c.At-began)), c.At, dimensions{
		"outcome": string(t.Status), "chat": chatOf(c.Path), "role": r.known.roles[c.Path.Parent().Child("sub-agents", t.SubAgentID)],
	})
}

// execution is a run of a graph that ended.
func (r *Recorder) execution(c *nestor.Change) {
	e, err := fields[struct {
		Status    graphs.ExecutionStatus `json:"status"`
		StartTime int64                  `json:"startTime"`
		EndTime   int64                  `json:"endTime"`
	}](c.After)
	if err != nil || e.EndTime == 0 || c.Before != nil && statusOf[graphs.ExecutionStatus](c.Before) == e.Status {
		return
	}
	r.runtime(c.Path.UserID(), "graph.duration_ms", float64(max(0, e.EndTime-e.StartTime)), c.At, dimensions{
		"graph": r.known.graphs[c.Path], "outcome": string(e.Status),
	})
}

// resolution is a turn of a node that ended.
func (r *Recorder) resolution(c *nestor.Change) {
	n, err := fields[struct {
		NodeID    string                  `json:"nodeId"`
		NodeType  string                  `json:"nodeType"`
		Status    graphs.ResolutionStatus `json:"status"`
		StartTime int64                   `json:"startTime"`
		EndTime   int64                   `json:"endTime"`
	}](c.After)
	if err != nil || n.EndTime == 0 || c.Before != nil && statusOf[graphs.ResolutionStatus](c.Before) == n.Status {
		return
	}
	r.runtime(c.Path.UserID(), "node.duration_ms", float64(max(0, n.EndTime-n.StartTime)), c.At, dimensions{
		"graph": r.known.graphs[c.Path.Parent()], "node": n.NodeID, "type": n.NodeType, "outcome": string(n.Status),
	})
}

// fields decodes a document's own fields. It leaves out those that are the server's,
// which no point needs: to add them the whole document would be copied.
func fields[T any](d *nestor.Document) (v T, err error) {
	err = json.Unmarshal(d.Data, &v)
	return v, err
}

func statusOf[S ~string](d *nestor.Document) S {
	v, err := fields[struct {
		Status S `json:"status"`
	}](d)
	if err != nil {
		return ""
	}
	return v.Status
}

// chatOf is the id of the chat that a document is of.
func chatOf(p nestor.Path) string {
	for !store.Chats.Has(p) {
		p = p.Parent()
	}
	return p.ID()
}
