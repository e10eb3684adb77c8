package anthropic

import (
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

func (m *Model) params(req *llm.Request) (anthropic.MessageNewParams, error) {
	p := m.defaults
	if req.MaxTokens > 0 {
		p.MaxTokens = int64(req.MaxTokens)
	}
	if req.Temperature != nil {
		p.Temperature = anthropic.Float(*req.Temperature)
	}
	if req.System != "" {
		p.System = []anthropic.TextBlockParam{{Text: req.System}}
	}
	p.ToolChoice = toolChoice(req.ToolChoice)
	for _, t := range req.Tools {
		p.Tools = append(p.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{
			Name:        t.Name,
			Description: anthropic.String(t.Description),
			InputSchema: param.Override[anthropic.ToolInputSchemaParam](t.Parameters),
		}})
	}
	ids := callIDs{}
	for _, msg := range req.Messages {
		blocks, err := m.blocks(msg.Parts, ids)
		if err != nil {
			return p, err
		}
		p.Messages = appendTurn(p.Messages, msg.Role, blocks)
	}
	mark(&p)
	return p, nil
}

func toolChoice(choice string) anthropic.ToolChoiceUnionParam {
	switch choice {
	case "":
		return anthropic.ToolChoiceUnionParam{}
	case "none":
		return anthropic.ToolChoiceUnionParam{OfNone: &anthropic.ToolChoiceNoneParam{}}
	case "required":
		return anthropic.ToolChoiceUnionParam{OfAny: &anthropic.ToolChoiceAnyParam{}}
	default:
		return anthropic.ToolChoiceParamOfTool(choice)
	}
}

// appendTurn joins neighbours of one role: all results of parallel calls must
// be in the one message after the calls, and here the user speaks the results.
func appendTurn(turns []anthropic.MessageParam, role llm.Role, blocks []anthropic.ContentBlockParamUnion) []anthropic.MessageParam {
	if len(blocks) == 0 {
		return turns
	}
	turn := anthropic.NewUserMessage(blocks...)
	if role == llm.RoleAssistant {
		turn = anthropic.NewAssistantMessage(blocks...)
	}
	if last := len(turns) - 1; last >= 0 && turns[last].Role == turn.Role {
		turns[last].Content = append(turns[last].Content, blocks...)
		return turns
	}
	return append(turns, turn)
}

func (m *Model) blocks(parts []llm.Part, ids callIDs) ([]anthropic.ContentBlockParamUnion, error) {
	var out []anthropic.ContentBlockParamUnion
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			// The API rejects blank text.
			if strings.TrimSpace(p.Text) != "" {
				out = append(out, anthropic.NewTextBlock(p.Text))
			}
		case llm.Reasoning:
			// Blocks of other models and unsigned ones would be rejected.
			if signature, ok := llm.Unseal(m.owner, p.Signature); ok {
				out = append(out, anthropic.NewThinkingBlock(signature, p.Text))
			} else if data, ok := llm.Unseal(m.owner, p.Redacted); ok {
				out = append(out, anthropic.NewRedactedThinkingBlock(data))
			}
		case llm.ToolCall:
			out = append(out, anthropic.NewToolUseBlock(ids.of(p.ID, p.ProviderID), llm.ArgumentsObject(p.Arguments), p.Name))
		case llm.ToolResult:
			block, err := toolResult(p, ids.of(p.CallID, p.ProviderID))
			if err != nil {
				return nil, err
			}
			out = append(out, block)
		case llm.Media:
			block, err := media(p)
			if err != nil {
				return nil, err
			}
			out = append(out, block)
		}
	}
	return out, nil
}

func toolResult(r llm.ToolResult, id string) (anthropic.ContentBlockParamUnion, error) {
	block := anthropic.ToolResultBlockParam{ToolUseID: id, IsError: anthropic.Bool(r.IsError)}
	if strings.TrimSpace(r.Content) != "" {
		block.Content = []anthropic.ToolResultBlockParamContentUnion{{
			OfText: &anthropic.TextBlockParam{Text: r.Content},
		}}
	}
	for _, m := range r.Media {
		piece, err := media(m)
		if err != nil {
			return anthropic.ContentBlockParamUnion{}, err
		}
		block.Content = append(block.Content, anthropic.ToolResultBlockParamContentUnion{
			OfImage: piece.OfImage, OfDocument: piece.OfDocument,
		})
	}
	return anthropic.ContentBlockParamUnion{OfToolResult: &block}, nil
}

// callIDs knows which calls have which ids on the wire. The API wants each id
// at most once in a conversation, and other providers repeat theirs: a second
// call with the same id gets another.
type callIDs map[string]string

func (ids callIDs) of(id, providerID string) string {
	wire := llm.PlainID.WireID(id, providerID)
	if owner, taken := ids[wire]; taken && owner != id {
		wire = llm.PlainID.WireID(id, "")
	}
	ids[wire] = id
	return wire
}

func media(m llm.Media) (anthropic.ContentBlockParamUnion, error) {
	inline := llm.Inline(m.Data)
	switch m.MIMEType {
	case "image/jpeg", "image/png", "image/gif", "image/webp":
		if m.URL != "" {
			return anthropic.NewImageBlock(anthropic.URLImageSourceParam{URL: m.URL}), nil
		}
		return anthropic.NewImageBlockBase64(m.MIMEType, inline), nil
	case "application/pdf":
		if m.URL != "" {
			return titled(m, anthropic.NewDocumentBlock(anthropic.URLPDFSourceParam{URL: m.URL})), nil
		}
		return titled(m, anthropic.NewDocumentBlock(anthropic.Base64PDFSourceParam{Data: inline})), nil
	case "text/plain":
		if m.URL == "" {
			return titled(m, anthropic.NewDocumentBlock(anthropic.PlainTextSourceParam{Data: string(m.Data)})), nil
		}
	}
	return anthropic.ContentBlockParamUnion{}, nestor.Errorf(nestor.CodeInvalid,
		"anthropic takes JPEG, PNG, GIF and WebP images, PDF files and inline plain text, not %s", m.MIMEType)
}

func titled(m llm.Media, block anthropic.ContentBlockParamUnion) anthropic.ContentBlockParamUnion {
	if m.Name != "" {
		block.OfDocument.Title = anthropic.String(m.Name)
	}
	return block
}
