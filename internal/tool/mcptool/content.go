package mcptool

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
)

// render turns a result into text. What is not text is described.
func render(r *mcp.CallToolResult) (string, error) {
	if r.NeedsInput() {
		return "", nestor.Errorf(nestor.CodeUnavailable, "the tool asks for more input in a way that is not supported")
	}
	var parts []string
	for _, c := range r.Content {
		parts = append(parts, renderContent(c))
	}
	text := strings.Join(parts, "\n")
	if len(parts) == 0 && r.StructuredContent != nil {
		raw, err := json.Marshal(r.StructuredContent)
		if err != nil {
			return "", nestor.Errorf(nestor.CodeInternal, "the result is not JSON: %w", err)
		}
		text = string(raw)
	}
	if r.IsError {
		if text == "" {
			text = "the tool failed without saying why"
		}
		return "", nestor.Errorf(nestor.CodeInvalid, "%s", text)
	}
	return text, nil
}

func renderContent(c mcp.Content) string {
	switch c := c.(type) {
	case *mcp.TextContent:
		return c.Text
	case *mcp.ImageContent:
		return fmt.Sprintf("[an image of type %s, %d bytes]", c.MIMEType, len(c.Data))
	case *mcp.AudioContent:
		return fmt.Sprintf("[a recording of type %s, %d bytes]", c.MIMEType, len(c.Data))
	case *mcp.ResourceLink:
		return fmt.Sprintf("[resource %s: %s]", c.Name, c.URI)
	case *mcp.EmbeddedResource:
		if c.Resource == nil {
			return "[an empty resource]"
		}
		if c.Resource.Text != "" {
			return c.Resource.Text
		}
		return fmt.Sprintf("[resource %s of type %s, %d bytes]", c.Resource.URI, c.Resource.MIMEType, len(c.Resource.Blob))
	default:
		return fmt.Sprintf("[content of type %T]", c)
	}
}
