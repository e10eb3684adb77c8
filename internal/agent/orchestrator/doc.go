// Package orchestrator talks to people and delegates. Its handlers:
//
//	Orchestrate  a user's message is answered, and tasks are created
//	Notify       an agent's question is answered from history, or put to the user
//	Finalize     the result of a task is reported in the chat
//	TaskFailed   the failure of a task is told in the chat
//	Title        a chat gets its name
package orchestrator
