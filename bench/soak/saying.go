package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// saying is what the model says to one request.
type saying struct {
	kind  string // worker, orchestrator or other
	agent string // the key of an agent
	about string // what else tells the request from others
	step  int
	text  string
	calls []call
	turns int // messages of the request
}

type call struct {
	name string
	args map[string]string
}

// id is the same for every attempt at a request.
func (s *saying) id() string { return fmt.Sprintf("%s %s%s/%d", s.kind, s.agent, s.about, s.step) }

var (
	plan   = regexp.MustCompile(`\[\[k=(\S+) do=(\S*)\]\]`)
	wish   = regexp.MustCompile(`\[\[m=(\S+?)( agent=(\S+))?( reply=(\S+))?\]\]`)
	doneIt = regexp.MustCompile(`ok\((\S+?)\)`)
)

// reply decides what to say.
func (c *conversation) reply() *saying {
	system := text(c.Messages[0].Content)
	said := &saying{turns: len(c.Messages)}
	last := text(c.Messages[len(c.Messages)-1].Content)
	switch {
	case strings.Contains(system, workerMark):
		said.kind = "worker"
		c.work(said)
	case strings.Contains(system, "You are the orchestrator"):
		said.kind = "orchestrator"
		c.answer(said)
	default:
		said.kind, said.about, said.text = "other", excerpt(last), "As you wish."
	}
	return said
}

func excerpt(text string) string { return fmt.Sprint(chance(0, text, 1<<40)) }

// work is the next act of an agent's plan, or its end. Each act is a call, so as
// many acts are done as there are turns with calls.
func (c *conversation) work(said *saying) {
	var acts []string
	for _, m := range c.Messages {
		if found := plan.FindStringSubmatch(text(m.Content)); found != nil && said.agent == "" {
			said.agent, acts = found[1], strings.Split(found[2], ",")
		}
		if m.Role == "assistant" && len(m.Calls) > 0 {
			said.step++
		}
	}
	said.text = fmt.Sprintf("Step %d of %s.", said.step, said.agent)
	if said.step >= len(acts) {
		said.about = fmt.Sprint(" end ", said.turns) // somebody may have spoken to it at its end
		said.calls = []call{{"final_answer", map[string]string{"answer": "Done: " + said.agent}}}
		return
	}
	work := map[string]string{"work": fmt.Sprintf("%s/%d", said.agent, said.step)}
	switch act := acts[said.step]; act {
	case "both":
		said.calls = []call{{"bump", work}, {"post", work}}
	case "calc":
		said.calls = []call{{"calculator", map[string]string{"expression": "6*7"}}}
	case "ask":
		said.calls = []call{{"ask_user", map[string]string{"question": "Shall " + said.agent + " go on?"}}}
	case "nest":
		child := fmt.Sprintf("%s.%d", said.agent, said.step)
		said.calls = []call{{"create_agent", map[string]string{"type": "worker", "instruction": "[[k=" + child + " do=bump,post]] Work."}}}
	case "wrong":
		said.calls = []call{{"no_such_tool", work}}
	default:
		said.calls = []call{{act, work}}
	}
}

// answer does what people wished for and no earlier reply has dealt with. A reply
// that was interrupted has no calls and lacks its last words.
func (c *conversation) answer(said *saying) {
	dealt := map[string]bool{}
	for _, m := range c.Messages {
		if m.Role != "assistant" {
			continue
		}
		words := text(m.Content)
		for _, call := range m.Calls {
			words += call.Function.Arguments
		}
		for _, found := range doneIt.FindAllStringSubmatch(words, -1) {
			dealt[found[1]] = true
		}
	}
	var words []string
	for _, m := range c.Messages {
		if m.Role != "user" {
			continue
		}
		for _, found := range wish.FindAllStringSubmatch(text(m.Content), -1) {
			key, acts, agent := found[1], found[3], found[5]
			if dealt[key] {
				continue
			}
			dealt[key] = true
			said.about += " " + key
			ok := "ok(" + key + ")"
			switch {
			case acts != "":
				said.calls = append(said.calls, call{"create_agent", map[string]string{"type": "worker", "instruction": "[[k=" + key + " do=" + acts + "]] Work. " + ok}})
			case agent != "":
				said.calls = append(said.calls, call{"reply_to_agent", map[string]string{"subAgentId": agent, "content": "Yes, go on. " + ok}})
			default:
				words = append(words, ok)
			}
		}
	}
	said.step = said.turns
	said.text = strings.TrimSpace("I see to it. " + strings.Join(words, " "))
}

// chunks are the events of a stream.
func (s *saying) chunks() []string {
	chunk := func(delta any, reason any) string {
		return encode(map[string]any{
			"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1763160000, "model": "soak-1",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": reason}},
		})
	}
	list := []string{chunk(map[string]any{"role": "assistant", "content": ""}, nil)}
	for words := s.text; words != ""; {
		piece, rest, _ := strings.Cut(words, " ")
		if rest != "" {
			piece += " "
		}
		list, words = append(list, chunk(map[string]any{"content": piece}, nil)), rest
	}
	reason := "stop"
	for i, c := range s.calls {
		reason = "tool_calls"
		list = append(list, chunk(map[string]any{"tool_calls": []any{map[string]any{
			"index": i, "id": fmt.Sprintf("call_%d_%d", s.step, i), "type": "function",
			"function": map[string]any{"name": c.name, "arguments": encode(c.args)},
		}}}, nil))
	}
	list = append(list, chunk(map[string]any{}, reason))
	in, out := s.usage()
	return append(list, encode(map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1763160000, "model": "soak-1", "choices": []any{},
		"usage": map[string]any{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out},
	}))
}

// usage is less than anybody would expect.
func (s *saying) usage() (in, out int) { return 50 + 10*s.turns, 20 + len(s.calls) }

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of texts and numbers always encode
	}
	return string(b)
}
