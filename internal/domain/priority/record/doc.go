// Package record holds what prioritisation stores: a person's outcome, documents
// with tasks, how tasks depend on each other, and the sessions that order them.
// Fields have the names of the API, in snake_case.
package record
