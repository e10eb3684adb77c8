package openai

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

func (m *Model) params(req *llm.Request) (openai.ChatCompletionNewParams, error) {
	p := openai.ChatCompletionNewParams{
		Model:           m.name,
		ReasoningEffort: shared.ReasoningEffort(m.effort),
		StreamOptions:   openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
		ToolChoice:      toolChoice(req.ToolChoice),
	}
	if req.MaxTokens > 0 {
		if m.official {
			p.MaxCompletionTokens = openai.Int(int64(req.MaxTokens))
		} else {
			p.MaxTokens = openai.Int(int64(req.MaxTokens))
		}
	}
	if req.Temperature != nil {
		p.Temperature = openai.Float(*req.Temperature)
	}
	for _, t := range req.Tools {
		tool, err := encodeTool(t)
		if err != nil {
			return p, err
		}
		p.Tools = append(p.Tools, tool)
	}
	if req.System != "" {
		p.Messages = append(p.Messages, openai.SystemMessage(req.System))
	}
	for _, msg := range req.Messages {
		messages, err := m.messages(msg)
		if err != nil {
			return p, err
		}
		p.Messages = append(p.Messages, messages...)
	}
	return p, nil
}

func toolChoice(choice string) openai.ChatCompletionToolChoiceOptionUnionParam {
	switch choice {
	case "":
		return openai.ChatCompletionToolChoiceOptionUnionParam{}
	case "none", "required":
		return openai.ChatCompletionToolChoiceOptionUnionParam{OfAuto: openai.String(choice)}
	default:
		return openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: choice})
	}
}

func encodeTool(t llm.Tool) (openai.ChatCompletionToolUnionParam, error) {
	// Raw values keep the order of the properties, which models notice.
	var schema map[string]json.RawMessage
	if err := json.Unmarshal(t.Parameters, &schema); err != nil {
		return openai.ChatCompletionToolUnionParam{}, nestor.Errorf(nestor.CodeInvalid, "parameters of tool %q: %w", t.Name, err)
	}
	parameters := make(shared.FunctionParameters, len(schema))
	for key, value := range schema {
		parameters[key] = value
	}
	return openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
		Name:        t.Name,
		Description: openai.String(t.Description),
		Parameters:  parameters,
	}), nil
}

// messages encodes one turn, which is several messages when it holds the
// results of several calls.
func (m *Model) messages(msg llm.Message) ([]openai.ChatCompletionMessageParamUnion, error) {
	switch msg.Role {
	case llm.RoleAssistant:
		return m.assistant(msg.Parts), nil
	case llm.RoleTool:
		return toolResults(msg.Parts), nil
	default:
		return user(msg.Parts)
	}
}

func toolResults(parts []llm.Part) []openai.ChatCompletionMessageParamUnion {
	var out []openai.ChatCompletionMessageParamUnion
	for _, p := range parts {
		if result, ok := p.(llm.ToolResult); ok {
			content := result.Content
			if result.IsError { // the format has no field for it
				content = "Error: " + content
			}
			out = append(out, openai.ToolMessage(content, result.CallID))
		}
	}
	return out
}

func (m *Model) assistant(parts []llm.Part) []openai.ChatCompletionMessageParamUnion {
	var text, reasoning strings.Builder
	var out openai.ChatCompletionAssistantMessageParam
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			text.WriteString(p.Text)
		case llm.Reasoning:
			reasoning.WriteString(p.Text)
		case llm.ToolCall:
			out.ToolCalls = append(out.ToolCalls, m.toolCall(p))
		}
	}
	if text.Len() == 0 && len(out.ToolCalls) == 0 {
		return nil
	}
	if text.Len() > 0 {
		out.Content.OfString = openai.String(text.String())
	}
	if m.replayReasoning && reasoning.Len() > 0 {
		out.SetExtraFields(map[string]any{"reasoning_content": reasoning.String()})
	}
	return []openai.ChatCompletionMessageParamUnion{{OfAssistant: &out}}
}

func (m *Model) toolCall(call llm.ToolCall) openai.ChatCompletionMessageToolCallUnionParam {
	arguments := call.Arguments
	if !m.official {
		// Chat templates of compatible servers parse the arguments, and would
		// fail every further turn over malformed ones.
		arguments = string(llm.ArgumentsObject(arguments))
	}
	return openai.ChatCompletionMessageToolCallUnionParam{
		OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
			ID: call.ID,
			Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{
				Name:      call.Name,
				Arguments: arguments,
			},
		},
	}
}

func user(parts []llm.Part) ([]openai.ChatCompletionMessageParamUnion, error) {
	if len(parts) == 1 {
		if text, ok := parts[0].(llm.Text); ok {
			return []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text.Text)}, nil
		}
	}
	var content []openai.ChatCompletionContentPartUnionParam
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			content = append(content, openai.TextContentPart(p.Text))
		case llm.Media:
			part, err := media(p)
			if err != nil {
				return nil, err
			}
			content = append(content, part)
		}
	}
	if len(content) == 0 {
		return nil, nil
	}
	return []openai.ChatCompletionMessageParamUnion{openai.UserMessage(content)}, nil
}

func media(m llm.Media) (openai.ChatCompletionContentPartUnionParam, error) {
	inline := base64.StdEncoding.EncodeToString(m.Data)
	dataURL := "data:" + m.MIMEType + ";base64," + inline
	switch {
	case strings.HasPrefix(m.MIMEType, "image/"):
		address := m.URL
		if address == "" {
			address = dataURL
		}
		return openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: address}), nil
	case m.URL != "":
		return openai.ChatCompletionContentPartUnionParam{},
			nestor.Errorf(nestor.CodeInvalid, "openai takes only images by URL, not %s", m.MIMEType)
	case m.MIMEType == "application/pdf":
		name := m.Name
		if name == "" {
			name = "document.pdf"
		}
		return openai.FileContentPart(openai.ChatCompletionContentPartFileFileParam{
			FileData: openai.String(dataURL),
			Filename: openai.String(name),
		}), nil
	case m.MIMEType == "audio/wav" || m.MIMEType == "audio/mpeg":
		format := map[string]string{"audio/wav": "wav", "audio/mpeg": "mp3"}[m.MIMEType]
		return openai.InputAudioContentPart(openai.ChatCompletionContentPartInputAudioInputAudioParam{
			Data: inline, Format: format,
		}), nil
	default:
		return openai.ChatCompletionContentPartUnionParam{},
			nestor.Errorf(nestor.CodeInvalid, "openai takes images, PDF and audio files, not %s", m.MIMEType)
	}
}
