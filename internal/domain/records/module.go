// Package records is the domain of records: text documents with versions, immutable
// threads of messages, chats about them, and settings. It also reads conversations as
// threads, and has the tables of what forks of chats share. Every kind has the same calls,
// made from one table (kinds); versions and threads have a few of their own. What is
// stored is in package record, how versions are linked in package version, how
// threads share what they have in common in package thread, and how agents read and
// write documents in package doctool.
package records

import (
	"context"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/chatfork"
	"github.com/nestorhq/nestor/internal/domain/records/doctool"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/domain/records/version"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// Module is the domain of records.
var Module = module.Of[Records]{
	Name:        "records",
	Collections: slices.Concat(record.Collections, chatfork.Collections),
	Reactions: []nestor.Trigger{{
		ID: "on-text-document-deleted", Collection: "users/*/text-documents", Events: []nestor.ChangeType{nestor.Delete}, Action: "POST /webhook/mend-versions",
	}},
	Handlers: []module.Handler[Records]{
		// One at a time for a user, so that the last one sees what the others left.
		{Stage: trigger.Stage{Name: "mend-versions", Key: "text-documents:{parent}"}, Run: Records.mendVersions},
	},
	Tag:     httpapi.Tag{Name: "Records", Description: "Documents with a shape that the server knows: texts with versions, threads of messages, settings."},
	Routes:  routes(),
	Schemas: schemas(),
	Tools:   func(r Records) ([]*tool.Tool, error) { return doctool.Tools(r.store), nil },
	Open: func(_ context.Context, host module.Host) (Records, error) {
		return Records{host.Store}, nil
	},
}

// Records are what the routes and handlers of the module are methods of. All that
// they know is in the store.
type Records struct{ store store.Store }

// mendVersions links the neighbours of a version that was deleted as any document.
func (Records) mendVersions(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	return func(tx store.Tx) error {
		if job.Change.Before == nil {
			return nil
		}
		return version.Mend(tx, job.Change.Before)
	}, nil
}
