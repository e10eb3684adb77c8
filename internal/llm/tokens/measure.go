package tokens

import (
	"strings"

	"github.com/nestorhq/nestor/internal/llm"
)

// What a request takes beside its texts: the marks that providers put around
// messages, calls and descriptions of tools. Rounded up from what they report.
const (
	perRequest = 8
	perMessage = 4
	perTool    = 12
	perCall    = 12
	// perImage is what the most expensive provider takes for a large image.
	perImage = 1_600
	// bytesPerFileToken makes about 2,000 tokens of a page of a PDF.
	bytesPerFileToken = 25
)

// ruler measures texts: by counting, or by their length if count is nil. No
// text has more tokens than bytes.
type ruler struct{ count func(string) int }

func (r ruler) text(s string) int {
	if r.count == nil {
		return len(s)
	}
	return r.count(s)
}

func (r ruler) request(req *llm.Request) int {
	n := perRequest + r.text(req.System)
	for i := range req.Tools {
		n += r.tool(&req.Tools[i])
	}
	for i := range req.Messages {
		n += r.message(&req.Messages[i])
	}
	return n
}

func (r ruler) tool(t *llm.Tool) int {
	n := perTool + r.text(t.Name) + r.text(t.Description)
	if r.count == nil {
		return n + len(t.Parameters)
	}
	return n + r.count(string(t.Parameters))
}

func (r ruler) message(m *llm.Message) int {
	n := perMessage
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llm.Text:
			n += r.text(p.Text)
		case llm.Reasoning:
			n += r.text(p.Text) + len(p.Redacted)/4
		case llm.ToolCall:
			n += perCall + r.text(p.Name) + r.text(p.Arguments)
		case llm.ToolResult:
			n += perCall + r.text(p.Name) + r.text(p.Content)
			for i := range p.Media {
				n += media(&p.Media[i])
			}
		case llm.Media:
			n += media(&p)
		}
	}
	return n
}

// media is a flat amount: what a picture shows does not change it, and what a
// file behind an address holds is not known.
func media(m *llm.Media) int {
	if strings.HasPrefix(m.MIMEType, "image/") {
		return perImage
	}
	return max(perImage, len(m.Data)/bytesPerFileToken)
}

func hasMedia(req *llm.Request) bool {
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			if result, ok := p.(llm.ToolResult); ok && len(result.Media) > 0 {
				return true
			}
			if _, ok := p.(llm.Media); ok {
				return true
			}
		}
	}
	return false
}
