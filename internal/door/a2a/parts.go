package a2a

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/file"
)

// maxBody is how many bytes a request has: files come within, a third longer than they
// are.
const maxBody = 16 << 20

// parts are what a message says: its texts, its data as JSON, and its files, which are
// saved.
func (h *handler) parts(m *a2a.Message) (parts []nestor.Part, err error) {
	said := false
	for _, part := range m.Parts {
		var p nestor.Part
		switch part := part.(type) {
		case a2a.TextPart:
			p = nestor.Part{Type: nestor.PartText, Text: part.Text}
		case a2a.DataPart:
			data, err := json.Marshal(part.Data)
			if err != nil {
				return nil, err
			}
			p = nestor.Part{Type: nestor.PartText, Text: "```json\n" + string(data) + "\n```"}
		case a2a.FilePart:
			if p, err = h.save(part); err != nil {
				return nil, err
			}
		}
		if p.Type != nestor.PartText || strings.TrimSpace(p.Text) != "" {
			said = true
			parts = append(parts, p)
		}
	}
	if !said {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the message says nothing")
	}
	return parts, nil
}

// save saves a file that a message has with it.
func (h *handler) save(part a2a.FilePart) (p nestor.Part, err error) {
	sent, ok := part.File.(a2a.FileBytes)
	if !ok {
		return p, refusal{"files are taken with their bytes, not by their address", a2a.ErrUnsupportedContentType}
	}
	if err := h.r.MayAct(nestor.FilePath(h.r.UserID(), "new")); err != nil {
		return p, err
	}
	data, err := base64.StdEncoding.DecodeString(sent.Bytes)
	if err != nil {
		return p, nestor.Errorf(nestor.CodeInvalid, "the bytes of a file are not in base64")
	}
	d, _, err := h.door.files.Save(h.r.Context(), file.Upload{
		UserID: h.r.UserID(), Name: sent.Name, Type: sent.MimeType, Body: bytes.NewReader(data),
	}, h.r.Act)
	if err != nil {
		return p, err
	}
	f, err := nestor.As[nestor.File](d)
	return nestor.Part{Type: nestor.PartTypeOf(f.MediaType), FileID: d.Path.ID(), Name: sent.Name}, err
}

// plainly is the text of parts that are nothing but text.
func plainly(parts []nestor.Part) (text string, plain bool) {
	var texts []string
	for _, p := range parts {
		if p.Type != nestor.PartText {
			return "", false
		}
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n\n"), true
}

// textOf are the texts of a message.
func textOf(m *a2a.Message) string {
	var texts []string
	for _, part := range m.Parts {
		if text, ok := part.(a2a.TextPart); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}
