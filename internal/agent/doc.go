// Package agent is the behaviour of Nestor: an orchestrator that talks to
// people and delegates, and the sub-agents it delegates to.
//
// Each behaviour is a handler of one kind of job. A handler reads the documents
// it needs, does the slow part (a model, a tool) outside any transaction, and
// returns the effects, which commit together with the job's completion:
//
//	user message ─► orchestrator ─► answer, tasks, replies to agents
//	first message ─► title
//	task pending ─► agent-init ─► sub-agent, its instructions and its task
//	sub-agent's user or tool message ─► agent-loop ─► one model call:
//	     tool calls │ final answer │ question
//	tool call pending ─► tool-runner ─► result, tool message
//	task success ─► orchestrator-finalize ─► report in the chat
//	task failed ─► task-failed ─► the reason in the chat
//	task waiting ─► orchestrator-notify ─► answer from history, or ask the user
//
// So a crash loses nothing but the call that was under way, and whatever was
// committed is never done again. The ids of all documents derive from the job
// that writes them: a rerun meets them instead of doubling them.
//
// People steer from outside through the methods of [Agents]: Cancel, Stop, Pause,
// Resume, Steer, Retry and Decide. They write documents, too; handlers that
// run meanwhile are interrupted, and what they would have committed is refused
// because they check, in their transaction, that it is still wanted.
//
// This package is the front door: the table of stages, the triggers, and [New],
// which puts the rooms together. Look for
//
//   - what the chat is told in package orchestrator,
//   - an agent's step in loop, and what a process remembers for it in memory,
//   - how a call is run and approved in toolrun,
//   - what people do in control,
//   - how a task, its agent and their calls change state in lifecycle,
//   - a model call in ask, what the model sees in conversation and condense,
//     and who pays for it in billing.
package agent
