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
	seen := map[nestor.Path]int64{} // what was told already, by the positions of the documents
	return httpapi.Stream{
		Path:  at,
		First: func() ([]httpapi.Event, error) { return first(r, at, seen) },
		Of: func(c *nestor.Change) ([]httpapi.Event, error) {
			if c.Seq <= seen[c.Path] {
				return nil, nil
			}
			if created, err := createdEnded(c); created || err != nil {
				return first(r, at, seen)
			}
			return tell(c)
		},
	}, nil
}

// first reads what has happened.
func first(r *httpapi.Request, at nestor.Path, seen map[nestor.Path]int64) (events []httpapi.Event, err error) {
	err = r.View(func(docs store.Reader) error {
		clear(seen)
		events, err = soFar(docs, at, seen)
		return err
	})
	return events, err
}

// createdEnded reports whether a change brings an execution that has ended already, as an
// import does. Its end, which ends the stream, is written before its nodes.
func createdEnded(c *nestor.Change) (bool, error) {
	if c.Type != nestor.Create || !record.Executions.Has(c.Path) {
		return false, nil
	}
	x, err := nestor.As[record.AgentGraphExecution](c.After)
	return x.Status.Ended(), err
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
			events = append(events, nodeEvents(nil, &n)...)
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
			return []httpapi.Event{began(&x)}, nil
		}
		if !x.Status.Ended() { // an execution that runs is written only by those who pause and resume it
			return []httpapi.Event{steered(&x)}, nil
		}
		return ended(&x), nil
	case record.Resolutions.Has(c.Path) && c.After != nil:
		n, err := nestor.As[record.Resolution](c.After)
		if err != nil || c.Before == nil {
			return nodeEvents(nil, &n), err
		}
		before, err := nestor.As[record.Resolution](c.Before)
		return nodeEvents(&before, &n), err
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

// nodeEvents are what has happened in a turn since it was as before, nil for all: it began,
// an agent had the work, was tried again after it failed, and it ended.
func nodeEvents(before, n *record.Resolution) (events []httpapi.Event) {
	as := *n
	as.Status, as.Outputs, as.Error, as.EndTime, as.Attempts, as.Tries, as.ChatID, as.RetryTime = record.ResolutionRunning, nil, nil, 0, 0, nil, "", 0
	tell := func(name string) { events = append(events, httpapi.Event{Name: name, Data: showResolution(&as)}) }
	if before == nil {
		before = &record.Resolution{}
		tell("node_began")
	}
	chat := before.ChatID
	delegated := func(to string, attempt int) {
		if as.ChatID, as.Attempts = to, attempt; to != "" && to != chat {
			tell("node_delegated")
		}
	}
	items := map[int]int{} // attempts that failed
	for i, try := range n.Tries {
		items[try.Item]++
		if i < len(before.Tries) {
			continue
		}
		delegated(try.ChatID, items[try.Item])
		as.Error, as.RetryTime = try.Error, try.NextTime
		tell("node_retried")
		as.Error, as.RetryTime = nil, 0
	}
	delegated(n.ChatID, n.AttemptAt(0))
	if n.Status != record.ResolutionRunning {
		events = append(events, httpapi.Event{Name: "node_" + string(n.Status), Data: showResolution(n)})
	}
	return events
}
