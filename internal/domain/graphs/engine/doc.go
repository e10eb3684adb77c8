// Package engine executes agent graphs durably.
//
// An execution is a document with its graph, as it was when the execution began. Below
// it lie its progress, which is the state of the schedule, and a document for each
// resolution of a node. A resolution is created with its inputs when its node has its
// turn, which causes a job of its own; so nodes whose turns come at once run at once.
// The job runs the node. In one transaction it then writes the outputs, moves the
// schedule on and creates the resolutions that follow. That transaction writes the
// progress, so of two nodes that end at once the second one sees what the first did.
// Others wait for it meanwhile, for as long as a commit takes; no node runs in it that
// takes longer.
//
// Turns of quick nodes are had in that transaction, too: they only compute. Their
// resolutions are written once, when they have ended.
//
// A crash repeats the node that it interrupted, and no other. A node whose effect is
// once is not repeated: its resolution fails with the code interrupted, because nobody
// knows whether it had its effect.
//
// Who cancels an execution ends it and its resolutions in one transaction. What runs
// in this process is interrupted; what another process brings is dropped, and paid
// for.
package engine
