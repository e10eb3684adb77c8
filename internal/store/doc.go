// Package store is the contract of Nestor's storage and the part of it that
// does not depend on the engine.
//
// A [Store] is one database. Its [Store.Update] runs a function in a
// transaction; whatever documents the function writes, the change log entries
// of those writes and the jobs of the triggers that match them become durable
// together or not at all. Nothing else is a source of truth.
//
// The semantics of a write (versions, reserved fields, schemas, deleting what
// lies below, which jobs it queues) are written once, in [Session]. An engine
// supplies SQL through the small [Rows] interface: see the sub-packages sqlite
// and postgres, and storetest for the suite that both must pass.
//
// Where to start: store.go (the roles), session.go (what a write does),
// catalogue.go (which collections there are), query.go (how to ask), sync.go
// (how copies are kept up to date).
package store
