package crashtest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/nestorhq/nestor/internal/llm"
)

// cue is what the model says in one situation, which it recognises by the
// request alone: the same request always gets the same reply. Every line is
// said once in a conversation that nothing interrupts.
type cue struct {
	name string
	// text appears in the documents when the reply is committed, and not before.
	text string
	when func(*request) bool
	// calls go with the text, or instead of it if one of them contains it.
	calls func(*request) []llm.ToolCall
	// input is how many tokens the request is said to have.
	input int64
}

// howMany is what the booker asks. The person is asked it as it is.
const howMany = "How many guests?"

var (
	title = cue{
		name: "title", text: "A gift and a table", input: 100,
		when: func(r *request) bool { return r.offers() && strings.Contains(r.system(), "Write a title") },
	}
	looking = cue{
		name: "looking", text: "I look into the calendar.", input: 1200,
		when:  func(r *request) bool { return r.isOrchestrators() && r.endsWith(wish) && r.text("tool") == "" },
		calls: func(*request) []llm.ToolCall { return []llm.ToolCall{called(checkCalendar, "text", "Friday")} },
	}
	delegation = cue{
		name: "delegation", text: "Two agents are on it.", input: 1300,
		when: func(r *request) bool {
			return r.isOrchestrators() && r.endsWith(wish) && r.text("tool") == toolAnswers[checkCalendar]
		},
		calls: func(*request) []llm.ToolCall {
			return []llm.ToolCall{
				called("create_agent", "type", "shopper", "instruction", "Find a gift for Ada."),
				called("create_agent", "type", "booker", "instruction", "Book a table for Friday."),
			}
		},
	}
	routing = cue{
		name: "routing", text: "I have told the booker.", input: 1500,
		when: func(r *request) bool { return r.isOrchestrators() && r.endsWith(reply) },
		calls: func(r *request) []llm.ToolCall {
			return []llm.ToolCall{called("reply_to_agent", "agent", r.find(waitingBooker), "content", "Four guests."+filler)}
		},
	}
	shopping = cue{
		name: "shopping", text: "I compare and hold.", input: 400,
		when: func(r *request) bool { return r.isAgents("shopper", 0) },
		calls: func(*request) []llm.ToolCall {
			return []llm.ToolCall{called(comparePrices, "text", "scarf"), called(holdItem, "text", "scarf")}
		},
	}
	bought = cue{
		name: "bought", text: "The red scarf is on hold.", input: 500,
		when: func(r *request) bool { return r.isAgents("shopper", 1) },
		calls: func(*request) []llm.ToolCall {
			return []llm.ToolCall{called("final_answer", "answer", "The red scarf is on hold.")}
		},
	}
	booking = cue{
		name: "booking", text: "I write to the restaurant.", input: 1500,
		when: func(r *request) bool { return r.isAgents("booker", 0) },
		calls: func(*request) []llm.ToolCall {
			return []llm.ToolCall{called(writeLetter, "text", "A table for Friday, please.")}
		},
	}
	asking = cue{
		name: "asking", text: "I have to ask.", input: 2100,
		when: func(r *request) bool { return r.isAgents("booker", 1) },
		calls: func(*request) []llm.ToolCall {
			return []llm.ToolCall{called("ask_user", "question", howMany)}
		},
	}
	memory = cue{
		name: "memory", text: "The restaurant has a table and wants the number of guests.", input: 2500,
		when: func(r *request) bool { return r.offers() && strings.Contains(r.system(), "You write the memory") },
	}
	booked = cue{
		name: "booked", text: "The table is booked for four.", input: 2100,
		when: func(r *request) bool { return r.offersTo("booker") && strings.Contains(r.said(), memory.text) },
		calls: func(*request) []llm.ToolCall {
			return []llm.ToolCall{called("final_answer", "answer", "The table is booked for four.")}
		},
	}
	conclusion = cue{
		name: "conclusion", text: "Friday is settled: a scarf and a table.", input: 1900,
		when: func(r *request) bool {
			return r.isOrchestrators() && strings.Contains(r.said(), "All that was started has ended") &&
				strings.Contains(r.said(), bought.text) && strings.Contains(r.said(), booked.text)
		},
	}
)

var script = []*cue{&title, &looking, &delegation, &routing, &shopping, &bought, &booking, &asking, &memory, &booked, &conclusion}

// filler is what makes the booker's conversation too long for it: many tokens
// in few characters.
var filler = strings.Repeat("🍝", 280)

var waitingBooker = regexp.MustCompile(`(A\d+) \| booker \| [^|]+ \| waiting`)

func called(name string, arguments ...string) llm.ToolCall {
	in := map[string]string{}
	for i := 0; i < len(arguments); i += 2 {
		in[arguments[i]] = arguments[i+1]
	}
	text, err := json.Marshal(in)
	if err != nil {
		panic(err) // texts always encode
	}
	return llm.ToolCall{ID: "call_" + name, Name: name, Arguments: string(text)}
}

// events are the line as a model sends it.
func (l *cue) events(r *request) []llm.Event {
	usage := llm.Usage{Input: l.input, Output: int64(10 + len(l.text))}
	if l.calls == nil {
		return []llm.Event{llm.Text{Text: l.text}, usage, llm.Finish{Reason: llm.ReasonStop}}
	}
	var events []llm.Event
	calls := l.calls(r)
	if !strings.Contains(calls[0].Arguments, l.text) {
		events = append(events, llm.Text{Text: l.text})
	}
	for i, c := range calls {
		c.ID = fmt.Sprintf("%s_%d", c.ID, i)
		events = append(events, c)
	}
	return append(events, usage, llm.Finish{Reason: llm.ReasonToolCalls})
}
