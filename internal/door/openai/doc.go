// Package openai is the door for clients of OpenAI's API: GET /v1/models, POST
// /v1/chat/completions and /v1/responses.
//
// A model is a participant, a thread is a chat, and each request is a run. What was
// asked is said in the chat; what is answered is what the run writes there, from the
// request until the run has ended or waits for somebody (follow.go, answer.go).
//
//   - Clients of chat completions send the whole conversation each time. What a reply
//     belongs to is kept by the hash of the conversation up to it ([OpenAITurn]), so that the
//     next request finds its chat (thread.go). A conversation that nobody here knows
//     begins a chat, whose first message tells what was said before.
//   - A response has a document ([OpenAIResponse]), which says where in the log of its run it
//     begins. It is told from there as often as it is asked for: live, resumed and when
//     all is over alike. Its sequence numbers count the characters that were said, so
//     they are the same however the text was cut into pieces (sequence.go).
//   - Tools of the caller are the chat's client tools. The id of a call says where the
//     call lies, so that its result finds it (tools.go).
package openai
