package llmtest

import (
	"fmt"

	"github.com/nestorhq/nestor/internal/llm"
)

// Anthropic is the wire format of the messages API.
var Anthropic = Wire{
	pattern:     "POST /v1/messages",
	contentType: "text/event-stream; charset=utf-8",
	frames: func(events []llm.Event) []string {
		var e anthropicEncoder
		return e.encode(events)
	},
	garbage:  "event: content_block_delta\ndata: {\"type\": \"content_block_delta\", \"delta\n\n",
	overload: `event: error` + "\n" + `data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}` + "\n\n",
	failure: func(turn *Turn) any {
		return object{"type": "error", "error": object{"type": "some_error", "message": turn.Message}}
	},
	pictured: []string{`{
		"type": "tool_result", "tool_use_id": "c1", "is_error": false, "content": [
			{"type": "text", "text": "[a photo]"},
			{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "cG5nMQ=="}}
		]
	}`, `[
		{"type": "text", "text": "[a scan]"},
		{"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "cG5nMg=="}}
	]`},
}

// anthropicEncoder keeps track of the open content block.
type anthropicEncoder struct {
	frames []string
	index  int
	open   string // type of the open block
}

func (e *anthropicEncoder) encode(events []llm.Event) []string {
	usage, _, finish := outcome(events)
	e.send(object{"type": "message_start", "message": object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "test-model", "content": []any{},
		"stop_reason": nil, "stop_sequence": nil,
		"usage": object{
			"input_tokens":                usage.Input - usage.CachedInput - usage.CacheWrite,
			"cache_read_input_tokens":     usage.CachedInput,
			"cache_creation_input_tokens": usage.CacheWrite,
			"output_tokens":               1,
		},
	}})
	e.send(object{"type": "ping"})
	for i, ev := range events {
		e.event(i, ev)
	}
	if finish == "" {
		return e.frames
	}
	e.close()
	e.send(object{
		"type": "message_delta",
		"delta": object{"stop_sequence": nil, "stop_details": anthropicDetails(detail(events)), "stop_reason": map[llm.Reason]string{
			llm.ReasonStop: "end_turn", llm.ReasonToolCalls: "tool_use",
			llm.ReasonLength: "max_tokens", llm.ReasonRefusal: "refusal",
		}[finish]},
		"usage": object{
			"output_tokens":         usage.Output,
			"output_tokens_details": object{"thinking_tokens": usage.Reasoning},
		},
	})
	e.send(object{"type": "message_stop"})
	return e.frames
}

func (e *anthropicEncoder) event(i int, ev llm.Event) {
	switch ev := ev.(type) {
	case llm.Text:
		e.begin("text", object{"type": "text", "text": ""})
		e.delta(object{"type": "text_delta", "text": ev.Text})
	case llm.Reasoning:
		e.reasoning(ev)
	case llm.ToolCall:
		id := ev.ID
		if id == "" {
			id = fmt.Sprintf("toolu_%d", i)
		}
		e.close()
		e.begin("tool_use", object{"type": "tool_use", "id": id, "name": ev.Name, "input": object{}})
		e.delta(object{"type": "input_json_delta", "partial_json": ""})
		for _, piece := range pieces(ev.Arguments) {
			e.delta(object{"type": "input_json_delta", "partial_json": piece})
		}
		e.close()
	}
}

func (e *anthropicEncoder) reasoning(r llm.Reasoning) {
	if r.Redacted != "" {
		e.close()
		e.begin("redacted_thinking", object{"type": "redacted_thinking", "data": r.Redacted})
		e.close()
		return
	}
	e.begin("thinking", object{"type": "thinking", "thinking": "", "signature": ""})
	if r.Text != "" {
		e.delta(object{"type": "thinking_delta", "thinking": r.Text})
	}
	if r.Signature != "" {
		e.delta(object{"type": "signature_delta", "signature": r.Signature})
		e.close()
	}
}

// begin opens a block unless one of that type is open.
func (e *anthropicEncoder) begin(kind string, block object) {
	if e.open == kind {
		return
	}
	e.close()
	e.open = kind
	e.send(object{"type": "content_block_start", "index": e.index, "content_block": block})
}

func (e *anthropicEncoder) delta(delta object) {
	e.send(object{"type": "content_block_delta", "index": e.index, "delta": delta})
}

func (e *anthropicEncoder) close() {
	if e.open == "" {
		return
	}
	e.send(object{"type": "content_block_stop", "index": e.index})
	e.open = ""
	e.index++
}

func (e *anthropicEncoder) send(data object) {
	e.frames = append(e.frames, fmt.Sprintf("event: %s\ndata: %s\n\n", data["type"], encode(data)))
}

func anthropicDetails(detail string) any {
	if detail == "" {
		return nil
	}
	return object{"type": "refusal", "category": nil, "explanation": detail}
}
