package graphs

import (
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// The calls that graphs and executions have as records of every kind do.

// graphBatch is several new graphs.
type graphBatch struct {
	Records []graphFields `json:"records"`
}

func graphsOf(r *httpapi.Request) string { return string(record.Of(r.UserID())) + "/agent-graphs" }

// fresh makes a graph of what is said and says where it is to lie.
func (g *Graphs) fresh(r *httpapi.Request, said *graphFields) (nestor.Path, *record.AgentGraph, error) {
	id, err := httpapi.NewRecordID(said.ID)
	if err != nil {
		return "", nil, err
	}
	made := &record.AgentGraph{UserID: r.UserID(), Name: said.Name, Description: said.Description, Graph: said.graph()}
	return nestor.Path(graphsOf(r) + "/" + id), made, nil
}

func (g *Graphs) postGraphs(r *httpapi.Request) (any, error) {
	var said graphBatch
	if err := r.Decode(&said); err != nil {
		return nil, err
	}
	if err := r.CheckBatch(len(said.Records)); err != nil {
		return nil, err
	}
	paths, made := make([]nestor.Path, len(said.Records)), make([]*record.AgentGraph, len(said.Records))
	for i := range said.Records {
		var err error
		if paths[i], made[i], err = g.fresh(r, &said.Records[i]); err == nil {
			err = r.MayAct(paths[i])
		}
		if err != nil {
			return nil, httpapi.InBatch(i, err)
		}
	}
	saved := make([]record.AgentGraph, len(made))
	at := 0 // the graph under way
	err := r.Act(paths[0], func(tx store.Tx) error {
		for i := range made {
			at = i
			if err := g.check(tx, paths[i], graph.Graph{}, made[i]); err != nil {
				return err
			}
			d, err := tx.Create(paths[i], made[i])
			if err != nil {
				return err
			}
			// A query makes the store write what it holds back, so that what is wrong is
			// found now, and with it the version.
			if _, err := tx.Query(store.Query{Collection: graphsOf(r), Limit: 1}); err != nil {
				return err
			}
			if saved[i], err = nestor.As[record.AgentGraph](d); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, httpapi.InBatch(at, err)
	}
	answer := httpapi.List[AgentGraph]{Items: []AgentGraph{}}
	for i := range saved {
		shown, err := g.show(r, &saved[i])
		if err != nil {
			return nil, err
		}
		answer.Items = append(answer.Items, shown)
	}
	return answer, nil
}

func (g *Graphs) cloneGraph(r *httpapi.Request) (any, error) {
	id, err := r.CloneID()
	if err != nil {
		return nil, err
	}
	if _, err := r.Get(graphAt(r)); err != nil { // a key may be for the copy alone
		return nil, err
	}
	at := nestor.Path(graphsOf(r) + "/" + id)
	return g.write(r, at, func(tx store.Tx) (*nestor.Document, error) {
		d, err := tx.Get(graphAt(r))
		if err != nil {
			return nil, err
		}
		made, err := nestor.As[record.AgentGraph](d)
		if err != nil {
			return nil, err
		}
		made.Meta = nestor.Meta{}
		if err := made.Replace(graph.Graph{}, nestor.Millis(time.Now())); err != nil {
			return nil, err
		}
		return tx.Create(at, made)
	})
}

func (g *Graphs) countGraphs(r *httpapi.Request) (any, error) {
	return r.Count(store.Query{Collection: graphsOf(r)})
}

func (g *Graphs) streamGraphs(r *httpapi.Request) (any, error) {
	return httpapi.StreamRecords(graphsOf(r), func(d *nestor.Document) (any, error) {
		v, err := nestor.As[record.AgentGraph](d)
		return showListed(&v), err
	}), nil
}

func (g *Graphs) countExecutions(r *httpapi.Request) (any, error) {
	where, err := executionFilter(r)
	if err != nil {
		return nil, err
	}
	return r.Count(store.Query{Collection: executionsOf(r), Where: where})
}

func (g *Graphs) streamExecutions(r *httpapi.Request) (any, error) {
	return httpapi.StreamRecords(executionsOf(r), func(d *nestor.Document) (any, error) {
		v, err := nestor.As[record.AgentGraphExecution](d)
		return summarise(&v), err
	}), nil
}
