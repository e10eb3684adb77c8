// Package interrupt stops work whose reason is gone, on whichever node it runs: a model
// stream or a tool whose agent was cancelled, an answer after which the user said more, a
// node of an execution that ended.
package interrupt
