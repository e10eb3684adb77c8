// Package nestor is the vocabulary of Nestor, a durable runtime for nested AI
// agents, and its JSON contract.
//
// Three sentences carry the architecture:
//
//   - Everything is a document: chats, messages, tasks, sub-agents, tool calls.
//   - Every write is a change: documents, the change log and the jobs of the
//     triggers that match are written in one database transaction.
//   - Every behaviour is a job: a worker does the slow part outside any
//     transaction and commits its effects together with the job's completion.
//
// The package holds the nouns of those sentences ([Path], [Document],
// [Change], [Trigger], [Job], [Chat], [Message], [Task], [SubAgent],
// [ToolCall]) and errors with codes ([Error]). It imports the standard library
// only and does no I/O; the verbs live under internal/.
package nestor
