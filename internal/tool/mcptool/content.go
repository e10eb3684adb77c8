package mcptool

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool"
)

// render turns a result into text. What is not text is described there, and comes
// along as media if some model can be shown it.
func render(r *mcp.CallToolResult) (tool.Output, error) {
	if r.NeedsInput() {
		return tool.Output{}, nestor.Errorf(nestor.CodeUnavailable, "the tool asks for more input in a way that is not supported")
	}
	var parts []string
	var media []nestor.Media
	for _, c := range r.Content {
		text, attached, ok := renderContent(c)
		parts = append(parts, text)
		if ok {
			media = append(media, attached)
		}
	}
	text := strings.Join(parts, "\n")
	if len(parts) == 0 && r.StructuredContent != nil {
		raw, err := json.Marshal(r.StructuredContent)
		if err != nil {
			return tool.Output{}, nestor.Errorf(nestor.CodeInternal, "the result is not JSON: %w", err)
		}
		text = string(raw)
	}
	if r.IsError {
		if text == "" {
			text = "the tool failed without saying why"
		}
		return tool.Output{}, nestor.Errorf(nestor.CodeInvalid, "%s", text)
	}
	return tool.Output{Text: text, Media: media}, nil
}

// renderContent returns the text of one piece, and the piece itself if it is
// something to look at or to listen to.
func renderContent(c mcp.Content) (text string, media nestor.Media, ok bool) {
	switch c := c.(type) {
	case *mcp.TextContent:
		return c.Text, media, false
	case *mcp.ImageContent:
		media, ok = tool.NewMedia(c.MIMEType, "", "", c.Data)
		return tool.Describe("an image", c.MIMEType, "", len(c.Data)), media, ok
	case *mcp.AudioContent:
		media, ok = tool.NewMedia(c.MIMEType, "", "", c.Data)
		return tool.Describe("a recording", c.MIMEType, "", len(c.Data)), media, ok
	case *mcp.ResourceLink:
		return fmt.Sprintf("[resource %s: %s]", c.Name, c.URI), media, false
	case *mcp.EmbeddedResource:
		switch r := c.Resource; {
		case r == nil:
			return "[an empty resource]", media, false
		case r.Text != "":
			return r.Text, media, false
		default:
			media, ok = tool.NewMedia(r.MIMEType, fileName(r.URI), tool.Visible(r.URI), r.Blob)
			return tool.Describe("resource", r.MIMEType, r.URI, len(r.Blob)), media, ok
		}
	default:
		return fmt.Sprintf("[content of type %T]", c), media, false
	}
}

// fileName is the last element of an address, for providers that show a name.
func fileName(uri string) string {
	uri, _, _ = strings.Cut(tool.Visible(uri), "?")
	if name := path.Base(uri); name != "." && name != "/" {
		return name
	}
	return ""
}
