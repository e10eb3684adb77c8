// Package rules decides what a caller may do with a document.
//
// Rules are data: JSON files of path patterns, operations and conditions in CEL.
// The built-in ones are default.json, about people and what belongs to no module,
// and a file of each module that has rules; a file of the operator's takes the
// place of all. They are compiled at start. What no rule
// allows is refused. A condition that cannot be evaluated allows nothing.
//
// There is one decision, [Judge.May], and everything else rests on it:
//
//   - [Engine.Guard] and [Engine.Reader] wrap a transaction so that whatever goes
//     through it is decided on.
//   - A query asks the database for less than everything, but what comes back is
//     decided on document by document. The narrowing is derived from what the
//     conditions cannot hold without, so it may be too wide and is never too
//     narrow: a list shows exactly what single reads would.
//   - A stream subscribes to [Judge.Readable], which is wide in the same way, and
//     asks [Judge.Sees] about each change.
//
// Some things no rule can allow, because [access.Caller.Reaches] comes first:
// secrets, writing what the server keeps about people ([access.Kept]), what lies
// outside the path of a webhook's grant, and what goes beyond the scopes of an API
// key. Nor can a rule allow to create or change documents of a collection that says
// that the server writes them ([store.Collection]).
//
// Where to start: standard.go (the built-in rules), judge.go (the decision), guard.go
// (how to use it), reach.go (how queries are narrowed).
package rules
