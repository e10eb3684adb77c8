// Package memory keeps what is known of agents at work, so that a step need not read
// it all again.
package memory
