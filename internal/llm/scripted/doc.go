// Package scripted is a model for tests: it says what a script tells it to.
//
// A script is a txtar archive. Each file whose name starts with "reply" is one
// reply; other files and the text before the first are left to the test, so a
// golden transcript can hold the script beside its input and its expectations.
//
//	The orchestrator hands a sum to an agent, which needs one tool.
//
//	-- reply delegate --
//	when system contains orchestrator
//	text: I will have that
//	text:  worked out.
//	call create_agent {"type": "general", "instruction": "What is 6*7?"}
//	usage in=120 out=30
//
//	-- reply compute --
//	when last user contains 6*7
//	think: A calculator will do.
//	call calculator {"expression": "6*7"}
//
//	-- reply answer --
//	when last tool contains 42
//	text: # Result
//	|
//	| 6*7 is **42**.
//
//	-- reply overload --
//	error rate_limited retry_after=2s the provider is busy
//
// # Which reply is given
//
// The first one, in the order of the script, that has not been given yet and
// whose every "when" holds. So agents that run at the same time can share a
// script and still get their own lines, whoever asks first.
//
//	when SUBJECT contains|lacks|is TEXT
//
// The subject is one of
//
//	system      the system instruction
//	last user   the last message of the user
//	last tool   name and content of each tool result since the model last spoke
//	history     all messages
//	tools       the names of the tools offered
//
// A subject that is not there is empty. A request that no reply is left for is
// an error that shows what was asked; a reply that nobody asked for is reported
// by [Model.Finished].
//
// # What a reply does
//
// Line by line, each becoming one event:
//
//	text: TEXT                 a piece of text
//	think: TEXT                a piece of reasoning
//	sign: TEXT                 the signature that closes the reasoning
//	call NAME [id=ID] ARGS     a tool call; ARGS are passed on as they are
//	usage in=N out=N [cached=N] [written=N] [reasoning=N]
//	wait DURATION              nothing for that long
//	finish REASON [DETAIL]     stop, tool_calls, length or refusal, and why
//	error CODE [retry_after=DURATION] MESSAGE
//	repeat                     the reply may be given any number of times, or never
//
// A reply without finish or error finishes with tool_calls if it holds a call
// and with stop otherwise. A call without an id gets one from the reply's name
// and its position. A line that starts with "|" continues the text or the call
// before it on a new line. TEXT in double quotes is a Go string, for spaces at its end and
// the like. Empty lines and lines that start with "#" say nothing.
package scripted
