package demo

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/nestorhq/nestor/internal/llm"
)

// work is the task of an agent, as its conversation tells it.
type work struct {
	// goal is the instruction, the newest one if the agent was reactivated.
	goal string
	// before is the instruction before a reactivation.
	before string
	// answers are those the user gave since the goal was set.
	answers []answer
	// results are those of the tools called since the goal was set, all are
	// those of the whole conversation.
	results, all []result
}

type answer struct{ question, text string }

type result struct {
	tool, content string
	args          map[string]any
	failed        bool
}

// readWork follows the conversation. A message of the user answers the open
// question, if there is one, and is a new instruction otherwise.
func readWork(messages []llm.Message) work {
	var w work
	calls := make(map[string]llm.ToolCall)
	question, direct := "", "" // the open one, and an answer as its tool result
	spoke := false             // the model, since the goal was set
	answered := func(text string) {
		if question != "" && text != "" {
			w.answers = append(w.answers, answer{question: question, text: text})
		}
		question, direct = "", ""
	}
	for _, m := range messages {
		switch m.Role {
		case llm.RoleUser:
			text := readSections(textOf(m)).message
			switch {
			case text == "":
			case question != "":
				answered(text)
			case spoke:
				w = work{goal: text, before: w.goal, all: w.all}
				spoke = false
			default:
				w.goal = strings.TrimSpace(w.goal + "\n" + text)
			}
		case llm.RoleAssistant:
			answered(direct)
			spoke = true
			for _, c := range callsOf(m) {
				calls[c.ID] = c
				if c.Name == askUser {
					question = cmp.Or(stringArg(c, "question"), "?")
				}
			}
		case llm.RoleTool:
			for _, p := range m.Parts {
				r, ok := p.(llm.ToolResult)
				if !ok {
					continue
				}
				c := calls[r.CallID]
				if c.Name == askUser {
					direct = r.Content
					continue
				}
				got := result{tool: c.Name, args: argsOf(c), content: r.Content, failed: r.IsError}
				w.results, w.all = append(w.results, got), append(w.all, got)
			}
		}
	}
	answered(direct)
	return w
}

// text is the goal with everything the user added to it.
func (w work) text() string {
	text := w.goal
	for _, a := range w.answers {
		text += "\n" + a.text
	}
	return text
}

// asked reports whether the user was asked this already.
func (w work) asked(question string) bool {
	for _, a := range w.answers {
		if a.question == question {
			return true
		}
	}
	return false
}

func callsOf(m llm.Message) []llm.ToolCall {
	var calls []llm.ToolCall
	for _, p := range m.Parts {
		if c, ok := p.(llm.ToolCall); ok {
			calls = append(calls, c)
		}
	}
	return calls
}

// argsOf returns the arguments of a call, none if they are malformed.
func argsOf(c llm.ToolCall) map[string]any {
	var args map[string]any
	_ = json.Unmarshal([]byte(c.Arguments), &args)
	return args
}

func stringArg(c llm.ToolCall, name string) string {
	s, _ := argsOf(c)[name].(string)
	return s
}
