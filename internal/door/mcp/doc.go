// Package mcp is the door for clients of the Model Context Protocol, at /mcp by streamable
// HTTP and, by the command nestor mcp, over stdio.
//
// A participant of the caller is a tool: ask for the orchestrator, ask_ROLE, graph_ID,
// model_CONNECTION. A call says something in a chat, which the protocol's clients know as
// a thread, and follows the run that this begins: what happens is told as progress, what
// the run asks is asked by elicitation if the client can, and else told in the result, for
// the tool answer. Chats, runs and documents are resources.
//
// What holds:
//
//   - A call follows a run and is not the run. A client that goes away, a session that
//     ends and a server that is killed leave the run as it is; run_status tells its end. Only
//     a client that cancels its call cancels the run.
//   - The id of the run is told first, before anything else comes of the call.
//   - Everything is judged for the request in which it was asked, not for the session: a
//     session of a user can be used with any credential of that user, and each reaches as
//     far as it does elsewhere. Another user's session is refused.
//
// Sessions live in the memory of a node. A client whose session is gone gets 404 and
// begins another, as the protocol says.
package mcp
