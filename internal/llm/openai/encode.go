package openai

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// body is a request as JSON, in pieces. The messages that it shares with the one before,
// usually all but the last, and the tools are not encoded again.
func (m *Model) body(req *llm.Request) (pieces [][]byte, err error) {
	settings, err := llm.EncodeJSON(m.settings(req))
	if err != nil {
		return nil, err
	}
	said, err := m.messages(req)
	if err != nil {
		return nil, err
	}
	tools, err := encodeTools(req.Tools)
	if err != nil {
		return nil, err
	}
	pieces = append(make([][]byte, 0, 2*(len(said)+len(tools))+6), []byte("{"))
	if len(tools) > 0 {
		pieces = appendList(pieces, `"tools":[`, tools)
	}
	pieces = appendList(pieces, `"messages":[`, said)
	if len(m.extra) > 0 {
		settings = slices.Concat(settings[:len(settings)-1], []byte(","), m.extra, []byte("}"))
	}
	return append(pieces, settings[1:]), nil
}

func appendList(pieces [][]byte, begin string, texts [][]byte) [][]byte {
	pieces = append(pieces, []byte(begin))
	for i, text := range texts {
		if i > 0 {
			pieces = append(pieces, comma)
		}
		pieces = append(pieces, text)
	}
	return append(pieces, endOfList)
}

var (
	comma     = []byte(",")
	endOfList = []byte("],")
)

func (m *Model) settings(req *llm.Request) settings {
	s := settings{
		Model: m.name, ToolChoice: toolChoice(req.ToolChoice), Temperature: req.Temperature, ReasoningEffort: m.effort,
		Stream: true,
	}
	if !m.quirks.noStreamOptions.Load() {
		s.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if m.dialect.official != m.quirks.otherMaxTokens.Load() {
		s.MaxCompletionTokens = req.MaxTokens
	} else {
		s.MaxTokens = req.MaxTokens
	}
	return s
}

func encodeTools(tools []llm.Tool) (list [][]byte, err error) {
	list = make([][]byte, len(tools))
	for i := range tools {
		if list[i], err = texts.tool(&tools[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (m *Model) messages(req *llm.Request) ([][]byte, error) {
	list := make([][]byte, 0, len(req.Messages)+1)
	if req.System != "" {
		text, err := texts.system(req.System)
		if err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	d := m.dialect
	if m.quirks.shortIDs.Load() {
		d.ids = llm.ID9
	}
	messages := spoken(req.Messages)
	for i := range messages {
		text, err := texts.message(d, &messages[i])
		if err != nil {
			return nil, err
		}
		if len(text) > 0 {
			list = append(list, text)
		}
	}
	return list, nil
}

// encode returns what becomes of a message on the wire: one message, several or
// none.
func (d dialect) encode(msg *llm.Message) ([]byte, error) {
	var list []message
	var err error
	switch msg.Role {
	case llm.RoleAssistant:
		list = d.assistant(msg.Parts)
	case llm.RoleTool:
		list = d.results(msg.Parts)
	default:
		list, err = user(msg.Parts)
	}
	var b []byte
	for _, one := range list {
		text, err := llm.EncodeJSON(one)
		if err != nil {
			return nil, err
		}
		if len(b) > 0 {
			b = append(b, ',')
		}
		b = append(b, text...)
	}
	return b, err
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

// results makes a message of each result, though they came in one turn.
func (d dialect) results(parts []llm.Part) (list []message) {
	for _, p := range parts {
		if result, ok := p.(llm.ToolResult); ok {
			content := result.Content
			if result.IsError { // the format has no field for it
				content = "Error: " + content
			}
			list = append(list, message{Role: "tool", Content: content, ToolCallID: d.ids.WireID(result.CallID, result.ProviderID)})
		}
	}
	return list
}

func (d dialect) assistant(parts []llm.Part) []message {
	var text, reasoning strings.Builder
	out := message{Role: "assistant"}
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			text.WriteString(p.Text)
		case llm.Reasoning:
			reasoning.WriteString(p.Text)
		case llm.ToolCall:
			out.ToolCalls = append(out.ToolCalls, d.toolCall(p))
		}
	}
	if text.Len() > 0 {
		out.Content = text.String()
	}
	if d.replayReasoning {
		out.ReasoningContent = reasoning.String()
	}
	if out.Content == nil && out.ToolCalls == nil {
		return nil
	}
	return []message{out}
}

func (d dialect) toolCall(c llm.ToolCall) call {
	text := c.Arguments
	if !d.official {
		// Chat templates of compatible servers parse the arguments, and would
		// fail every further turn over malformed ones.
		text = string(llm.ArgumentsObject(text))
	}
	return call{ID: d.ids.WireID(c.ID, c.ProviderID), Type: "function", Function: functionCall{c.Name, arguments(text)}}
}

func user(parts []llm.Part) ([]message, error) {
	if len(parts) == 1 {
		if text, ok := parts[0].(llm.Text); ok {
			return []message{{Role: "user", Content: text.Text}}, nil
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
				return nil, err
			}
			content = append(content, piece)
		}
	}
	if len(content) == 0 {
		return nil, nil
	}
	return []message{{Role: "user", Content: content}}, nil
}

func media(m llm.Media) (part, error) {
	inline := llm.Inline(m.Data)
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
