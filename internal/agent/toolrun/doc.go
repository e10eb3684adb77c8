// Package toolrun carries out the calls of tools. Its handlers:
//
//	RunTool        a pending call is run, and its result becomes a message
//	InitTool       a task of type tool becomes a call
//	CallEnded, ChildEnded, TaskCallEnded
//	               whoever ended a call or a task, those that wait for it go on
//
// Calls that need approval, or of which nobody knows whether they took effect, wait
// for a person; see [Runner.Decide].
package toolrun
