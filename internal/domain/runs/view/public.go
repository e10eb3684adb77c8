package view

import "github.com/nestorhq/nestor"

// Public is what is told of a run to somebody who has a link to it: how it went, and not
// whose it is.
func Public(run *nestor.Run) nestor.Run {
	return nestor.Run{
		Meta: nestor.Meta{ID: run.ID, CreatedAt: run.CreatedAt, UpdatedAt: run.UpdatedAt}, Kind: run.Kind, Status: run.Status, Root: run.Root,
		BeganAt: run.BeganAt, EndedAt: run.EndedAt, Resumes: run.Resumes,
		Models: run.Models, Roles: run.Roles, Tools: run.Tools, Usage: run.Usage, CostMicros: run.CostMicros, Calls: run.Calls, Errors: run.Errors,
	}
}
