// Package bus carries messages between the nodes of one installation: what
// models are saying, who watches it, and wake-ups.
//
// A bus promises little. A message may be lost, come twice or late, and nobody
// is told; what must not be lost is in the database. Who sends is not known but
// by what the message says, so a bus must be as private as the database.
package bus

import "context"

// Bus is a way from node to node. It works while Run does.
type Bus interface {
	// Subscribe has fn called with what is published to a subject, one message
	// after the other; those of this node may be among them. Call it before Run. Fn must not
	// wait for anything and must not keep the data.
	Subscribe(subject string, fn func(data []byte))
	// Connected has fn called whenever the bus has begun to work, again: what was
	// published in between was lost. Call it before Run.
	Connected(fn func())
	// Publish sends messages of any size, in order. It returns when they are on
	// their way or cannot be sent.
	Publish(ctx context.Context, messages ...Message) error
	// Run connects, again and again if need be, and works until ctx ends.
	Run(ctx context.Context) error
	// State tells how the bus is doing.
	State() State
}

// Message is bytes for the subscribers of a subject. A subject is made of lower
// case letters, digits and dots.
type Message struct {
	Subject string
	Data    []byte
}

// State is how a bus is doing.
type State struct {
	// Kind is "postgres" or "nats".
	Kind string
	// Up says that messages go out and come in, as far as is known.
	Up bool
	// Sent and SentBytes count what this node has sent, and Received what has
	// come, in pieces.
	Sent, SentBytes, Received int64
}
