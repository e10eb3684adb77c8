package llmtest

import (
	"encoding/base64"
	"encoding/json"
	"net/http"

	"github.com/nestorhq/nestor/internal/llm"
)

// Gemini is the wire format of streamGenerateContent. Arguments are objects
// there, so the ones in a script must be, too.
var Gemini = Wire{
	pattern:     "POST /v1beta/models/{call}",
	contentType: "text/event-stream",
	frames:      geminiFrames,
	garbage:     "data: {\"candidates\": [{\"content\": {\"parts\r\n\r\n",
	overload:    `data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}` + "\r\n\r\n",
	failure:     geminiFailure,
	// Beside the functionResponse parts, in the same content.
	pictured: []string{
		`{"inlineData": {"mimeType": "image/png", "data": "cG5nMQ=="}}`,
		`{"inlineData": {"mimeType": "image/jpeg", "data": "cG5nMg=="}}`,
	},
}

func geminiFrames(events []llm.Event) []string {
	usage, reported, finish := outcome(events)
	var frames []string
	for _, ev := range events {
		if part := geminiPart(ev); part != nil {
			frames = append(frames, geminiChunk([]any{part}, nil, nil))
		}
	}
	if finish == "" {
		return frames
	}
	var counts any
	if reported {
		counts = object{
			"promptTokenCount":        usage.Input,
			"cachedContentTokenCount": usage.CachedInput,
			"candidatesTokenCount":    usage.Output - usage.Reasoning,
			"thoughtsTokenCount":      usage.Reasoning,
			"totalTokenCount":         usage.Input + usage.Output,
		}
	}
	word := map[llm.Reason]string{
		llm.ReasonLength: "MAX_TOKENS", llm.ReasonRefusal: "SAFETY",
	}[finish]
	if word == "" {
		word = "STOP" // also for calls
	}
	return append(frames, geminiChunk([]any{object{"text": ""}}, word, counts))
}

func geminiPart(ev llm.Event) object {
	part := object{}
	signature := ""
	switch ev := ev.(type) {
	case llm.Text:
		part["text"] = ev.Text
	case llm.Reasoning:
		part["text"], part["thought"] = ev.Text, true
		signature = ev.Signature
	case llm.ToolCall:
		call := object{"name": ev.Name}
		if ev.ID != "" {
			call["id"] = ev.ID
		}
		if ev.Arguments != "" {
			call["args"] = json.RawMessage(ev.Arguments)
		}
		part["functionCall"] = call
		signature = ev.Signature
	default:
		return nil
	}
	if signature != "" {
		part["thoughtSignature"] = base64.StdEncoding.EncodeToString([]byte(signature))
	}
	return part
}

func geminiChunk(parts []any, finish, usage any) string {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	if finish != nil {
		candidate["finishReason"] = finish
	}
	chunk := object{"candidates": []any{candidate}, "modelVersion": "test-model", "responseId": "resp-1"}
	if usage != nil {
		chunk["usageMetadata"] = usage
	}
	return "data: " + encode(chunk) + "\r\n\r\n"
}

// geminiFailure does as the real server: a bad key is a bad request with a
// detail, and the wait is a detail, too.
func geminiFailure(turn *Turn) any {
	details := []any{}
	if turn.Status == http.StatusUnauthorized {
		turn.Status = http.StatusBadRequest
		details = append(details, object{
			"@type":  "type.googleapis.com/google.rpc.ErrorInfo",
			"reason": "API_KEY_INVALID",
			"domain": "googleapis.com",
		})
	}
	if wait := turn.Header.Get("Retry-After"); wait != "" {
		turn.Header.Del("Retry-After")
		details = append(details, object{
			"@type":      "type.googleapis.com/google.rpc.RetryInfo",
			"retryDelay": wait + "s",
		})
	}
	return object{"error": object{
		"code": turn.Status, "message": turn.Message, "status": "SOME_STATUS", "details": details,
	}}
}
