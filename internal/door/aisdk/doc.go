// Package aisdk is the door for clients of the Vercel AI SDK: useChat with the stock
// DefaultChatTransport talks to POST /aisdk/{participant} in the UI message stream
// protocol, version 1.
//
// A chat of the client is a thread, and everything that a run tells is one message of the
// assistant, whose id derives from the run. When the run waits for an approval, for the
// result of a tool that the client runs, or for the answer to a question, which is such a
// tool, too, the stream ends. The client sends the message back with what it needs, and
// the next stream goes on with the same message.
//
// Within the message, each thing that the participant says begins a step: a step can be
// taken back, when a model is asked again in the middle of an answer.
package aisdk
