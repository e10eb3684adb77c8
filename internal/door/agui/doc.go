// Package agui is the door for clients that speak AG-UI 1.0, such as the HttpAgent of
// @ag-ui/client: POST /agui/{participant} with a RunAgentInput answers with a stream of
// AG-UI's events.
//
// A thread of the client is a chat, and a run of the client is one request: it ends when
// the run of Nestor ends, or waits for somebody. Then the client is told of interrupts,
// or of calls of its own tools, and goes on with another request that answers them.
//
// The client keeps the messages of the thread itself and applies events to them. Where
// they would not become what the chat says, because the client is new to the thread, or
// lost a stream in the middle of a message, it is sent a snapshot of the messages first.
package agui
