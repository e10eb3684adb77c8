// Package httpapi is Nestor's HTTP API: routes, what each of them needs of its
// caller, and what it does. All that it remembers is short-lived, such as how many
// streams are open: a restart forgets it and loses nothing. It makes no decision
// that the store or the access package could make.
//
// Where to start: routes.go and the routes_… files (which calls there are), guard.go
// and need.go (who is let in), rights.go (what handlers read and write by), answer.go
// (what becomes of what they return). Below it are the parts that know no routes:
//
//   - web: headers, limits and errors of any request
//   - events: what happens to documents, as streams
//   - openapi: the description of routes
package httpapi
