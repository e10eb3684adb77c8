package graph

import (
	"slices"

	"github.com/nestorhq/nestor"
)

// State is how far an execution is. It names values by the resolution that put them
// out, so it stays small.
type State struct {
	// Queue are the resolutions whose outputs are not delivered yet, in order.
	Queue []Entry `json:"queue"`
	// Latched is what came to each input last, by node and port.
	Latched map[string]map[string]Ref `json:"latched"`
	// Static and Queued count resolutions.
	Static int `json:"static"`
	Queued int `json:"queued"`
}

// Entry is a node that waits for its turn, has it, or had it.
type Entry struct {
	Number int    `json:"number"`
	Node   string `json:"node"`
	Stage  Stage  `json:"stage,omitempty"`
	// Ports are the outputs that something came out of.
	Ports []string `json:"ports,omitempty"`
}

// Stage is how far a resolution is.
type Stage string

// The stages. Held: it has ended, and its outputs wait for those of others.
const (
	Waiting Stage = ""
	Running Stage = "running"
	Held    Stage = "held"
)

// Ref names an output of a resolution.
type Ref struct {
	Resolution int    `json:"resolution"`
	Port       string `json:"port"`
}

// Turn is a resolution that begins, with what its inputs have.
type Turn struct {
	Number int
	Node   string
	Inputs map[string]Ref
}

// ErrTooMany is the failure of an execution that goes on for too long.
var ErrTooMany = nestor.Errorf(nestor.CodeTooLarge, "the graph has come to its greatest number of resolutions")

// Schedule gives the nodes of one valid graph their turns. It is safe for concurrent
// use.
type Schedule struct {
	graph   *Graph
	types   map[string]*Type
	out     map[string][]Edge
	place   map[string]int
	reached []set // by the place of the node that reaches
}

// set is a set of nodes, by their places in the graph.
type set []uint64

func (s set) add(place int)      { s[place/64] |= 1 << (place % 64) }
func (s set) has(place int) bool { return s[place/64]&(1<<(place%64)) != 0 }

func (s set) meets(other set) bool {
	for i := range s {
		if s[i]&other[i] != 0 {
			return true
		}
	}
	return false
}

// NewSchedule is for a graph that is valid.
func NewSchedule(c *Catalogue, g *Graph) *Schedule {
	s := &Schedule{graph: g, types: map[string]*Type{}, out: map[string][]Edge{}, place: map[string]int{}}
	for i, n := range g.Nodes {
		s.types[n.ID], s.place[n.ID] = c.Type(n.NodeID), i
	}
	for _, e := range g.Edges {
		s.out[e.SourceNodeID] = append(s.out[e.SourceNodeID], e)
	}
	for _, n := range g.Nodes {
		s.reached = append(s.reached, s.reach(n.ID))
	}
	return s
}

// Begin is the state of a new execution, given the outputs of each static node. These
// have the numbers 1, 2, … in the order of the graph.
func (s *Schedule) Begin(static func(*Node) []string) (*State, error) {
	st := &State{Queue: []Entry{}, Latched: map[string]map[string]Ref{}}
	for i := range s.graph.Nodes {
		if n := &s.graph.Nodes[i]; s.types[n.ID].Static {
			st.Static++
			if err := s.deliver(st, Entry{Number: st.Static, Node: n.ID, Ports: static(n)}); err != nil {
				return nil, err
			}
		}
	}
	for _, n := range s.graph.Nodes {
		if s.types[n.ID].Start {
			if err := s.enqueue(st, n.ID); err != nil {
				return nil, err
			}
		}
	}
	return st, nil
}

// Next are the resolutions that begin now.
func (s *Schedule) Next(st *State) (turns []Turn) {
	for i := range st.Queue {
		e := &st.Queue[i]
		if e.Stage != Waiting || slices.ContainsFunc(st.Queue[:i], func(before Entry) bool { return s.feeds(before.Node, e.Node) }) {
			continue
		}
		e.Stage = Running
		turn := Turn{Number: e.Number, Node: e.Node, Inputs: map[string]Ref{}}
		for port, ref := range st.Latched[e.Node] {
			turn.Inputs[port] = ref
		}
		turns = append(turns, turn)
	}
	return turns
}

// feeds reports whether a turn of the first node comes before one of the second.
func (s *Schedule) feeds(source, target string) bool {
	return source == target || slices.ContainsFunc(s.out[source], func(e Edge) bool { return e.TargetNodeID == target })
}

// Done notes that a resolution ended, and which of its ports something came out of.
// It delivers what can be delivered.
func (s *Schedule) Done(st *State, number int, ports []string) error {
	i := slices.IndexFunc(st.Queue, func(e Entry) bool { return e.Number == number && e.Stage == Running })
	if i < 0 {
		return nestor.Errorf(nestor.CodeConflict, "the resolution %d is not running", number)
	}
	st.Queue[i].Stage, st.Queue[i].Ports = Held, ports
	for i := 0; i < len(st.Queue); {
		e := st.Queue[i]
		if e.Stage != Held || !s.free(st.Queue[:i], e) {
			i++
			continue
		}
		st.Queue = slices.Delete(st.Queue, i, i+1)
		if err := s.deliver(st, e); err != nil {
			return err
		}
		i = 0 // what waited for this one comes before it
	}
	return nil
}

// free reports whether the outputs of e can be delivered before those of others: the
// nodes that e reaches are none of them, and none that they reach.
func (s *Schedule) free(before []Entry, e Entry) bool {
	if len(before) == 0 {
		return true
	}
	mine := s.reached[s.place[e.Node]]
	return !slices.ContainsFunc(before, func(b Entry) bool {
		at := s.place[b.Node]
		return mine.has(at) || mine.meets(s.reached[at])
	})
}

// Reaches reports whether outputs of a node lead to another one, near or far.
func (s *Schedule) Reaches(source, target string) bool {
	return s.reached[s.place[source]].has(s.place[target])
}

// reach are the nodes that a node's outputs lead to, near and far.
func (s *Schedule) reach(id string) set {
	found := make(set, (len(s.graph.Nodes)+63)/64)
	for todo := []string{id}; len(todo) > 0; todo = todo[1:] {
		for _, e := range s.out[todo[0]] {
			if at := s.place[e.TargetNodeID]; !found.has(at) {
				found.add(at)
				todo = append(todo, e.TargetNodeID)
			}
		}
	}
	return found
}

// deliver sends the outputs of a resolution on, data first: whom a signal gives a
// turn has the data that came with it.
func (s *Schedule) deliver(st *State, e Entry) error {
	var signals []string
	for _, edge := range s.out[e.Node] {
		if !slices.Contains(e.Ports, edge.SourcePortID) {
			continue
		}
		if s.types[edge.TargetNodeID].Input(edge.TargetPortID).Type == Signal {
			signals = append(signals, edge.TargetNodeID)
			continue
		}
		if st.Latched[edge.TargetNodeID] == nil {
			st.Latched[edge.TargetNodeID] = map[string]Ref{}
		}
		st.Latched[edge.TargetNodeID][edge.TargetPortID] = Ref{e.Number, edge.SourcePortID}
	}
	for _, id := range signals {
		if err := s.enqueue(st, id); err != nil {
			return err
		}
	}
	return nil
}

func (s *Schedule) enqueue(st *State, node string) error {
	if slices.ContainsFunc(st.Queue, func(e Entry) bool { return e.Node == node && e.Stage == Waiting }) {
		return nil
	}
	if st.Queued == s.graph.Limit() {
		return ErrTooMany
	}
	st.Queued++
	st.Queue = append(st.Queue, Entry{Number: st.Static + st.Queued, Node: node})
	return nil
}

// Connected reports whether anything follows an output of a node.
func (s *Schedule) Connected(node, port string) bool {
	return slices.ContainsFunc(s.out[node], func(e Edge) bool { return e.SourcePortID == port })
}
