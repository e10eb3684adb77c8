package llm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"

	"github.com/nestorhq/nestor"
)

// toolName is what every provider accepts as the name of a tool.
var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

var noParameters = json.RawMessage(`{"type":"object","properties":{}}`)

// parameters are those of tools that were offered.
var parameters checked

// prepare checks a request before it is sent and returns it with its gaps
// filled and its history in a form that every provider takes. It is the last
// guard: a request that would be refused by one provider fails for all of them, in
// the same words and before it costs anything.
func prepare(req *Request) (*Request, error) {
	out := *req
	var err error
	if out.Tools, err = prepareTools(req.Tools); err != nil {
		return nil, err
	}
	if err := checkChoice(req); err != nil {
		return nil, err
	}
	if err := checkMessages(req.Messages); err != nil {
		return nil, err
	}
	out.Messages = sendable(req.Messages, req.Tools)
	return &out, nil
}

// prepareTools copies the tools only if one has a gap.
func prepareTools(tools []Tool) ([]Tool, error) {
	copied := false
	for i := range tools {
		t := tools[i]
		if slices.ContainsFunc(tools[:i], func(before Tool) bool { return before.Name == t.Name }) {
			return nil, nestor.Errorf(nestor.CodeInvalid, "two tools are named %q", t.Name)
		}
		if !toolName.MatchString(t.Name) {
			return nil, nestor.Errorf(nestor.CodeInvalid, "tool name %q does not match %s", t.Name, toolName)
		}
		if t.Description == "" || len(t.Parameters) == 0 {
			if !copied {
				tools, copied = slices.Clone(tools), true
			}
			t.Description = cmp.Or(t.Description, "The tool "+t.Name+".")
			if len(t.Parameters) == 0 {
				t.Parameters = noParameters
			}
			tools[i] = t
		}
		if !parameters.isObject(t.Parameters) {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the parameters of tool %q are not a JSON object", t.Name)
		}
	}
	return tools, nil
}

func checkChoice(req *Request) error {
	switch choice := req.ToolChoice; choice {
	case "", "none":
		return nil
	case "required":
		if len(req.Tools) == 0 {
			return nestor.Errorf(nestor.CodeInvalid, "a tool call is required and there are no tools")
		}
		return nil
	default:
		if !slices.ContainsFunc(req.Tools, func(t Tool) bool { return t.Name == choice }) {
			return nestor.Errorf(nestor.CodeInvalid, "tool choice %q is not one of the tools", choice)
		}
		return nil
	}
}

// checkMessages also pairs tool calls with their results: every call of a
// message is answered before anyone else speaks, and nothing else is answered.
func checkMessages(messages []Message) error {
	if len(messages) == 0 {
		return nestor.Errorf(nestor.CodeInvalid, "the conversation is empty")
	}
	var open []string // ids of calls
	for i, m := range messages {
		if m.Role != RoleTool && len(open) > 0 {
			break
		}
		for _, p := range m.Parts {
			if err := checkPart(m.Role, p); err != nil {
				return err
			}
			switch p := p.(type) {
			case ToolCall:
				if !slices.Contains(open, p.ID) {
					open = append(open, p.ID)
				}
			case ToolResult:
				at := slices.Index(open, p.CallID)
				if at < 0 {
					return nestor.Errorf(nestor.CodeInvalid, "message %d answers %q, which is no open tool call", i, p.CallID)
				}
				open = slices.Delete(open, at, at+1)
			}
		}
	}
	if len(open) > 0 {
		return nestor.Errorf(nestor.CodeInvalid, "tool call %q has no result", open[0])
	}
	return nil
}

func checkPart(role Role, p Part) error {
	allowed := false
	switch p := p.(type) {
	case Text:
		allowed = role == RoleUser || role == RoleAssistant
	case Reasoning:
		allowed = role == RoleAssistant
	case ToolCall:
		if p.ID == "" {
			return nestor.Errorf(nestor.CodeInvalid, "a call of tool %q has no id", p.Name)
		}
		allowed = role == RoleAssistant
	case ToolResult:
		for _, m := range p.Media {
			if err := checkMedia(m); err != nil {
				return err
			}
		}
		allowed = role == RoleTool
	case Media:
		if err := checkMedia(p); err != nil {
			return err
		}
		allowed = role == RoleUser
	}
	if !allowed {
		return nestor.Errorf(nestor.CodeInvalid, "a message of role %q cannot hold %T", role, p)
	}
	return nil
}

func checkMedia(m Media) error {
	if (len(m.Data) == 0) == (m.URL == "") {
		return nestor.Errorf(nestor.CodeInvalid, "media needs either data or a URL")
	}
	if m.MIMEType == "" {
		return nestor.Errorf(nestor.CodeInvalid, "media needs a MIME type")
	}
	return nil
}

// ArgumentsObject returns the arguments of a call as a JSON object, for
// providers that take nothing else back: unchanged if they are one, else
// wrapped so that the model still sees what it sent.
func ArgumentsObject(arguments string) json.RawMessage {
	if isObject([]byte(arguments)) {
		return json.RawMessage(arguments)
	}
	return WrapArguments(arguments)
}

// WrapArguments makes an object of arguments that are none, or that cannot be kept as
// they are.
func WrapArguments(arguments string) json.RawMessage {
	wrapped, err := json.Marshal(map[string]string{malformedArguments: arguments})
	if err != nil {
		panic(err) // a map of strings always encodes
	}
	return wrapped
}

// UnwrapArguments returns the text of arguments that [WrapArguments] wrapped. Others it
// returns as they are.
func UnwrapArguments(object json.RawMessage) string {
	var wrapped map[string]json.RawMessage
	var text string
	if bytes.Contains(object, []byte(malformedArguments)) && json.Unmarshal(object, &wrapped) == nil && len(wrapped) == 1 &&
		json.Unmarshal(wrapped[malformedArguments], &text) == nil {
		return text
	}
	return string(object)
}

const malformedArguments = "malformed_arguments"

func isObject(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) && json.Valid(text)
}
