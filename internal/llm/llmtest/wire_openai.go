package llmtest

import "github.com/nestorhq/nestor/internal/llm"

// OpenAI is the wire format of chat completions. Reasoning is sent as
// compatible servers do, in the field reasoning_content.
var OpenAI = Wire{
	pattern:     "POST /v1/chat/completions",
	base:        "/v1",
	contentType: "text/event-stream; charset=utf-8",
	frames:      openAIFrames,
	garbage:     "data: {\"id\": \"chatcmpl-1\", \"choices\": [{\"delta\"\n\n",
	overload:    `data: {"error":{"message":"The server is overloaded","type":"server_error","code":null}}` + "\n\n",
	failure: func(turn *Turn) any {
		return object{"error": object{"message": turn.Message, "type": "some_error", "param": nil, "code": nil}}
	},
	// Results are text alone, and nothing may come between those of one turn.
	pictured: []string{`[
		{"role": "user", "content": "What do you see?"},
		{"role": "assistant", "tool_calls": [
			{"id": "c1", "type": "function", "function": {"name": "shoot", "arguments": "{}"}},
			{"id": "c2", "type": "function", "function": {"name": "scan", "arguments": "{}"}}
		]},
		{"role": "tool", "tool_call_id": "c1", "content": "[a photo]"},
		{"role": "tool", "tool_call_id": "c2", "content": "[a scan]"},
		{"role": "user", "content": [
			{"type": "text", "text": "Attached to the result of shoot:"},
			{"type": "image_url", "image_url": {"url": "data:image/png;base64,cG5nMQ=="}},
			{"type": "text", "text": "Attached to the result of scan:"},
			{"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,cG5nMg=="}}
		]}
	]`},
}

func openAIFrames(events []llm.Event) []string {
	usage, reported, finish := outcome(events)
	frames := []string{openAIDelta(object{"role": "assistant", "content": ""}, nil)}
	var calls []llm.ToolCall
	for _, ev := range events {
		switch ev := ev.(type) {
		case llm.Text:
			field := "content"
			if finish == llm.ReasonRefusal {
				field = "refusal"
			}
			frames = append(frames, openAIDelta(object{field: ev.Text}, nil))
		case llm.Reasoning:
			frames = append(frames, openAIDelta(object{"reasoning_content": ev.Text}, nil))
		case llm.ToolCall:
			calls = append(calls, ev)
		}
	}
	frames = append(frames, openAICalls(calls)...)
	if finish == "" {
		return frames
	}
	word := map[llm.Reason]string{
		llm.ReasonToolCalls: "tool_calls", llm.ReasonLength: "length",
	}[finish]
	if word == "" {
		word = "stop"
	}
	frames = append(frames, openAIDelta(object{}, word))
	if reported {
		frames = append(frames, openAIChunk([]any{}, object{
			"prompt_tokens":     usage.Input,
			"completion_tokens": usage.Output,
			"total_tokens":      usage.Input + usage.Output,
			"prompt_tokens_details": object{
				"cached_tokens": usage.CachedInput, "cache_write_tokens": usage.CacheWrite, "audio_tokens": 0,
			},
			"completion_tokens_details": object{"reasoning_tokens": usage.Reasoning, "audio_tokens": 0},
		}))
	}
	return append(frames, "data: [DONE]\n\n")
}

// openAICalls sends the heads of all calls first and their arguments in turns.
func openAICalls(calls []llm.ToolCall) []string {
	var frames []string
	var arguments [][]string
	for i, call := range calls {
		head := object{
			"index": i, "type": "function",
			"function": object{"name": call.Name, "arguments": ""},
		}
		if call.ID != "" {
			head["id"] = call.ID
		}
		frames = append(frames, openAIDelta(object{"tool_calls": []any{head}}, nil))
		arguments = append(arguments, pieces(call.Arguments))
	}
	for sent := true; sent; {
		sent = false
		for i := range arguments {
			if len(arguments[i]) == 0 {
				continue
			}
			piece := object{"index": i, "function": object{"arguments": arguments[i][0]}}
			frames = append(frames, openAIDelta(object{"tool_calls": []any{piece}}, nil))
			arguments[i] = arguments[i][1:]
			sent = true
		}
	}
	return frames
}

func openAIDelta(delta object, finish any) string {
	return openAIChunk([]any{object{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}}, nil)
}

func openAIChunk(choices []any, usage any) string {
	return "data: " + encode(object{
		"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1763160000, "model": "test-model",
		"system_fingerprint": "fp_1", "choices": choices, "usage": usage,
	}) + "\n\n"
}
