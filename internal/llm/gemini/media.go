package gemini

import (
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// TakesMedia implements [llm.MediaTaker]. All models on offer see and hear. Of
// images they take those that do not move: from Gemini 2 on a GIF is refused.
func (m *Model) TakesMedia(mimeType string) bool {
	switch mimeType {
	case "image/png", "image/jpeg", "image/webp", "image/heic", "image/heif",
		"audio/wav", "audio/mpeg", "application/pdf":
		return true
	}
	return false
}

// media encodes what a person or a tool attached. What people attach may be of
// more types than are shown with results: then the server decides.
func media(m llm.Media) (part, error) {
	kind, _, _ := strings.Cut(m.MIMEType, "/")
	switch kind {
	case "image", "audio", "video", "text":
	default:
		if m.MIMEType != "application/pdf" {
			return part{}, nestor.Errorf(nestor.CodeInvalid,
				"gemini takes images, audio, video, text and PDF files, not %s", m.MIMEType)
		}
	}
	if m.URL != "" {
		return part{FileData: &fileData{MIMEType: m.MIMEType, FileURI: m.URL}}, nil
	}
	return part{InlineData: &inlineData{MIMEType: m.MIMEType, Data: llm.Inline(m.Data)}}, nil
}
