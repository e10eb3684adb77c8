package graphs

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// AgentGraph is a graph as the API shows it.
type AgentGraph struct {
	ID             string       `json:"id"`
	UserID         string       `json:"userId"`
	Name           string       `json:"name"`
	Description    string       `json:"description"`
	Nodes          []graph.Node `json:"nodes"`
	Edges          []graph.Edge `json:"edges"`
	MaxResolutions int          `json:"maxResolutions"`
	Version        int64        `json:"version"`
	CreatedAt      int64        `json:"createdAt"`
	UpdatedAt      int64        `json:"updatedAt"`
	// Warnings tell what looks wrong. They keep no graph from running. Lists are
	// without them.
	Warnings []graph.Problem `json:"warnings,omitzero"`
}

func (g *Graphs) show(r *httpapi.Request, saved *record.AgentGraph) (AgentGraph, error) {
	shown := showListed(saved)
	err := r.View(func(docs store.Reader) error {
		report, err := g.inspect(docs, saved.UserID, saved.ID, &saved.Graph)
		shown.Warnings = report.Warnings
		return err
	})
	return shown, err
}

func showListed(r *record.AgentGraph) AgentGraph {
	drawn := r.Drawn()
	return AgentGraph{
		ID: r.ID, UserID: r.UserID, Name: r.Name, Description: r.Description, Nodes: drawn.Nodes, Edges: drawn.Edges,
		MaxResolutions: r.Limit(), Version: r.Version, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}

// graphInput is a graph as clients send it.
type graphInput struct {
	Nodes []nodeInput `json:"nodes"`
	graph.Graph
}

// nodeInput is a node whose position may be left out, as whoever writes a graph by hand does:
// it lies at the origin.
type nodeInput struct {
	graph.Node
	Position graph.Position `json:"position,omitzero"`
}

func (in *graphInput) graph() graph.Graph {
	drawn := in.Graph
	drawn.Nodes = nodesOf(in.Nodes)
	return drawn
}

func nodesOf(in []nodeInput) []graph.Node {
	nodes := make([]graph.Node, len(in))
	for i, n := range in {
		nodes[i] = n.Node
		nodes[i].Position = n.Position
	}
	return nodes
}

// graphFields are what a person says of a new graph.
type graphFields struct {
	ID          string `json:"id,omitempty"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	graphInput
}

// graphChange is what a person changes of one. What is absent stays.
type graphChange struct {
	Name           *string       `json:"name,omitempty"`
	Description    *string       `json:"description,omitempty"`
	Nodes          *[]nodeInput  `json:"nodes,omitempty"`
	Edges          *[]graph.Edge `json:"edges,omitempty"`
	MaxResolutions *int          `json:"maxResolutions,omitempty"`
}

func (c *graphChange) apply(to *record.AgentGraph) {
	set(&to.Name, c.Name)
	set(&to.Description, c.Description)
	if c.Nodes != nil {
		to.Nodes = nodesOf(*c.Nodes)
	}
	set(&to.Edges, c.Edges)
	set(&to.MaxResolutions, c.MaxResolutions)
}

func set[T any](field, to *T) {
	if to != nil {
		*field = *to
	}
}

// The bounds of what is said about a graph, in characters, and of the whole, in bytes
// of JSON.
const (
	maxName        = 200
	maxDescription = 10_000
	maxGraph       = 512 << 10
)

// check refuses what cannot be saved in the place of another graph, if there was one, and
// stamps what can.
func (g *Graphs) check(docs store.Reader, at nestor.Path, before graph.Graph, r *record.AgentGraph) error {
	r.Name = strings.TrimSpace(r.Name)
	if n := utf8.RuneCountInString(r.Name); n < 1 || n > maxName {
		return nestor.Errorf(nestor.CodeInvalid, "the name has %d characters; 1 to %d are allowed", n, maxName).With("field", "name")
	}
	if n := utf8.RuneCountInString(r.Description); n > maxDescription {
		return nestor.Errorf(nestor.CodeInvalid, "the description has %d characters, more than %d", n, maxDescription).With("field", "description")
	}
	if err := g.valid(docs, at, &r.Graph); err != nil {
		return err
	}
	return r.Replace(before, nestor.Millis(time.Now()))
}

// valid refuses a graph with errors, and tells all of them.
func (g *Graphs) valid(docs store.Reader, at nestor.Path, drawn *graph.Graph) error {
	text, err := json.Marshal(drawn.Bare())
	if err != nil {
		return err
	}
	if len(text) > maxGraph {
		return nestor.Errorf(nestor.CodeTooLarge, "the graph has %d bytes, more than %d", len(text), maxGraph)
	}
	report, err := g.inspect(docs, at.UserID(), at.ID(), drawn)
	if err != nil || len(report.Errors) == 0 {
		return err
	}
	first := report.Errors[0]
	return httpapi.Because(reasonBadGraph, nestor.Errorf(nestor.CodeInvalid, "the graph is not valid: %s", first.Message)).With("problems", report.Errors)
}

func (g *Graphs) nodeTypes(*httpapi.Request) (any, error) {
	return httpapi.List[*graph.Type]{Items: g.engine.Catalogue().All()}, nil
}

func (g *Graphs) validate(r *httpapi.Request) (any, error) {
	var said graphInput
	if err := r.Decode(&said); err != nil {
		return nil, err
	}
	drawn := said.graph()
	var report graph.Report
	err := r.View(func(docs store.Reader) (err error) {
		report, err = g.inspect(docs, r.UserID(), r.URL.Query().Get("id"), &drawn)
		return err
	})
	return report, err
}

func graphAt(r *httpapi.Request) nestor.Path {
	return record.Of(r.UserID()).Child("agent-graphs", r.PathValue("graph"))
}

func (g *Graphs) postGraph(r *httpapi.Request) (any, error) {
	var said graphFields
	if err := r.Decode(&said); err != nil {
		return nil, err
	}
	at, made, err := g.fresh(r, &said)
	if err != nil {
		return nil, err
	}
	return g.write(r, at, func(tx store.Tx) (*nestor.Document, error) {
		if err := g.check(tx, at, graph.Graph{}, made); err != nil {
			return nil, err
		}
		return tx.Create(at, made)
	})
}

func (g *Graphs) patchGraph(r *httpapi.Request) (any, error) {
	var said graphChange
	if err := r.Decode(&said); err != nil {
		return nil, err
	}
	version, err := r.IfMatch()
	if err != nil {
		return nil, err
	}
	at := graphAt(r)
	return g.write(r, at, func(tx store.Tx) (*nestor.Document, error) {
		d, err := tx.Get(at)
		if err != nil {
			return nil, err
		}
		now, err := nestor.As[record.AgentGraph](d)
		if err != nil {
			return nil, err
		}
		before := now.Drawn()
		said.apply(&now)
		if err := g.check(tx, at, before, &now); err != nil {
			return nil, err
		}
		return tx.Put(at, now, version)
	})
}

func (g *Graphs) write(r *httpapi.Request, at nestor.Path, write func(store.Tx) (*nestor.Document, error)) (any, error) {
	var d *nestor.Document
	err := r.Act(at, func(tx store.Tx) (err error) {
		d, err = write(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	saved, err := nestor.As[record.AgentGraph](d)
	if err != nil {
		return nil, err
	}
	return g.show(r, &saved)
}

func (g *Graphs) listGraphs(r *httpapi.Request) (any, error) {
	return list(r, graphsOf(r), newestFirst, nil, showListed)
}

func (g *Graphs) getGraph(r *httpapi.Request) (any, error) {
	saved, err := get(r, graphAt(r), func(saved *record.AgentGraph) *record.AgentGraph { return saved })
	if err != nil {
		return nil, err
	}
	return g.show(r, saved)
}

func (g *Graphs) deleteGraph(r *httpapi.Request) (any, error) {
	version, err := r.IfMatch()
	if err != nil {
		return nil, err
	}
	return nil, r.Act(graphAt(r), func(tx store.Tx) error { return tx.Delete(graphAt(r), version) })
}
