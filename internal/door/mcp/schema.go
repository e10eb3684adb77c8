package mcp

import (
	"bytes"
	"encoding/json"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool"
)

// arguments are what a tool or a prompt takes: a schema that clients see, and by which
// each call is checked.
func arguments(schema string) *tool.Tool {
	t, err := tool.New(tool.Spec{Parameters: json.RawMessage(schema)}, nil)
	if err != nil {
		panic(err)
	}
	return t
}

// decode reads arguments. Clients that write each argument give null for those that
// they leave out.
func decode[T any](of *tool.Tool, args json.RawMessage) (v T, err error) {
	var given map[string]json.RawMessage
	if json.Unmarshal(args, &given) == nil {
		for name, value := range given {
			if bytes.Equal(value, []byte("null")) {
				delete(given, name)
			}
		}
		if args, err = json.Marshal(given); err != nil {
			return v, err
		}
	}
	if err := of.Check(string(args)); err != nil {
		return v, err
	}
	if err := json.Unmarshal(args, &v); err != nil {
		return v, nestor.Errorf(nestor.CodeInvalid, "invalid arguments: %w", err)
	}
	return v, nil
}

// The arguments of tools and prompts.
var (
	askArguments = arguments(`{
  "type": "object",
  "properties": {
    "message": {"type": "string", "minLength": 1, "description": "What to say."},
    "thread": {"type": "string", "maxLength": 200, "description": "The conversation to say it in: the thread of an earlier result, or any name of your own. Defaults to a new one."},
    "idempotencyKey": {"type": "string", "maxLength": 200, "description": "A call with the same key and thread says the message once, and finds its run again."},
    "wait": {"type": "integer", "minimum": 0, "maximum": 86400, "description": "How many seconds to wait for the end of the run at most. Defaults to as long as it takes."}
  },
  "required": ["message"],
  "additionalProperties": false
}`)
	statusArguments = arguments(`{
  "type": "object",
  "properties": {
    "runId": {"type": "string", "description": "The id of the run."},
    "wait": {"type": "integer", "minimum": 0, "maximum": 86400, "description": "How many seconds to wait until the run has ended or waits for somebody. Defaults to 0."}
  },
  "required": ["runId"],
  "additionalProperties": false
}`)
	cancelArguments = arguments(`{
  "type": "object",
  "properties": {"runId": {"type": "string", "description": "The id of the run."}},
  "required": ["runId"],
  "additionalProperties": false
}`)
	answerArguments = arguments(`{
  "type": "object",
  "properties": {
    "runId": {"type": "string", "description": "The id of the run."},
    "id": {"type": "string", "description": "Which of several things that the run waits for, by the id in its result."},
    "answer": {"type": "string", "description": "The answer to a question; for a decision its reason, or the result of a call."},
    "decision": {"type": "string", "enum": ["approve", "deny", "result", "fail", "retry", "done", "skip"], "description": "About a call of a tool: approve or deny one that waits for approval; result or fail for one that the client of its chat runs; retry, done or skip for one of which nobody knows whether it took effect."},
    "wait": {"type": "integer", "minimum": 0, "maximum": 86400, "description": "How many seconds to wait for the end of the run at most. Defaults to as long as it takes."}
  },
  "required": ["runId"],
  "additionalProperties": false
}`)
	promptArguments = arguments(`{
  "type": "object",
  "properties": {
    "message": {"type": "string", "minLength": 1, "description": "What to ask."},
    "thread": {"type": "string", "description": "The conversation to go on with."}
  },
  "required": ["message"],
  "additionalProperties": false
}`)
)

// outcomeSchema is what all tools return.
var outcomeSchema = json.RawMessage(`{
  "type": "object",
  "properties": {
    "runId": {"type": "string"},
    "thread": {"type": "string", "description": "To go on in the same conversation."},
    "status": {"type": "string", "enum": ["running", "waiting", "success", "failed", "cancelled"]},
    "text": {"type": "string", "description": "What came of it."},
    "waitingFor": {"type": "array", "items": {
      "type": "object",
      "properties": {
        "id": {"type": "string"},
        "kind": {"type": "string", "enum": ["question", "approval", "unknown", "result", "resume"]},
        "text": {"type": "string"},
        "role": {"type": "string"},
        "tool": {"type": "string"},
        "arguments": {}
      },
      "required": ["id", "kind", "text"]
    }},
    "errors": {"type": "array", "items": {"type": "string"}},
    "inputTokens": {"type": "integer"},
    "outputTokens": {"type": "integer"},
    "costMicros": {"type": "integer"},
    "error": {"type": "object", "properties": {"code": {"type": "string"}, "message": {"type": "string"}}, "description": "Why the call was refused. Nothing else is there then."}
  }
}`)
