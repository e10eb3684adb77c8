// Package lifecycle moves a task, its agent and their calls together from one state
// to the next, each within a transaction of its caller:
//
//	Admit       a call waits for approval, starts an agent, or is pending
//	FinishCall  a call ends: the model is told, and the next call is let go
//	Deliver     an agent hears something and goes on, whatever it did before
//	End         a task and its agent end, and who waits for them is answered
//
// Nothing here asks a model or runs a tool.
package lifecycle
