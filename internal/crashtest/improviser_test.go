package crashtest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/llm"
)

// improviser is a model that has no script, and makes mistakes. The same request gets the
// same reply.
type improviser struct{ seed uint64 }

// itIsHeld is what agents may only say if it is true.
const itIsHeld = "It is held."

// words are what an improvised reply says and calls.
type words struct {
	text  string
	calls []llm.ToolCall
}

func call(name, arguments string) llm.ToolCall { return llm.ToolCall{Name: name, Arguments: arguments} }

func (i *improviser) reply(r *request) []llm.Event {
	hash := fnv.New64()
	for _, m := range r.Messages {
		fmt.Fprintln(hash, m.Role, len(m.ToolCalls), clock.ReplaceAllString(m.Content, ""))
	}
	dice := rand.New(rand.NewPCG(i.seed, hash.Sum64()))
	w := words{text: "A word."}
	switch {
	case r.has(controltool.FinalAnswer):
		w = asAgent(r, dice)
	case r.has(controltool.CreateAgent):
		w = asOrchestrator(r, dice)
	case r.has(controltool.ReplyToAgent):
		w = aboutQuestion(dice)
	}
	events, finish := []llm.Event{}, llm.ReasonStop
	if w.text != "" {
		events = append(events, llm.Text{Text: w.text})
	}
	for n, c := range w.calls {
		c.ID, finish = fmt.Sprintf("call_%d_%d", dice.Uint32(), n), llm.ReasonToolCalls
		events = append(events, c)
	}
	return append(events, llm.Usage{Input: 300, Output: 10}, llm.Finish{Reason: finish})
}

// clock is what differs in equal requests: times, and ids.
var clock = regexp.MustCompile(`\d\d:\d\d|[a-z0-9]{20}`)

func asOrchestrator(r *request, dice *rand.Rand) words {
	const shop, book = `{"type": "shopper", "title": "A thing to hold", "instruction": "Hold it."}`, `{"type": "booker", "instruction": "Hold it."}`
	concluding := strings.Contains(r.last("user"), "All that was started has ended")
	if concluding && dice.IntN(4) > 0 {
		return words{text: "That is all."}
	}
	asking := r.find(asksNow)
	switch n := dice.IntN(16); {
	case n == 0:
		return words{}
	case n == 1:
		return words{text: "Started 1.", calls: []llm.ToolCall{call("multi_tool_use.parallel", `{"tool_uses": []}`)}}
	case n == 2:
		return words{text: "Started 1.", calls: []llm.ToolCall{call(controltool.CreateAgent, `{"type": "shopper"}`)}}
	case n == 3:
		return words{text: "Started 2.", calls: []llm.ToolCall{call(controltool.CreateAgent, shop), call(controltool.CreateAgent, `{"type": "wizard", "instruction": "Hold it."}`)}}
	case n == 4:
		return words{text: "I told it.", calls: []llm.ToolCall{call(controltool.ReplyToAgent, `{"agent": "A99", "content": "Hurry."}`)}}
	case n == 5:
		return words{text: "Started 1.", calls: []llm.ToolCall{call(controltool.CreateAgent, shop[:20])}}
	case n == 6:
		return words{text: "Started 1.", calls: []llm.ToolCall{call("functions.Create-Agent", shop)}}
	case n == 7:
		return words{calls: []llm.ToolCall{call(checkCalendar, `{"day": "Friday"}`), call("my tool!", `{}`)}}
	case n == 8:
		return words{text: "I look.", calls: []llm.ToolCall{call(checkCalendar, `{"text": "Friday"}`)}}
	case n == 9 && asking != "":
		return words{text: "I pass it on.", calls: []llm.ToolCall{call(controltool.ReplyToAgent, `{"agent": "`+asking+`", "content": "The red one."}`)}}
	case n < 12:
		return words{text: "Started 1.", calls: []llm.ToolCall{call(controltool.CreateAgent, shop)}}
	case n < 14:
		return words{text: "Started 2.", calls: []llm.ToolCall{call(controltool.CreateAgent, shop), call(controltool.CreateAgent, book)}}
	}
	return words{text: "I know that."}
}

var asksNow = regexp.MustCompile(`(A\d+) \| \w+ \| [^|]+ \| waiting`)

func asAgent(r *request, dice *rand.Rand) words {
	end := call(controltool.FinalAnswer, `{"answer": "Nothing was held."}`)
	if strings.Contains(r.text("tool"), toolAnswers[holdItem]) {
		end = call(controltool.FinalAnswer, `{"answer": "`+itIsHeld+`"}`)
	}
	held := call(controltool.FinalAnswer, `{"answer": "`+itIsHeld+`"}`)
	switch dice.IntN(16) {
	case 0:
		return words{}
	case 1:
		return words{calls: []llm.ToolCall{call("multi_tool_use.parallel", `{}`), call("hold everything!", `{"text": "x"}`)}}
	case 2:
		return words{calls: []llm.ToolCall{call(comparePrices, `{"text": `)}}
	case 3:
		return words{text: "Held.", calls: []llm.ToolCall{call(holdItem, `{"item": "scarf", "why": 1}`), held}}
	case 4:
		return words{text: "Held.", calls: []llm.ToolCall{call(holdItem, `{"text": "scarf"}`), held}}
	case 5:
		return words{calls: []llm.ToolCall{held, call("no_such_tool", `{}`)}}
	case 6:
		return words{calls: []llm.ToolCall{call(controltool.FinalAnswer, `{"answer": " "}`)}}
	case 7:
		return words{text: "Nothing was held."}
	case 8:
		return words{calls: []llm.ToolCall{call(controltool.AskUser, `{"question": "Which one?"}`)}}
	case 9:
		return words{calls: []llm.ToolCall{call(controltool.AskUser, `{}`), call(controltool.FinalAnswer, `"`)}}
	case 10:
		return words{calls: []llm.ToolCall{call("Final-Answer", `{"answer": "I cannot.", "outcome": "could not"}`)}}
	case 11, 12:
		return words{calls: []llm.ToolCall{call("hold-item", `{"Text": "scarf"}`)}}
	}
	return words{calls: []llm.ToolCall{end}}
}

// aboutQuestion is what to say when an agent asks, whatever the person said.
func aboutQuestion(dice *rand.Rand) words {
	switch dice.IntN(4) {
	case 0:
		return words{}
	case 1:
		return words{text: "You said so.", calls: []llm.ToolCall{call(controltool.ReplyToAgent, `{"content": "The blue one.", "basedOn": "make it blue"}`)}}
	case 2:
		return words{calls: []llm.ToolCall{call(controltool.ReplyToAgent, `{"content": "The scarf.", "basedOn": "Hold the scarf"}`)}}
	}
	return words{text: "ASK"}
}
