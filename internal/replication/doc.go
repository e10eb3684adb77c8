// Package replication keeps copies of documents in browsers in step with the
// store, by the HTTP contract that RxDB's replicateRxCollection expects of a
// server.
//
// A client follows scopes: all chats of a user, all tasks of a user or a chat,
// the messages of a chat, what lies inside one agent, a collection of the
// user's own. For each scope it
//
//   - pulls pages of documents after its checkpoint, deleted ones included,
//     until one has fewer documents than it asked for;
//   - pushes its own writes, each with the state it believes the master to
//     have, and gets back the master of those that were not accepted: it puts
//     that in place of its own; [RefusedHeader] says why;
//   - listens to a stream, one connection for all its scopes, which says RESYNC
//     (pull now) when it opens and when the log no longer reaches back, and in between sends
//     the documents that changed.
//
// What holds: a client that does so ends up with exactly the documents that it
// may read, whatever happens to connections, servers and other writers. A push
// can be repeated without effect. Two states of a document are the same when
// their content is: what the server stamps on a document (version, seq, times)
// is never compared, so quick successive edits do not conflict with
// themselves.
//
// The client's part, besides replicateRxCollection: the checkpoint is an object
// whose seq is passed back as it came; a pull that answers too_old (410) means
// that the copy is older than what the server remembers of deletes, or that what
// the client may see is not the same as before, and is to be dropped; so is one
// whose pull answers 403 or 404; with a chat goes what lies below it; ids are unique in a flat collection, not only in their chat; where
// a local collection holds several scopes, each replication pushes only what is
// its own; a local insert has no stamps but the defaults of the schema, and the
// server's values arrive with the echo, or, when the answer to the push
// got lost, with the next change. testdata/client.mjs is such a client, and docs/sync.md
// has a small one.
//
// Where to start: replication.go (what it needs and serves), then pull.go,
// push.go and stream.go; schema.go and shapes.go for the schemas.
package replication
