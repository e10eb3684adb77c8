package runs

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// ServerRun is what an administrator is told of a run of whomever: how it went and what it
// took. What was said, and where, is its user's own: it has no texts, and no chat.
type ServerRun struct {
	ID         string           `json:"id"`
	UserID     string           `json:"userId"`
	By         string           `json:"by,omitempty"`
	Kind       nestor.RunKind   `json:"kind"`
	Status     nestor.RunStatus `json:"status"`
	BeganAt    int64            `json:"beganAt"`
	EndedAt    int64            `json:"endedAt,omitempty"`
	Resumes    int              `json:"resumes,omitempty"`
	Models     []string         `json:"models,omitempty"`
	Roles      []string         `json:"roles,omitempty"`
	Tools      []string         `json:"tools,omitempty"`
	Agents     int              `json:"agents,omitempty"`
	Usage      *nestor.Usage    `json:"usage,omitempty"`
	CostMicros int64            `json:"costMicros"`
	Calls      int              `json:"calls,omitempty"`
}

func shownToAdministrator(run *nestor.Run) ServerRun {
	return ServerRun{
		ID: run.ID, UserID: run.UserID, By: run.By, Kind: run.Kind, Status: run.Status, BeganAt: run.BeganAt, EndedAt: run.EndedAt, Resumes: run.Resumes,
		Models: run.Models, Roles: run.Roles, Tools: run.Tools, Agents: run.Agents, Usage: run.Usage, CostMicros: run.CostMicros, Calls: run.Calls,
	}
}

// listOfServer lists the runs of all users, or of one.
func (r *Runs) listOfServer(req *httpapi.Request) (any, error) {
	limit, cursor, err := req.Page()
	if err != nil {
		return nil, err
	}
	user := req.URL.Query().Get("userId")
	where, err := filter(req, user, "status", "kind", "by")
	if err != nil {
		return nil, err
	}
	q := store.Query{Flat: Collection.Name, Where: where, Limit: limit, Cursor: cursor}
	if user != "" {
		if err := nestor.CheckID(user); err != nil {
			return nil, err
		}
		q.Flat, q.Collection = "", "users/"+user+"/runs"
	}
	answer := httpapi.List[ServerRun]{}
	err = r.store.View(req.Context(), func(docs store.Reader) error {
		answer = httpapi.List[ServerRun]{Items: []ServerRun{}}
		found, next, err := page(req, docs, q)
		for i := range found {
			answer.Items = append(answer.Items, shownToAdministrator(&found[i]))
		}
		answer.Next = next
		return err
	})
	return answer, err
}
