package gemini

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"google.golang.org/genai"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

func (m *Model) config(req *llm.Request) *genai.GenerateContentConfig {
	c := &genai.GenerateContentConfig{
		MaxOutputTokens: int32(min(req.MaxTokens, 1<<30)),
		ThinkingConfig:  m.thinking,
		// Continuing is sending again, and that is for the caller to decide.
		AutomaticContinuation: genai.Ptr(false),
	}
	if len(m.extra) > 0 {
		c.HTTPOptions = &genai.HTTPOptions{ExtraBody: m.extra}
	}
	if req.System != "" {
		c.SystemInstruction = &genai.Content{Parts: []*genai.Part{{Text: req.System}}}
	}
	if req.Temperature != nil {
		c.Temperature = genai.Ptr(float32(*req.Temperature))
	}
	if len(req.Tools) > 0 {
		declarations := make([]*genai.FunctionDeclaration, len(req.Tools))
		for i, t := range req.Tools {
			declarations[i] = &genai.FunctionDeclaration{
				Name:                 t.Name,
				Description:          t.Description,
				ParametersJsonSchema: t.Parameters,
			}
		}
		c.Tools = []*genai.Tool{{FunctionDeclarations: declarations}}
	}
	if req.ToolChoice != "" {
		c.ToolConfig = &genai.ToolConfig{FunctionCallingConfig: toolChoice(req.ToolChoice)}
	}
	return c
}

func toolChoice(choice string) *genai.FunctionCallingConfig {
	switch choice {
	case "none":
		return &genai.FunctionCallingConfig{Mode: genai.FunctionCallingConfigModeNone}
	case "required":
		return &genai.FunctionCallingConfig{Mode: genai.FunctionCallingConfigModeAny}
	default:
		return &genai.FunctionCallingConfig{
			Mode:                 genai.FunctionCallingConfigModeAny,
			AllowedFunctionNames: []string{choice},
		}
	}
}

// contents encodes the conversation. The results of parallel calls go into one
// content, as the API demands.
func (m *Model) contents(messages []llm.Message) ([]*genai.Content, error) {
	var out []*genai.Content
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
			last := out[len(out)-1]
			last.Parts = append(last.Parts, parts...)
			continue
		}
		role := genai.RoleUser
		if msg.Role == llm.RoleAssistant {
			role = genai.RoleModel
			m.signCalls(parts)
		}
		out = append(out, &genai.Content{Role: role, Parts: parts})
		before = msg.Role
	}
	return out, nil
}

// parts encodes one turn. It keeps the names of the calls by their ids, since
// results need them.
func (m *Model) parts(parts []llm.Part, names map[string]string) ([]*genai.Part, error) {
	var out []*genai.Part
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			if p.Text != "" {
				out = append(out, &genai.Part{Text: p.Text})
			}
		case llm.Reasoning:
			out = m.appendReasoning(out, p)
		case llm.ToolCall:
			part, err := m.toolCall(p)
			if err != nil {
				return nil, err
			}
			names[p.ID] = p.Name
			out = append(out, part)
		case llm.ToolResult:
			out = append(out, toolResult(p, names[p.CallID]))
		case llm.Media:
			part, err := media(p)
			if err != nil {
				return nil, err
			}
			out = append(out, part)
		}
	}
	return out, nil
}

// appendReasoning sends back what is signed by this model. A signature without
// text belongs to the text before it; the API takes no part that is only that.
func (m *Model) appendReasoning(parts []*genai.Part, r llm.Reasoning) []*genai.Part {
	signature := m.signature(r.Signature)
	if signature == nil {
		return parts
	}
	if r.Text != "" {
		return append(parts, &genai.Part{Text: r.Text, Thought: true, ThoughtSignature: signature})
	}
	if len(parts) > 0 && parts[len(parts)-1].Text != "" {
		parts[len(parts)-1].ThoughtSignature = signature
	}
	return parts
}

func (m *Model) signature(sealed string) []byte {
	encoded, ok := llm.Unseal(m.owner, sealed)
	if !ok {
		return nil
	}
	signature, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil
	}
	return signature
}

func (m *Model) toolCall(call llm.ToolCall) (*genai.Part, error) {
	var args map[string]any
	if err := json.Unmarshal(llm.ArgumentsObject(call.Arguments), &args); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "arguments of call %q: %w", call.ID, err)
	}
	return &genai.Part{
		FunctionCall:     &genai.FunctionCall{ID: llm.AnyID.WireID(call.ID, call.ProviderID), Name: call.Name, Args: args},
		ThoughtSignature: m.signature(call.Signature),
	}, nil
}

// unsigned is Google's documented signature for calls that this model did not
// make itself.
const unsigned = "skip_thought_signature_validator"

// signCalls marks the first call of a turn as unsigned if no call is signed:
// from Gemini 3 on the API rejects such turns, which come from other models.
func (m *Model) signCalls(parts []*genai.Part) {
	if strings.HasPrefix(m.name, "gemini-1") || strings.HasPrefix(m.name, "gemini-2") {
		return
	}
	var first *genai.Part
	for _, p := range parts {
		if p.FunctionCall == nil {
			continue
		}
		if p.ThoughtSignature != nil {
			return
		}
		if first == nil {
			first = p
		}
	}
	if first != nil {
		first.ThoughtSignature = []byte(unsigned)
	}
}

func toolResult(r llm.ToolResult, name string) *genai.Part {
	key := "output"
	if r.IsError {
		key = "error"
	}
	return &genai.Part{FunctionResponse: &genai.FunctionResponse{
		ID:       llm.AnyID.WireID(r.CallID, r.ProviderID),
		Name:     name,
		Response: map[string]any{key: r.Content},
	}}
}

func media(m llm.Media) (*genai.Part, error) {
	kind, _, _ := strings.Cut(m.MIMEType, "/")
	switch {
	case kind != "image" && kind != "audio" && kind != "video" && kind != "text" && m.MIMEType != "application/pdf":
		return nil, nestor.Errorf(nestor.CodeInvalid,
			"gemini takes images, audio, video, text and PDF files, not %s", m.MIMEType)
	case m.URL != "":
		return &genai.Part{FileData: &genai.FileData{FileURI: m.URL, MIMEType: m.MIMEType}}, nil
	default:
		return &genai.Part{InlineData: &genai.Blob{Data: m.Data, MIMEType: m.MIMEType}}, nil
	}
}
