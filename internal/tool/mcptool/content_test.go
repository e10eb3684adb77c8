package mcptool

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
)

const (
	png = "\x89PNG\r\n\x1a\n"
	pdf = "%PDF-1.7 x"
)

func TestWhatIsNoTextIsDescribedAndComesAlongIfSomeModelTakesIt(t *testing.T) {
	resource := func(uri, kind, text, blob string) mcp.Content {
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: kind, Text: text, Blob: []byte(blob)}}
	}
	for name, tt := range map[string]struct {
		content mcp.Content
		text    string
		media   *nestor.Media
	}{
		"an image": {
			&mcp.ImageContent{MIMEType: "image/png", Data: []byte(png)}, "[an image of type image/png, 8 bytes]",
			&nestor.Media{MIMEType: "image/png", Data: "iVBORw0KGgo="},
		},
		"an image that is of another type": {
			&mcp.ImageContent{MIMEType: "image/jpg", Data: []byte(png)}, "[an image of type image/jpg, 8 bytes]",
			&nestor.Media{MIMEType: "image/png", Data: "iVBORw0KGgo="},
		},
		"a drawing": {&mcp.ImageContent{MIMEType: "image/svg+xml", Data: []byte("<svg/>")}, "[an image of type image/svg+xml, 6 bytes]", nil},
		"markup that is said to be an image": {
			&mcp.ImageContent{MIMEType: "image/png", Data: []byte("<html>")}, "[an image of type image/png, 6 bytes]", nil,
		},
		"an image without bytes": {&mcp.ImageContent{MIMEType: "image/png"}, "[an image of type image/png, 0 bytes]", nil},
		"a recording": {
			&mcp.AudioContent{MIMEType: "audio/x-wav", Data: []byte("abc")}, "[a recording of type audio/x-wav, 3 bytes]",
			&nestor.Media{MIMEType: "audio/wav", Data: "YWJj"},
		},
		"a text resource": {resource("file:///a.txt", "text/plain", "inside", ""), "inside", nil},
		"a PDF": {
			resource("file:///docs/a.pdf?v=2", "application/pdf", "", pdf), "[resource file:///docs/a.pdf?v=2 of type application/pdf, 10 bytes]",
			&nestor.Media{MIMEType: "application/pdf", Name: "a.pdf", URI: "file:///docs/a.pdf?v=2", Data: "JVBERi0xLjcgeA=="},
		},
		"an image without a type": {
			resource("shot://1", "", "", png), "[resource shot://1 of unknown type, 8 bytes]",
			&nestor.Media{MIMEType: "image/png", Name: "1", URI: "shot://1", Data: "iVBORw0KGgo="},
		},
		"an archive": {resource("file:///a.zip", "application/zip", "", png), "[resource file:///a.zip of type application/zip, 8 bytes]", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := render(&mcp.CallToolResult{Content: []mcp.Content{tt.content}})
			if err != nil || got.Text != tt.text || len(got.Media) > 0 != (tt.media != nil) {
				t.Fatalf("got %+v, %v", got, err)
			}
			if tt.media != nil && got.Media[0] != *tt.media {
				t.Errorf("got %+v, want %+v", got.Media[0], *tt.media)
			}
		})
	}
}
