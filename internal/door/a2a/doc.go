// Package a2a is the door for clients of the Agent2Agent protocol, version 0.3, by
// JSON-RPC at /a2a/{participant}.
//
// A task of the protocol is a run and has its id; a context is a chat. So a task is kept
// as long as its run, whoever asks for it and whichever process answers:
//
//	message/send       says something in the chat, and waits until the run rests
//	message/stream     the same, and tells what happens meanwhile
//	tasks/get          reads the run
//	tasks/resubscribe  tells what happened from its begin on, and what happens then
//	tasks/cancel       ends what the run has under way
//
// The messages and events are those of the official SDK, which also reads the requests
// and writes the answers. Its store of tasks in memory is not used.
package a2a
