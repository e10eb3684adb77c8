// Package modeltest has a model for tests of agents: it says what a script tells it
// to.
package modeltest

import "github.com/nestorhq/nestor/internal/llm/scripted"

// Script is a model that follows a script. Finished reports replies that nobody
// asked for.
type Script = scripted.Model

// Parse reads a script: a txtar archive of replies, each with the conditions under
// which it is given.
//
//	-- reply delegate --
//	when system contains orchestrator
//	call create_agent {"type": "general", "instruction": "What is 6*7?"}
//
//	-- reply compute --
//	when last user contains 6*7
//	call calculator {"expression": "6*7"}
//
//	-- reply answer --
//	when last tool contains 42
//	text: It is 42.
//
// The first reply that has not been given yet and whose conditions hold is given;
// a line "repeat" lets it be given again. A condition is about system, last user,
// last tool, history or tools, and says contains, lacks or is. Besides text and call a
// reply may think, wait (a duration), and fail: "error rate_limited the provider is
// busy".
func Parse(script string) (*Script, error) { return scripted.Parse([]byte(script)) }
