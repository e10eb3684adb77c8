package gemini

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/nestorhq/nestor/internal/llm"
)

// body is a request as JSON.
func (m *Model) body(req *llm.Request) ([]byte, error) {
	contents, err := m.contents(req.Messages)
	if err != nil {
		return nil, err
	}
	r := request{
		Contents: contents,
		GenerationConfig: &generationConfig{
			MaxOutputTokens: min(req.MaxTokens, 1<<30), Temperature: req.Temperature, ThinkingConfig: m.thinking,
		},
	}
	if *r.GenerationConfig == (generationConfig{}) {
		r.GenerationConfig = nil
	}
	if req.System != "" {
		r.SystemInstruction = &content{Role: roleUser, Parts: []part{{Text: req.System}}}
	}
	if len(req.Tools) > 0 {
		r.Tools = []toolSet{{declarations(req.Tools)}}
	}
	if req.ToolChoice != "" {
		r.ToolConfig = &toolConfig{toolChoice(req.ToolChoice)}
	}
	text, err := llm.EncodeJSON(r)
	if err != nil || len(m.extra) == 0 {
		return text, err
	}
	return merge(text, []byte("{"+string(m.extra)+"}"))
}

// merge adds the fields of an object to another. Objects that both have are
// merged, too, so that an extra setting leaves those beside it.
func merge(object, extra json.RawMessage) (json.RawMessage, error) {
	var fields, more map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil || json.Unmarshal(extra, &more) != nil || fields == nil || more == nil {
		return extra, nil // one of them is not an object
	}
	for name, value := range more {
		merged, err := merge(fields[name], value)
		if err != nil {
			return nil, err
		}
		fields[name] = merged
	}
	return llm.EncodeJSON(fields)
}

func declarations(tools []llm.Tool) []declaration {
	list := make([]declaration, len(tools))
	for i, t := range tools {
		list[i] = declaration{Name: t.Name, Description: t.Description, ParametersJSONSchema: t.Parameters}
	}
	return list
}

func toolChoice(choice string) callingConfig {
	switch choice {
	case "none":
		return callingConfig{Mode: "NONE"}
	case "required":
		return callingConfig{Mode: "ANY"}
	default:
		return callingConfig{Mode: "ANY", AllowedFunctionNames: []string{choice}}
	}
}

// Who speaks. Results of calls are what the user says.
const (
	roleUser  = "user"
	roleModel = "model"
)

// contents encodes the conversation. The results of parallel calls go into one
// content, as the API demands.
func (m *Model) contents(messages []llm.Message) ([]content, error) {
	var out []content
	var before llm.Role
	names := map[string]string{}
	for _, msg := range messages {
		parts, err := m.parts(msg.Parts, names)
		if err != nil {
			return nil, err
		}
		if len(parts) == 0 {
			continue
		}
		if msg.Role == llm.RoleTool && before == llm.RoleTool {
			last := &out[len(out)-1]
			last.Parts = append(last.Parts, parts...)
			continue
		}
		role := roleUser
		if msg.Role == llm.RoleAssistant {
			role = roleModel
			m.signCalls(parts)
		}
		out = append(out, content{Role: role, Parts: parts})
		before = msg.Role
	}
	return out, nil
}

// parts encodes one turn. It keeps the names of the calls by their ids, since
// results need them.
func (m *Model) parts(parts []llm.Part, names map[string]string) ([]part, error) {
	var out []part
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			if p.Text != "" {
				out = append(out, part{Text: p.Text})
			}
		case llm.Reasoning:
			out = m.appendReasoning(out, p)
		case llm.ToolCall:
			names[p.ID] = p.Name
			out = append(out, m.toolCall(p))
		case llm.ToolResult:
			out = append(out, toolResult(p, names[p.CallID]))
			// The format has no place for media in a response: they stand right behind
			// it, so that the model can tell to which result they belong.
			for _, m := range p.Media {
				shown, err := media(m)
				if err != nil {
					return nil, err
				}
				out = append(out, shown)
			}
		case llm.Media:
			shown, err := media(p)
			if err != nil {
				return nil, err
			}
			out = append(out, shown)
		}
	}
	return out, nil
}

// appendReasoning sends back what this model signed. A signature without text
// belongs to the text before it; the API takes no part that is a signature
// alone.
func (m *Model) appendReasoning(parts []part, r llm.Reasoning) []part {
	signature, ok := llm.Unseal(m.owner, r.Signature)
	if !ok {
		return parts
	}
	if r.Text != "" {
		return append(parts, part{Text: r.Text, Thought: true, ThoughtSignature: signature})
	}
	if len(parts) > 0 && parts[len(parts)-1].Text != "" {
		parts[len(parts)-1].ThoughtSignature = signature
	}
	return parts
}

func (m *Model) toolCall(call llm.ToolCall) part {
	args := llm.ArgumentsObject(call.Arguments)
	if strings.Trim(string(args), "{} \t\r\n") == "" {
		args = nil
	}
	p := part{FunctionCall: &functionCall{ID: llm.AnyID.WireID(call.ID, call.ProviderID), Name: call.Name, Args: args}}
	if signature, ok := llm.Unseal(m.owner, call.Signature); ok {
		p.ThoughtSignature = signature
	}
	return p
}

// unsigned is Google's documented signature for calls that this model did not
// make itself.
var unsigned = base64.StdEncoding.EncodeToString([]byte("skip_thought_signature_validator"))

// signCalls marks the first call of a turn as unsigned if no call is signed:
// from Gemini 3 on the API rejects such turns, which come from other models.
func (m *Model) signCalls(parts []part) {
	if strings.HasPrefix(m.name, "gemini-1") || strings.HasPrefix(m.name, "gemini-2") {
		return
	}
	var first *part
	for i := range parts {
		p := &parts[i]
		if p.FunctionCall == nil {
			continue
		}
		if p.ThoughtSignature != "" {
			return
		}
		if first == nil {
			first = p
		}
	}
	if first != nil {
		first.ThoughtSignature = unsigned
	}
}

func toolResult(r llm.ToolResult, name string) part {
	key := "output"
	if r.IsError {
		key = "error"
	}
	return part{FunctionResponse: &functionResponse{
		ID:       llm.AnyID.WireID(r.CallID, r.ProviderID),
		Name:     name,
		Response: map[string]string{key: r.Content},
	}}
}
