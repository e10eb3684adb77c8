package runs

import (
	"github.com/nestorhq/nestor/internal/domain/runs/view"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
)

// shareRoutes make, list and end links to runs, and answer who has one. A link tells of many
// documents, so a key for some of them makes none.
func shareRoutes() []module.Route[*Runs] {
	type route = httpapi.Route
	const (
		shares = "/api/v1/runs/{id}/shares"
		shared = "/api/v1/shared/{token}"
	)
	list := []module.Route[*Runs]{
		{Do: (*Runs).shares, Route: route{
			Pattern: "GET " + shares, ID: "listRunShares", Summary: "The links to a run",
			Description: "Each says who made it and when it ends. The token itself is told once, when the link is made.",
			Needs:       httpapi.Whole, Answer: RunShare{}, Lists: true,
		}},
		{Do: (*Runs).share, Route: route{
			Pattern: "POST " + shares, ID: "shareRun", Summary: "Make a link that shows a run to anyone who has it",
			Description: "The link shows the tree and its steps, and no prompts. It counts only as long as the one who made it may read the run.",
			Needs:       httpapi.Whole, Body: newShare{}, Answer: SharedRun{},
			Creates: true, Example: `{"expiresAt":1893456000000}`,
		}},
		{Do: (*Runs).revoke, Route: route{
			Pattern: "DELETE " + shares + "/{share}", ID: "revokeRunShare", Summary: "End a link to a run",
			Description: "It stops working at once.",
			Needs:       httpapi.Whole,
		}},
	}
	for i := range list {
		list[i].Query = append(list[i].Query, httpapi.UserParameter)
	}
	return append(list,
		module.Route[*Runs]{Do: (*Runs).sharedTree, Route: route{
			Pattern: "GET " + shared + "/tree", ID: "getSharedTree", Summary: "The tree of a run, for who has a link to it",
			Description: "No account is needed. Requests are limited by the address that they come from.",
			Needs:       httpapi.Anyone, Answer: view.RunTree{}, Query: treeParameters,
		}},
		module.Route[*Runs]{Do: (*Runs).sharedStep, Route: route{
			Pattern: "GET " + shared + "/step", ID: "getSharedStep", Summary: "What there is to know of a row, for who has a link to the run",
			Description: "No account is needed. Requests are limited by the address that they come from.",
			Needs:       httpapi.Anyone, Answer: view.RunStep{},
			Query: []httpapi.Parameter{rowParameter},
		}},
	)
}
