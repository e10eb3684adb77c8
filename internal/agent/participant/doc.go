// Package participant is who answers in a chat: the orchestrator, an agent, a model,
// or what a module adds, such as a graph.
//
// The orchestrator and models answer as package orchestrator has it. For all others a
// message is handed over, in one transaction: it is marked with who has it, and an
// agent is given it, or the module begins its work. So a message is handed over once,
// and who was given it answers it, even if the chat has another participant by then.
package participant
