package graphs

import (
	"fmt"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// inspect finds all that is wrong with a graph of a user, the graphs that its nodes have
// executed included. The id is that under which it is or will be saved, "" if none is
// known.
func (g *Graphs) inspect(docs store.Reader, userID, id string, drawn *graph.Graph) (graph.Report, error) {
	report := g.engine.Catalogue().Validate(drawn)
	for _, ref := range g.engine.References(drawn) {
		if err := nestor.CheckID(ref.GraphID); err != nil {
			if ref.GraphID != "" { // which is told about its parameters
				report.Errors = append(report.Errors, graph.Problem{NodeID: ref.NodeID, Code: graph.UnknownGraph, Message: fmt.Sprintf("there is no graph %.100q: %s", ref.GraphID, err)})
			}
			continue
		}
		found, itself := ref.GraphID == id && id != "", ref.GraphID == id
		err := g.walk(docs, userID, ref.GraphID, func(of string, _ *record.AgentGraph) error {
			found = found || of == ref.GraphID
			itself = itself || of == id
			return nil
		})
		if err != nil {
			return report, err
		}
		if !found {
			report.Errors = append(report.Errors, graph.Problem{NodeID: ref.NodeID, Code: graph.UnknownGraph, Message: fmt.Sprintf("there is no graph %q", ref.GraphID)})
		}
		if itself && id != "" {
			report.Warnings = append(report.Warnings, graph.Problem{
				NodeID: ref.NodeID, Code: graph.Recursive, Message: fmt.Sprintf("through %s the graph executes itself: more than %d deep it fails", ref.NodeID, engine.MaxDepth),
			})
		}
	}
	return report, nil
}

// maxWalked is how many graphs below one are looked at.
const maxWalked = 200

// walk visits a graph of a user, and the graphs that are executed below it, each once.
func (g *Graphs) walk(docs store.Reader, userID, id string, visit func(id string, r *record.AgentGraph) error) error {
	seen := map[string]bool{id: true}
	for todo := []string{id}; len(todo) > 0 && len(seen) <= maxWalked; todo = todo[1:] {
		r, err := store.Find[record.AgentGraph](docs, record.Of(userID).Child("agent-graphs", todo[0]))
		if err != nil {
			return err
		}
		if r == nil {
			continue
		}
		if err := visit(todo[0], r); err != nil {
			return err
		}
		for _, ref := range g.engine.References(&r.Graph) {
			if nestor.CheckID(ref.GraphID) == nil && !seen[ref.GraphID] {
				seen[ref.GraphID] = true
				todo = append(todo, ref.GraphID)
			}
		}
	}
	return nil
}

// mayRun refuses a graph if its agents, or a graph that is executed below it, are not for
// the caller to have work.
func (g *Graphs) mayRun(r *httpapi.Request, drawn *graph.Graph) error {
	var below []nestor.Path
	var agents bool
	err := r.View(func(docs store.Reader) (err error) {
		below, agents, err = g.uses(docs, r.UserID(), drawn)
		return err
	})
	if err != nil {
		return err
	}
	for _, at := range below {
		if err := r.MayAct(at); err != nil {
			return err
		}
	}
	if agents {
		return r.Reaches(agentChats(r.UserID()))
	}
	return nil
}

// uses are the graphs that are executed below one, and whether agents work for any of
// them.
func (g *Graphs) uses(docs store.Reader, userID string, drawn *graph.Graph) (below []nestor.Path, agents bool, err error) {
	agents = g.engine.UsesAgents(drawn)
	for _, ref := range g.engine.References(drawn) {
		if nestor.CheckID(ref.GraphID) != nil {
			continue // such a graph is not valid
		}
		if err := g.walk(docs, userID, ref.GraphID, func(id string, found *record.AgentGraph) error {
			below, agents = append(below, record.Of(userID).Child("agent-graphs", id)), agents || g.engine.UsesAgents(&found.Graph)
			return nil
		}); err != nil {
			return nil, false, err
		}
	}
	return below, agents, nil
}

// agentChats stands for the chats in which agents work for nodes of a user's graphs.
func agentChats(userID string) nestor.Path {
	return record.Of(userID).Child("orch-chats", engine.AgentChat)
}
