package graphs

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// executionEvents tells what an execution does. Its end comes last.
func (g *Graphs) executionEvents(r *httpapi.Request) (any, error) {
	at := executionAt(r)
	var seen map[nestor.Path]int64 // what First told, by the positions of the documents
	return httpapi.Stream{
		Path: at,
		First: func() (first []httpapi.Event, err error) {
			err = r.View(func(docs store.Reader) error {
				seen = map[nestor.Path]int64{}
				first, err = soFar(docs, at, seen)
				return err
			})
			return first, err
		},
		Of: func(c *nestor.Change) ([]httpapi.Event, error) {
			if c.Seq <= seen[c.Path] {
				return nil, nil
			}
			return tell(c)
		},
	}, nil
}

// soFar is what has happened, turn by turn. It notes in seen what it has read.
func soFar(docs store.Reader, at nestor.Path, seen map[nestor.Path]int64) (events []httpapi.Event, err error) {
	d, err := docs.Get(at)
	if err != nil {
		return nil, err
	}
	x, err := nestor.As[record.AgentGraphExecution](d)
	if err != nil {
		return nil, err
	}
	seen[at] = d.Seq
	events = append(events, began(&x))
	for q := (store.Query{Collection: string(at) + "/resolutions", OrderBy: []store.Order{byID}}); ; {
		page, err := docs.Query(q)
		if err != nil {
			return nil, err
		}
		for _, d := range page.Items {
			n, err := nestor.As[record.Resolution](d)
			if err != nil {
				return nil, err
			}
			seen[d.Path] = d.Seq
			events = append(events, nodeEvents(&n, true)...)
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			if x.Status == record.ExecutionPaused {
				events = append(events, steered(&x))
			}
			return append(events, ended(&x)...), nil
		}
	}
}

// tell is what a change of an execution, or of what lies below it, means.
func tell(c *nestor.Change) ([]httpapi.Event, error) {
	switch {
	case record.Executions.Has(c.Path) && c.After == nil:
		return []httpapi.Event{{Name: "execution_deleted", Data: ExecutionSummary{ID: c.Path.ID(), UserID: c.Path.UserID()}, Last: true}}, nil
	case record.Executions.Has(c.Path):
		x, err := nestor.As[record.AgentGraphExecution](c.After)
		if err != nil {
			return nil, err
		}
		if c.Type == nestor.Create {
			return append([]httpapi.Event{began(&x)}, ended(&x)...), nil
		}
		if !x.Status.Ended() { // an execution that runs is written only by those who pause and resume it
			return []httpapi.Event{steered(&x)}, nil
		}
		return ended(&x), nil
	case record.Resolutions.Has(c.Path) && c.After != nil:
		n, err := nestor.As[record.Resolution](c.After)
		return nodeEvents(&n, c.Type == nestor.Create), err
	}
	return nil, nil
}

func began(x *record.AgentGraphExecution) httpapi.Event {
	as := *x
	as.Status, as.Error, as.EndTime = record.ExecutionRunning, nil, 0
	return httpapi.Event{Name: "execution_began", Data: summarise(&as)}
}

// steered tells that an execution was paused or resumed.
func steered(x *record.AgentGraphExecution) httpapi.Event {
	if x.Status == record.ExecutionPaused {
		return httpapi.Event{Name: "execution_paused", Data: summarise(x)}
	}
	return httpapi.Event{Name: "execution_resumed", Data: summarise(x)}
}

// ended is the last event of an execution that has ended.
func ended(x *record.AgentGraphExecution) []httpapi.Event {
	if !x.Status.Ended() {
		return nil
	}
	return []httpapi.Event{{Name: "execution_" + string(x.Status), Data: showExecution(x), Last: true}}
}

// nodeEvents are the beginning of a turn, if that is asked for, that an agent has the
// work, and its end.
func nodeEvents(n *record.Resolution, beginning bool) (events []httpapi.Event) {
	as := *n
	as.Status, as.Outputs, as.Error, as.EndTime, as.Attempts = record.ResolutionRunning, nil, nil, 0, 0
	if beginning {
		as.ChatID = ""
		events = append(events, httpapi.Event{Name: "node_began", Data: showResolution(&as)})
	}
	if n.ChatID != "" && (beginning || n.Status == record.ResolutionRunning) {
		as.ChatID = n.ChatID
		events = append(events, httpapi.Event{Name: "node_delegated", Data: showResolution(&as)})
	}
	if n.Status != record.ResolutionRunning {
		events = append(events, httpapi.Event{Name: "node_" + string(n.Status), Data: showResolution(n)})
	}
	return events
}
