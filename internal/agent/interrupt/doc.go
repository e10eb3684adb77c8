// Package interrupt stops work whose reason is gone: a model stream or a tool whose
// agent was cancelled, an answer after which the user said more.
package interrupt
