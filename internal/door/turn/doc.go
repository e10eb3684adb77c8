// Package turn is what the doors of chat protocols have in common: a request of a client
// says something in a thread, or deals with what a run waits for, and follows what
// comes of it.
//
// A thread is a chat of the caller, whose id derives from the participant and from the
// client's name for the thread. A message's id derives from the client's, so a request
// that is repeated begins no second run: it finds the first one and is told all of it
// again. That is how a client goes on that lost its stream.
//
// A protocol whose streams end when a run waits goes on with another request. What the
// run waited for is named by ids that say where the document is ([ID]), so nobody has to
// remember what was asked: the follower reads the run from its begin, silently up to the
// point where the run waited for what the client now deals with ([Leg]).
package turn
