package graphs

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// Comparison is how two executions differ. Left is the one that the URL names.
type Comparison struct {
	Left  ExecutionSummary `json:"left"`
	Right ExecutionSummary `json:"right"`
	// Same: all nodes had the same turns, with the same values.
	Same  bool           `json:"same"`
	Nodes []ComparedNode `json:"nodes"`
	// Truncated: there were more turns than are compared, which are 1,000 of each.
	Truncated bool `json:"truncated"`
}

// ComparedNode is what a node did in both.
type ComparedNode struct {
	NodeID   string `json:"nodeId"`
	NodeType string `json:"nodeType"`
	// Only is left or right if just one of the graphs has the node, and both otherwise.
	Only  string         `json:"only"`
	Same  bool           `json:"same"`
	Turns []ComparedTurn `json:"turns"`
}

// ComparedTurn is the first, second, … turn of a node in both. A side that did not have
// it is null.
type ComparedTurn struct {
	Left  *TurnSummary `json:"left"`
	Right *TurnSummary `json:"right"`
	// Inputs and Outputs are those that differ.
	Inputs  []ValueDifference `json:"inputs"`
	Outputs []ValueDifference `json:"outputs"`
}

// TurnSummary is a turn without its values.
type TurnSummary struct {
	Number    int                     `json:"number"`
	Status    record.ResolutionStatus `json:"status"`
	Error     *record.Failure         `json:"error"`
	Recorded  bool                    `json:"recorded"`
	Attempts  int                     `json:"attempts"`
	StartTime int64                   `json:"startTime"`
	EndTime   *int64                  `json:"endTime"`
}

// ValueDifference is a port that had another value. Left and Right are the beginnings
// of the values as JSON, up to 1,000 bytes, and null where there was none.
type ValueDifference struct {
	Port       string  `json:"port"`
	Left       *string `json:"left"`
	Right      *string `json:"right"`
	LeftBytes  int     `json:"leftBytes"`
	RightBytes int     `json:"rightBytes"`
}

const (
	maxComparedTurns = 1000
	maxShownValue    = 1000
)

// shownValue is what is kept of a value to compare it.
type shownValue struct {
	sum   [sha256.Size]byte
	start string
	bytes int
}

type sideTurn struct {
	TurnSummary
	inputs, outputs map[string]shownValue
}

// side is one of two executions that are compared.
type side struct {
	execution record.AgentGraphExecution
	turns     map[string][]*sideTurn
	order     []string // nodes as they had their first turns
	truncated bool
}

func (g *Graphs) compare(r *httpapi.Request) (any, error) {
	other := r.URL.Query().Get("to")
	if err := nestor.CheckID(other); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "to is the id of another execution: %w", err).With("field", "to")
	}
	var left, right *side
	err := r.View(func(docs store.Reader) (err error) {
		if left, err = readSide(docs, executionAt(r)); err == nil {
			right, err = readSide(docs, record.ExecutionAt(r.UserID(), other))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return compareSides(left, right), nil
}

func readSide(docs store.Reader, at nestor.Path) (*side, error) {
	d, err := docs.Get(at)
	if err != nil {
		return nil, err
	}
	s := &side{turns: map[string][]*sideTurn{}}
	if s.execution, err = nestor.As[record.AgentGraphExecution](d); err != nil {
		return nil, err
	}
	q := store.Query{Collection: string(at) + "/resolutions", OrderBy: []store.Order{byID}, Limit: 50}
	for n := 0; ; {
		page, err := docs.Query(q)
		if err != nil {
			return nil, err
		}
		for _, d := range page.Items {
			if n++; n > maxComparedTurns {
				s.truncated = true
				return s, nil
			}
			t, err := nestor.As[record.Resolution](d)
			if err != nil {
				return nil, err
			}
			s.add(&t)
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return s, nil
		}
	}
}

func (s *side) add(t *record.Resolution) {
	if s.turns[t.NodeID] == nil {
		s.order = append(s.order, t.NodeID)
	}
	s.turns[t.NodeID] = append(s.turns[t.NodeID], &sideTurn{
		TurnSummary{t.Number, t.Status, t.Error, t.Recorded > 0, max(t.Attempts, 1), t.StartTime, orNull(t.EndTime)}, shownValues(t.Inputs), shownValues(t.Outputs),
	})
}

func shownValues(of map[string]json.RawMessage) map[string]shownValue {
	all := map[string]shownValue{}
	for port, v := range of {
		all[port] = shownValue{sha256.Sum256(v), strings.ToValidUTF8(string(v[:min(len(v), maxShownValue)]), ""), len(v)}
	}
	return all
}

func (s *side) node(id string) *graph.Node {
	for i := range s.execution.Graph.Nodes {
		if n := &s.execution.Graph.Nodes[i]; n.ID == id {
			return n
		}
	}
	return nil
}

func compareSides(left, right *side) Comparison {
	c := Comparison{Left: summarise(&left.execution), Right: summarise(&right.execution), Same: true, Nodes: []ComparedNode{}, Truncated: left.truncated || right.truncated}
	seen := map[string]bool{}
	add := func(id string) {
		if seen[id] {
			return
		}
		seen[id] = true
		n := compareNode(id, left, right)
		if len(n.Turns) > 0 || n.Only != "both" {
			c.Nodes, c.Same = append(c.Nodes, n), c.Same && n.Same
		}
	}
	for _, s := range []*side{left, right} {
		for _, id := range s.order {
			add(id)
		}
	}
	for _, s := range []*side{left, right} {
		for _, n := range s.execution.Graph.Nodes {
			add(n.ID)
		}
	}
	return c
}

func compareNode(id string, left, right *side) ComparedNode {
	n := ComparedNode{NodeID: id, Only: "both", Same: true, Turns: []ComparedTurn{}}
	a, b := left.node(id), right.node(id)
	switch {
	case b == nil:
		n.Only, n.NodeType, n.Same = "left", a.NodeID, false
	case a == nil:
		n.Only, n.NodeType, n.Same = "right", b.NodeID, false
	default:
		n.NodeType, n.Same = a.NodeID, a.NodeID == b.NodeID
	}
	for i := range max(len(left.turns[id]), len(right.turns[id])) {
		var l, r sideTurn
		t := ComparedTurn{}
		if i < len(left.turns[id]) {
			l = *left.turns[id][i]
			t.Left = &l.TurnSummary
		}
		if i < len(right.turns[id]) {
			r = *right.turns[id][i]
			t.Right = &r.TurnSummary
		}
		t.Inputs, t.Outputs = differences(l.inputs, r.inputs), differences(l.outputs, r.outputs)
		n.Same = n.Same && t.Left != nil && t.Right != nil && l.Status == r.Status && len(t.Inputs)+len(t.Outputs) == 0
		n.Turns = append(n.Turns, t)
	}
	return n
}

func differences(left, right map[string]shownValue) []ValueDifference {
	all := []ValueDifference{}
	ports := maps.Clone(left)
	if ports == nil {
		ports = map[string]shownValue{}
	}
	maps.Copy(ports, right)
	for _, port := range slices.Sorted(maps.Keys(ports)) {
		l, inLeft := left[port]
		r, inRight := right[port]
		if inLeft && inRight && l.sum == r.sum {
			continue
		}
		d := ValueDifference{Port: port, LeftBytes: l.bytes, RightBytes: r.bytes}
		if inLeft {
			d.Left = &l.start
		}
		if inRight {
			d.Right = &r.start
		}
		all = append(all, d)
	}
	return all
}
