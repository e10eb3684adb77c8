package openai

import (
	"cmp"
	"encoding/base64"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

func (m *Model) request(req *llm.Request) (*request, error) {
	r := &request{
		Model:           m.name,
		Messages:        make([]message, 0, len(req.Messages)+1),
		ToolChoice:      toolChoice(req.ToolChoice),
		Temperature:     req.Temperature,
		ReasoningEffort: m.effort,
		Stream:          true,
		StreamOptions:   streamOptions{IncludeUsage: true},
	}
	if m.official {
		r.MaxCompletionTokens = req.MaxTokens
	} else {
		r.MaxTokens = req.MaxTokens
	}
	for _, t := range req.Tools {
		r.Tools = append(r.Tools, tool{"function", function{t.Name, t.Description, t.Parameters}})
	}
	if req.System != "" {
		r.Messages = append(r.Messages, message{Role: "system", Content: req.System})
	}
	for _, msg := range req.Messages {
		var err error
		switch msg.Role {
		case llm.RoleAssistant:
			r.assistant(m, msg.Parts)
		case llm.RoleTool:
			r.results(msg.Parts)
		default:
			err = r.user(msg.Parts)
		}
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

func toolChoice(choice string) any {
	switch choice {
	case "":
		return nil
	case "none", "required":
		return choice
	default:
		return tool{"function", function{Name: choice}}
	}
}

// results adds a message for each, though they came in one turn.
func (r *request) results(parts []llm.Part) {
	for _, p := range parts {
		if result, ok := p.(llm.ToolResult); ok {
			content := result.Content
			if result.IsError { // the format has no field for it
				content = "Error: " + content
			}
			r.Messages = append(r.Messages, message{Role: "tool", Content: content, ToolCallID: result.CallID})
		}
	}
}

func (r *request) assistant(m *Model, parts []llm.Part) {
	var text, reasoning strings.Builder
	out := message{Role: "assistant"}
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
	if text.Len() > 0 {
		out.Content = text.String()
	}
	if m.replayReasoning {
		out.ReasoningContent = reasoning.String()
	}
	if out.Content != nil || out.ToolCalls != nil {
		r.Messages = append(r.Messages, out)
	}
}

func (m *Model) toolCall(c llm.ToolCall) call {
	arguments := c.Arguments
	if !m.official {
		// Chat templates of compatible servers parse the arguments, and would
		// fail every further turn over malformed ones.
		arguments = string(llm.ArgumentsObject(arguments))
	}
	return call{ID: c.ID, Type: "function", Function: functionCall{c.Name, arguments}}
}

func (r *request) user(parts []llm.Part) error {
	if len(parts) == 1 {
		if text, ok := parts[0].(llm.Text); ok {
			r.Messages = append(r.Messages, message{Role: "user", Content: text.Text})
			return nil
		}
	}
	var content []part
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			content = append(content, part{Type: "text", Text: p.Text})
		case llm.Media:
			piece, err := media(p)
			if err != nil {
				return err
			}
			content = append(content, piece)
		}
	}
	if len(content) > 0 {
		r.Messages = append(r.Messages, message{Role: "user", Content: content})
	}
	return nil
}

func media(m llm.Media) (part, error) {
	inline := base64.StdEncoding.EncodeToString(m.Data)
	dataURL := "data:" + m.MIMEType + ";base64," + inline
	switch {
	case strings.HasPrefix(m.MIMEType, "image/"):
		return part{Type: "image_url", ImageURL: &image{cmp.Or(m.URL, dataURL)}}, nil
	case m.URL != "":
		return part{}, nestor.Errorf(nestor.CodeInvalid, "openai takes only images by URL, not %s", m.MIMEType)
	case m.MIMEType == "application/pdf":
		return part{Type: "file", File: &file{dataURL, cmp.Or(m.Name, "document.pdf")}}, nil
	case m.MIMEType == "audio/wav":
		return part{Type: "input_audio", InputAudio: &audio{inline, "wav"}}, nil
	case m.MIMEType == "audio/mpeg":
		return part{Type: "input_audio", InputAudio: &audio{inline, "mp3"}}, nil
	default:
		return part{}, nestor.Errorf(nestor.CodeInvalid, "openai takes images, PDF and audio files, not %s", m.MIMEType)
	}
}
